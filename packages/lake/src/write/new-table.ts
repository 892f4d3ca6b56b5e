import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../base/json.ts';
import type { PartitionSpec } from '../schema/partition-spec.ts';
import type { Schema } from '../schema/type.ts';
import { firstMetadata } from './next-metadata.ts';

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
