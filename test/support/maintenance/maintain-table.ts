import { loadTable } from '../../../packages/lake/src/catalog/load-table.ts';
import { snapshotOf } from '../../../packages/lake/src/metadata/table-metadata.ts';
import type { TableConfig } from '../../../packages/lake/src/source-table.ts';
import { commitTable } from '../../../packages/lake/src/write/commit.ts';
import { withoutRef, withProperties, withRef, withSchema } from './next-metadata.ts';
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
  await commitTable(await loadTable(config), async ({ metadata }) => {
    snapshotOf(metadata, snapshotId);
    return { metadata: withRef(metadata, name, kind, snapshotId, Date.now()), written: [] };
  });
}

/** Removes a tag or branch. */
export async function dropRef(config: TableConfig, name: string): Promise<void> {
  await commitTable(await loadTable(config), async ({ metadata }) => {
    return { metadata: withoutRef(metadata, name, Date.now()), written: [] };
  });
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
