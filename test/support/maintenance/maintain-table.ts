import { loadTable } from '../../../packages/lake/src/catalog/load-table.ts';
import type { TableConfig } from '../../../packages/lake/src/source-table.ts';
import { commitTable } from '../../../packages/lake/src/write/commit/commit.ts';
import { pointTableRef } from '../../../packages/lake/src/write/commit/table-refs.ts';
import {
  type CompactResult,
  compactTableFiles,
} from '../../../packages/lake/src/write/rows/compact-table.ts';
import { withProperties, withSchema } from './next-metadata.ts';
import { changeSchema, type SchemaChange } from './schema-change.ts';

/** Changes the table's columns: one metadata commit, no data is touched. */
export async function changeColumns(config: TableConfig, change: SchemaChange): Promise<void> {
  await commitTable(await loadTable(config), async ({ metadata }) => {
    const schema = changeSchema(metadata.schema, change, metadata.lastColumnId);
    return { metadata: withSchema(metadata, schema, Date.now()), written: [] };
  });
}

/**
 * Makes a tag or branch, or moves it. `main` moves too: that is a rollback. Throws
 * snapshot_not_found.
 */
export async function setRef(
  config: TableConfig,
  name: string,
  kind: 'branch' | 'tag',
  snapshotId: bigint,
): Promise<void> {
  await pointTableRef(config, name, { kind, snapshot: String(snapshotId), replace: true });
}

/** Sets properties of the table; null removes one. */
export async function setProperties(
  config: TableConfig,
  properties: Readonly<Record<string, string | null>>,
): Promise<void> {
  await commitTable(await loadTable(config), async ({ metadata }) => {
    return { metadata: withProperties(metadata, properties, Date.now()), written: [] };
  });
}

/** Rewrites all live rows of the current snapshot. Throws unsupported, commit_conflict. */
export const compactTable = (config: TableConfig): Promise<CompactResult> =>
  compactTableFiles(config, { all: true });
