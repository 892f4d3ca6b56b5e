import { LakeError } from '../base/errors.ts';
import { loadTable } from '../catalog/load-table.ts';
import { snapshotOf } from '../metadata/table-metadata.ts';
import type { TableConfig } from '../source-table.ts';
import { commitTable } from './commit.ts';
import { withoutRef, withoutSnapshots, withRef, withSchema } from './next-metadata.ts';
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

/**
 * Forgets snapshots older than a moment (ms since 1970), except those that a branch or tag names.
 * Files stay where they are: removing them is another job, after no reader can need them. Returns
 * the forgotten ids.
 */
export async function expireSnapshots(
  config: TableConfig,
  olderThanMs: number,
): Promise<readonly bigint[]> {
  if (!Number.isFinite(olderThanMs)) {
    throw new LakeError('invalid_argument', `${olderThanMs} is not a time in milliseconds`);
  }
  let expired: readonly bigint[] = [];
  await commitTable(await loadTable(config), async ({ metadata }) => {
    const kept = new Set([metadata.currentSnapshotId, ...metadata.refs.map((r) => r.snapshotId)]);
    const old = metadata.snapshots.filter((s) => s.timestampMs < olderThanMs && !kept.has(s.id));
    expired = old.map((s) => s.id);
    if (expired.length === 0) return null;
    return { metadata: withoutSnapshots(metadata, new Set(expired), Date.now()), written: [] };
  });
  return expired;
}
