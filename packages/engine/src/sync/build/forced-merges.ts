import type { CallContext } from '@lakehouse-search/contract';
import type { Commit, PublishCommit } from '../../index/commits/commit.ts';
import { IndexWriter } from '../../index/index-writer.ts';
import {
  BackgroundMerges,
  type ForceOptions,
  type MergeRunner,
} from '../../index/merges/background-merges.ts';
import { costOf } from '../../index/merges/merge-plan.ts';
import { storedPlans } from '../../index/merges/stored-plans.ts';
import type { Directory } from '../../storage/directory.ts';
import { requireMergeRoom } from './disk-room.ts';
import { mergeProgress } from './merge-progress.ts';

/** A locked generation, and where its merges run. */
export interface ForcedMerges extends CallContext {
  readonly directory: Directory;
  readonly runner: MergeRunner;
  /** Decides over its commit. Absent: it is in force at once. */
  readonly publish?: PublishCommit | undefined;
  readonly freeBytes: () => number;
}

/**
 * Opens a writer on a commit, which removes files that no commit names, and lets `run` merge and
 * commit. The options check the free disk space and report progress. Returns the result of `run`;
 * throws as it does, and disk_short.
 */
export async function withForcedMerges<T>(
  request: ForcedMerges,
  before: Commit,
  run: (writer: IndexWriter, merges: BackgroundMerges, options: ForceOptions) => Promise<T>,
): Promise<T> {
  const { directory, runner, publish, signal } = request;
  const writer = IndexWriter.open(directory, storedPlans(before), { publish });
  const merges = new BackgroundMerges(writer, runner);
  const { planned, report } = mergeProgress(request);
  const checked: ForceOptions['planned'] = (plans) => {
    const bytes = plans.reduce((sum, plan) => sum + costOf(plan).bytes, 0);
    requireMergeRoom(bytes, request.freeBytes(), directory.path);
    planned(plans);
  };
  try {
    return await run(writer, merges, { planned: checked, report, signal });
  } finally {
    await merges.close();
    writer.close();
  }
}
