/**
 * Table metadata of the next version: functions from the JSON of one version to the JSON of the
 * next (format/spec.md, "Table Metadata" and Appendix C). Unknown keys stay unchanged.
 */

import { randomUUID } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { metadataOf } from '../../metadata/read-metadata.ts';
import type { TableMetadata } from '../../metadata/table-metadata.ts';
import { highestFieldId } from '../../schema/field-lookup.ts';
import {
  type PartitionSpec,
  partitionFieldsToJson,
  partitionSpecToJson,
} from '../../schema/partition-spec.ts';
import { schemaToJson } from '../../schema/schema-json.ts';
import type { Schema } from '../../schema/type.ts';

/** What a new table is made of. */
export interface TableDefinition {
  readonly schema: Schema;
  readonly spec?: PartitionSpec;
  readonly formatVersion?: 1 | 2 | 3;
  readonly properties?: Readonly<Record<string, string>>;
}

/** The first metadata of a table of ours, without a snapshot. */
export function newTableMetadata(location: string, definition: TableDefinition): JsonObject {
  return firstMetadata({
    uuid: randomUUID(),
    location,
    schema: definition.schema,
    spec: definition.spec ?? { specId: 0, fields: [] },
    formatVersion: definition.formatVersion ?? 2,
    properties: { 'write.parquet.compression-codec': 'zstd', ...definition.properties },
    nowMs: Date.now(),
  });
}

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

/** The metadata with another current schema, which is added if the table does not have it. */
export function withSchema(metadata: TableMetadata, schema: Schema): TableMetadata {
  if (schema.schemaId === metadata.schema.schemaId) return metadata;
  const { raw, file, schemas, lastColumnId, formatVersion } = metadata;
  const json = schemaToJson(schema);
  const isKnown = schemas.some(({ schemaId }) => schemaId === schema.schemaId);
  const next = {
    ...raw,
    'last-column-id': Math.max(lastColumnId, highestFieldId(schema)),
    'current-schema-id': schema.schemaId,
    schemas: [
      ...listOf(raw.schemas ?? [schemaToJson(metadata.schema)]),
      ...(isKnown ? [] : [json]),
    ],
    ...(formatVersion === 1 ? { schema: json } : {}),
  };
  return metadataOf(next, file);
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
    snapshots: [...listOf(raw.snapshots), entry],
  };
  return pointRef(
    next,
    branch,
    { 'snapshot-id': snapshot.id, type: 'branch' },
    snapshot.timestampMs,
  );
}

/** Sets a ref; when it is main the current snapshot and the snapshot log follow. */
export function pointRef(
  raw: JsonObject,
  name: string,
  ref: JsonObject,
  nowMs: number,
): JsonObject {
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
    'snapshot-log': [...listOf(raw['snapshot-log']), log],
  };
}

function oldRef(raw: JsonObject, name: string): JsonObject {
  return ((raw.refs as JsonObject | undefined)?.[name] as JsonObject | undefined) ?? {};
}

/** Adds the previous metadata file to the log, which has at most 100 entries. */
export function withLog(raw: JsonObject, previousFile: string, previousMs: number): JsonObject {
  const entry = { 'timestamp-ms': previousMs, 'metadata-file': previousFile };
  return { ...raw, 'metadata-log': [...listOf(raw['metadata-log']), entry].slice(-100) };
}

/** The entries of a list of the metadata; none if it is missing. */
export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
