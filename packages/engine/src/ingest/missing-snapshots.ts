import type { Snapshot, SourceTable } from '@lakehouse-search/lake';
import { LhsError } from '../base/errors.ts';
import type { Commit } from '../index/commit.ts';
import type { Mapping } from '../schema/mapping.ts';
import type { SearchContext } from '../search/context.ts';
import { requireSameTable } from './file-table.ts';
import { followedSnapshot } from './source-table.ts';

/**
 * The snapshots after the checkpoint, oldest first, up to `target`; none where the index is already
 * past it.
 */
export function missingSnapshots(
  commit: Commit,
  table: SourceTable,
  target: bigint | null,
  mapping: Mapping,
): readonly Snapshot[] {
  const { index } = mapping.definition;
  const { checkpoint } = commit;
  if (checkpoint === null) {
    throw new LhsError('index_not_built', `index "${index}" has no checkpoint to sync from`, {
      hint: `lhs index reindex ${index} builds it`,
    });
  }
  requireSameTable(checkpoint, table, index);
  const from = checkpoint.snapshot_id === null ? null : BigInt(checkpoint.snapshot_id);
  if (target === null || target === from) {
    if (target === from) return [];
    throw gap(index, table, from, 'the table has no snapshot any more');
  }
  const way = table.ancestry(target).toReversed();
  if (from === null) return way;
  const at = way.findIndex((snapshot) => snapshot.id === from);
  if (at >= 0) return way.slice(at + 1);
  if (isPast(table, from, target)) return [];
  throw gap(index, table, from, `it is not an ancestor of snapshot ${target}`);
}

function isPast(table: SourceTable, from: bigint, target: bigint): boolean {
  const known = table.snapshots.some((snapshot) => snapshot.id === from);
  return known && table.ancestry(from).some((snapshot) => snapshot.id === target);
}

function gap(index: string, table: SourceTable, from: bigint | null, why: string): LhsError {
  const what = `index "${index}" stands at snapshot ${from} of ${table.name}, but ${why}`;
  return new LhsError('checkpoint_gap', `${what}: its history was expired or rolled back`, {
    hint: `lhs index reindex ${index} builds the index again`,
    details: { checkpoint: from === null ? null : String(from) },
  });
}

/**
 * How many snapshots the table is ahead; undefined where that cannot be told (table gone, history
 * expired).
 */
export async function snapshotsBehind(
  { snapshot, mapping }: Pick<SearchContext, 'snapshot' | 'mapping'>,
  open: () => Promise<SourceTable>,
): Promise<number | undefined> {
  try {
    const table = await open();
    const head = followedSnapshot(table, mapping.definition.source.ref);
    return missingSnapshots(snapshot.commit, table, head, mapping).length;
  } catch (error) {
    if (error instanceof LhsError) return undefined;
    throw error;
  }
}

/** Whether a source snapshot is the index's own, or one of its ancestors. */
export function reaches(
  table: SourceTable,
  checkpoint: { readonly snapshot_id: string | null } | null,
  id: string,
): boolean {
  if (checkpoint?.snapshot_id == null) return false;
  if (checkpoint.snapshot_id === id) return true;
  const own = BigInt(checkpoint.snapshot_id);
  if (!table.snapshots.some((snapshot) => snapshot.id === own)) return false;
  return table.ancestry(own).some((snapshot) => String(snapshot.id) === id);
}
