/** Table metadata after operations that only tests perform, as in write/commit/next-metadata.ts. */
import type { JsonObject } from '../../../packages/lake/src/base/json.ts';
import type { TableMetadata } from '../../../packages/lake/src/metadata/table-metadata.ts';
import { highestFieldId } from '../../../packages/lake/src/schema/field-lookup.ts';
import { schemaToJson } from '../../../packages/lake/src/schema/schema-json.ts';
import type { Schema } from '../../../packages/lake/src/schema/type.ts';
import { listOf } from '../../../packages/lake/src/write/commit/next-metadata.ts';

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
