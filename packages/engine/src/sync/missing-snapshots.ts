import { type HealReason, LhsError } from '@lakehouse-search/contract';
import type { Snapshot, SourceTable } from '@lakehouse-search/lake';
import type { Checkpoint, Commit } from '../index/commits/commit.ts';
import type { Mapping } from '../schema/mapping.ts';
import type { LocalContext } from '../search/context.ts';
import { followedSnapshot } from '../source/source-table.ts';
import { requireCheckpoint, requireSameTable } from './source-state.ts';

/** How an index gets from its checkpoint to a snapshot of its table. */
export type Way =
  /** Snapshot by snapshot, oldest first; none where it is there. */
  | { readonly kind: 'steps'; readonly steps: readonly Snapshot[] }
  /** In one step between the two file sets: the checkpoint's snapshot is not on the way. */
  | { readonly kind: 'heal'; readonly reason: HealReason };

/**
 * The way from a commit's checkpoint to `target` (null: the table has no snapshot). Throws
 * index_not_built, source_changed.
 */
export function wayTo(
  commit: Commit,
  table: SourceTable,
  target: bigint | null,
  { definition: { index, source } }: Pick<Mapping, 'definition'>,
): Way {
  const checkpoint = requireCheckpoint(commit, index);
  requireSameTable(checkpoint, table, index);
  const from = checkpoint.snapshot_id === null ? null : BigInt(checkpoint.snapshot_id);
  if (target === from) return { kind: 'steps', steps: [] };
  const ancestors = target === null ? [] : table.ancestry(target).toReversed();
  if (from === null) return { kind: 'steps', steps: ancestors };
  const at = ancestors.findIndex((snapshot) => snapshot.id === from);
  if (at >= 0) return { kind: 'steps', steps: ancestors.slice(at + 1) };
  return { kind: 'heal', reason: healReason(checkpoint, from, table, target, source.ref) };
}

/** So many snapshots are applied one by one. */
const MAX_SINGLE = 16;

/** Whether one step goes over all snapshots of a way; `net`: as required. */
export const isNet = ({ length }: readonly Snapshot[], net = length > MAX_SINGLE): boolean =>
  net && length > 1;

function healReason(
  checkpoint: Pick<Checkpoint, 'ref'>,
  from: bigint,
  table: SourceTable,
  target: bigint | null,
  ref: string | undefined,
): HealReason {
  if (checkpoint.ref !== ref) return 'ref_changed';
  if (target === null) return 'rolled_back';
  if (!table.snapshots.some((snapshot) => snapshot.id === from)) return 'snapshot_expired';
  const back = table.ancestry(from).some((snapshot) => snapshot.id === target);
  return back ? 'rolled_back' : 'diverged';
}

/**
 * Number of steps that a sync would apply to reach `table` (a heal is one step); null if the table
 * is another one, or its history cannot be read.
 */
export function snapshotsBehind(
  { snapshot, mapping }: Pick<LocalContext, 'snapshot' | 'mapping'>,
  table: SourceTable,
): number | null {
  try {
    const head = followedSnapshot(table, mapping.definition.source.ref);
    const way = wayTo(snapshot.commit, table, head, mapping);
    return way.kind === 'heal' ? 1 : way.steps.length;
  } catch (error) {
    if (error instanceof LhsError) return null;
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
