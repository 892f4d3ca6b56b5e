import { compactTable, expireSnapshots, type SourceTable } from '@lakehouse-search/lake';
import { type CollectionPlan, collectionTable, isLake } from './collection-table.ts';

/** Commits after which small files are rewritten as one and old snapshots are forgotten. */
const COMMITS = 64;
/** Milliseconds for which snapshots stay: for readers, and for followers that begin again. */
const HISTORY_MS = 60_000;

/**
 * Compacts the table of a collection and expires old snapshots, if it is time: after each 64
 * commits of any process since the last compaction.
 */
export async function maintainTable(
  plan: CollectionPlan,
  table: SourceTable,
  sync: () => Promise<unknown>,
): Promise<void> {
  const commits = commitsSinceCompaction(table);
  if (commits === 0 || commits % COMMITS !== 0) return;
  try {
    await compactTable(collectionTable(plan));
    await expireSnapshots(collectionTable(plan), {
      olderThanMs: Date.now() - HISTORY_MS,
      keep: COMMITS,
    });
    await sync();
  } catch (error) {
    // Another process does the same.
    if (isLake(error, 'commit_conflict')) return;
    const reason = error instanceof Error ? error.message : String(error);
    const what = `collection "${plan.name}" could not compact its table: ${reason}`;
    process.emitWarning(what, 'LhsWarning');
  }
}

function commitsSinceCompaction(table: SourceTable): number {
  const { currentSnapshotId: head } = table;
  if (head === null) return 0;
  const ancestry = table.ancestry(head);
  const last = ancestry.findIndex(({ operation }) => operation === 'replace');
  return last < 0 ? ancestry.length : last;
}
