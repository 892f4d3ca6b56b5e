/** Table metadata after operations that only tests perform, as in write/next-metadata.ts. */
import { LakeError } from '../../../packages/lake/src/base/errors.ts';
import type { JsonObject, JsonValue } from '../../../packages/lake/src/base/json.ts';
import type { TableMetadata } from '../../../packages/lake/src/metadata/table-metadata.ts';
import { highestFieldId } from '../../../packages/lake/src/schema/field-lookup.ts';
import { schemaToJson } from '../../../packages/lake/src/schema/schema-json.ts';
import type { Schema } from '../../../packages/lake/src/schema/type.ts';
import { listOf, pointRef } from '../../../packages/lake/src/write/next-metadata.ts';

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
      ...(raw.schemas === undefined ? metadata.schemas.map(schemaToJson) : listOf(raw.schemas)),
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
  const log = listOf(raw['snapshot-log']);
  const newest = log.findLastIndex((entry) => expired.has(idOf(entry)));
  return {
    ...raw,
    'last-updated-ms': nowMs,
    snapshots: listOf(raw.snapshots).filter((entry) => !expired.has(idOf(entry))),
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
