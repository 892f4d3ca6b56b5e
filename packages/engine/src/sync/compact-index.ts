/**
 * Compaction of an index, without its table: segments are merged to few and deleted documents are
 * left out, one merge after the other beside searches; one commit at the end makes all of it
 * visible. Stopped or failed, the commit before stays in force and what was written goes.
 */
import { type CallContext, type CompactResponse, LhsError } from '@lakehouse-search/contract';
import { BackgroundMerges, type MergeRunner } from '../index/background-merges.ts';
import { type Commit, commitBytes, readCommit } from '../index/commit.ts';
import { IndexWriter } from '../index/index-writer.ts';
import { costOf, type MergePlan } from '../index/merge-plan.ts';
import { storedPlans } from '../index/stored-plans.ts';
import type { Directory } from '../storage/directory.ts';
import { compactionSettings } from './build-resources.ts';
import { requireMergeRoom } from './disk-room.ts';
import { mergeProgress } from './merge-progress.ts';

/** What to compact: a generation whose index is locked, and where its merges run. */
export interface CompactRequest extends CallContext {
  readonly directory: Directory;
  readonly runner: MergeRunner;
  /** At most so many segments are left, as far as limits of their size allow. */
  readonly segments: number;
  readonly freeBytes: () => number;
}

/** Compacts. Throws index_not_built, disk_short, interrupted, disk_full, io_error. */
export async function compactIndex(
  request: CompactRequest,
): Promise<Omit<CompactResponse, 'took_ms'>> {
  const { directory, runner, segments, signal } = request;
  const before = readCommit(directory);
  if (before === null) {
    throw new LhsError('index_not_built', `"${directory.path}" holds no commit`, {
      hint: 'a reindex builds the index',
      next: [{ step: 'reindex' }],
    });
  }
  const writer = IndexWriter.open(directory, storedPlans(before));
  const merges = new BackgroundMerges(writer, runner);
  const progress = mergeProgress(request);
  try {
    const planned = (plans: readonly MergePlan[]) => {
      const bytes = plans.reduce((sum, plan) => sum + costOf(plan).bytes, 0);
      requireMergeRoom(bytes, request.freeBytes(), directory.path);
      progress.planned(plans);
    };
    const { report } = progress;
    const settings = compactionSettings();
    const count = await merges.force(segments, { planned, report, signal, settings });
    const { checkpoint, files } = before;
    const after = count === 0 ? before : writer.commit({ checkpoint, files });
    return answer(before, after);
  } finally {
    await merges.close();
    writer.close();
  }
}

function answer(before: Commit, after: Commit): Omit<CompactResponse, 'took_ms'> {
  return {
    segments_before: before.segments.length,
    segments_after: after.segments.length,
    bytes_before: commitBytes(before),
    bytes_after: commitBytes(after),
  };
}
