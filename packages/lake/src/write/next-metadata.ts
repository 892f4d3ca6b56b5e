/**
 * Table metadata of the version after: plain functions from the JSON of one version to the JSON of
 * the next (format/spec.md, "Table Metadata" and Appendix C). What they do not know they leave as
 * it stands.
 */

import { LakeError } from '../base/errors.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { TableMetadata } from '../metadata/table-metadata.ts';
import { highestFieldId } from '../schema/field-lookup.ts';
import {
  type PartitionSpec,
  partitionFieldsToJson,
  partitionSpecToJson,
} from '../schema/partition-spec.ts';
import { schemaToJson } from '../schema/schema-json.ts';
import type { Schema } from '../schema/type.ts';

/** What a new table begins with. */
export interface NewTable {
  readonly uuid: string;
  readonly location: string;
  readonly schema: Schema;
  readonly spec: PartitionSpec;
  readonly formatVersion: 1 | 2 | 3;
  readonly properties: Readonly<Record<string, string>>;
  readonly nowMs: number;
}

/** The first metadata of a table: no snapshot. */
export function firstMetadata(table: NewTable): JsonObject {
  const { formatVersion: version, spec, schema } = table;
  const lastPartition = Math.max(999, ...spec.fields.map((f) => f.fieldId));
  return {
    'format-version': version,
    'table-uuid': table.uuid,
    location: table.location,
    ...(version > 1 ? { 'last-sequence-number': 0 } : {}),
    'last-updated-ms': table.nowMs,
    'last-column-id': highestFieldId(schema),
    ...(version === 1
      ? { schema: schemaToJson(schema), 'partition-spec': partitionFieldsToJson(spec) }
      : {}),
    'current-schema-id': schema.schemaId,
    schemas: [schemaToJson(schema)],
    'default-spec-id': spec.specId,
    'partition-specs': [partitionSpecToJson(spec)],
    'last-partition-id': lastPartition,
    'default-sort-order-id': 0,
    'sort-orders': [{ 'order-id': 0, fields: [] }],
    properties: { ...table.properties },
    ...(version === 3 ? { 'next-row-id': 0 } : {}),
    refs: {},
    snapshots: [],
    statistics: [],
    'partition-statistics': [],
    'snapshot-log': [],
    'metadata-log': [],
  };
}

/** A snapshot that is about to become part of a table. */
export interface NewSnapshot {
  readonly id: bigint;
  readonly parentId: bigint | null;
  readonly sequenceNumber: bigint;
  readonly timestampMs: number;
  readonly manifestList: string;
  readonly schemaId: number;
  readonly summary: Readonly<Record<string, string>>;
  /** v3: the first row id that the snapshot assigns, and how many. */
  readonly rows?: { readonly first: bigint; readonly added: bigint };
}

/** Adds a snapshot and lets a branch point at it. */
export function withSnapshot(
  metadata: TableMetadata,
  snapshot: NewSnapshot,
  branch: string,
): JsonObject {
  const { raw } = metadata;
  const entry: JsonObject = {
    ...(metadata.formatVersion > 1 ? { 'sequence-number': snapshot.sequenceNumber } : {}),
    'snapshot-id': snapshot.id,
    ...(snapshot.parentId === null ? {} : { 'parent-snapshot-id': snapshot.parentId }),
    'timestamp-ms': snapshot.timestampMs,
    summary: { ...snapshot.summary },
    'manifest-list': snapshot.manifestList,
    'schema-id': snapshot.schemaId,
    ...(snapshot.rows
      ? { 'first-row-id': snapshot.rows.first, 'added-rows': snapshot.rows.added }
      : {}),
  };
  const next: JsonObject = {
    ...raw,
    ...(metadata.formatVersion > 1 ? { 'last-sequence-number': snapshot.sequenceNumber } : {}),
    ...(snapshot.rows ? { 'next-row-id': snapshot.rows.first + snapshot.rows.added } : {}),
    'last-updated-ms': snapshot.timestampMs,
    snapshots: [...list(raw.snapshots), entry],
  };
  return pointRef(
    next,
    branch,
    { 'snapshot-id': snapshot.id, type: 'branch' },
    snapshot.timestampMs,
  );
}

/** Sets a ref; when it is main the current snapshot and the snapshot log follow. */
function pointRef(raw: JsonObject, name: string, ref: JsonObject, nowMs: number): JsonObject {
  const refs = {
    ...(raw.refs as JsonObject | undefined),
    [name]: { ...oldRef(raw, name), ...ref },
  };
  if (name !== 'main') return { ...raw, refs };
  const log = { 'timestamp-ms': nowMs, 'snapshot-id': ref['snapshot-id'] as JsonValue };
  return {
    ...raw,
    refs,
    'current-snapshot-id': ref['snapshot-id'] as JsonValue,
    'snapshot-log': [...list(raw['snapshot-log']), log],
  };
}

function oldRef(raw: JsonObject, name: string): JsonObject {
  return ((raw.refs as JsonObject | undefined)?.[name] as JsonObject | undefined) ?? {};
}

/** Makes a branch or tag, or lets it point elsewhere. */
export function withRef(
  metadata: TableMetadata,
  name: string,
  kind: 'branch' | 'tag',
  snapshotId: bigint,
  nowMs: number,
): JsonObject {
  const next = { ...metadata.raw, 'last-updated-ms': nowMs };
  return pointRef(next, name, { 'snapshot-id': snapshotId, type: kind }, nowMs);
}

/** Removes a branch or tag. */
export function withoutRef(metadata: TableMetadata, name: string, nowMs: number): JsonObject {
  const refs = { ...(metadata.raw.refs as JsonObject | undefined) };
  if (name === 'main' || refs[name] === undefined) {
    throw new LakeError('snapshot_not_found', `there is no branch or tag "${name}" to remove`);
  }
  delete refs[name];
  return { ...metadata.raw, 'last-updated-ms': nowMs, refs };
}

/** Makes another schema the current one; its id is the next free one. */
export function withSchema(metadata: TableMetadata, schema: Schema, nowMs: number): JsonObject {
  const { raw } = metadata;
  const schemaId = 1 + Math.max(...metadata.schemas.map((s) => s.schemaId));
  const json = schemaToJson({ ...schema, schemaId });
  const last = Math.max(metadata.lastColumnId, highestFieldId(schema));
  return {
    ...raw,
    ...(metadata.formatVersion === 1 ? { schema: json } : {}),
    'last-updated-ms': nowMs,
    'last-column-id': last,
    'current-schema-id': schemaId,
    schemas: [
      ...(raw.schemas === undefined ? metadata.schemas.map(schemaToJson) : list(raw.schemas)),
      json,
    ],
  };
}

/**
 * Forgets snapshots; log entries before the newest forgotten one go too (they would name what is
 * gone).
 */
export function withoutSnapshots(
  metadata: TableMetadata,
  expired: ReadonlySet<bigint>,
  nowMs: number,
): JsonObject {
  const { raw } = metadata;
  const idOf = (entry: JsonValue) => BigInt(String((entry as JsonObject)['snapshot-id']));
  const log = list(raw['snapshot-log']);
  const newest = log.findLastIndex((entry) => expired.has(idOf(entry)));
  return {
    ...raw,
    'last-updated-ms': nowMs,
    snapshots: list(raw.snapshots).filter((entry) => !expired.has(idOf(entry))),
    'snapshot-log': log.slice(newest + 1),
  };
}

/** Sets properties, or removes those that are null. */
export function withProperties(
  metadata: TableMetadata,
  properties: Readonly<Record<string, string | null>>,
  nowMs: number,
): JsonObject {
  const { raw } = metadata;
  const all = Object.entries({ ...(raw.properties as JsonObject | undefined), ...properties });
  const kept = Object.fromEntries(all.filter(([, value]) => value !== null));
  return { ...raw, 'last-updated-ms': nowMs, properties: kept };
}

/** Remembers the metadata file that this version follows; at most 100 are kept. */
export function withLog(raw: JsonObject, previousFile: string, previousMs: number): JsonObject {
  const entry = { 'timestamp-ms': previousMs, 'metadata-file': previousFile };
  return { ...raw, 'metadata-log': [...list(raw['metadata-log']), entry].slice(-100) };
}

function list(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
