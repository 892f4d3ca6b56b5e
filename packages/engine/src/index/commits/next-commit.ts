import type { Checkpoint, Commit, CommittedSkips, SegmentLayout } from './commit.ts';
import type { DataFiles } from './data-files.ts';

/** What a commit says besides its segments. */
export interface CommittedState {
  readonly checkpoint: Checkpoint | null;
  readonly files: DataFiles;
  readonly droppedDuplicates?: number;
  readonly skipped?: CommittedSkips | null;
}

/** What the commit after `last` says of its source and layout. */
export function nextCommit(
  last: Commit,
  state: CommittedState,
  { shards, map, windows, keyNumbers }: SegmentLayout,
) {
  const { next_field } = last;
  const dropped = (last.dropped_duplicates ?? 0) + (state.droppedDuplicates ?? 0);
  const skipped = state.skipped === undefined ? last.skipped : state.skipped;
  return {
    number: last.number + 1,
    ...(next_field === undefined ? {} : { next_field }),
    ...(shards > 1 ? { shards } : {}),
    ...(map === undefined ? {} : { shard_map: map }),
    ...(windows === null ? {} : { windows }),
    ...(keyNumbers.length > 0 ? { key_numbers: keyNumbers } : {}),
    files: state.files,
    checkpoint: state.checkpoint,
    ...(dropped > 0 ? { dropped_duplicates: dropped } : {}),
    ...(skipped ? { skipped } : {}),
  } satisfies Partial<Commit>;
}
