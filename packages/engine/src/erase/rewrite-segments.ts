import type { CallContext } from '@lakehouse-search/contract';
import { BackgroundMerges, type MergeRunner } from '../index/background-merges.ts';
import { readCommit } from '../index/commit.ts';
import { IndexWriter } from '../index/index-writer.ts';
import { costOf, type MergePlan } from '../index/merge-plan.ts';
import { storedPlans } from '../index/stored-plans.ts';
import { SegmentReader } from '../segment/segment-reader.ts';
import type { Directory } from '../storage/directory.ts';
import { Verification } from '../storage/verification.ts';
import { requireMergeRoom } from '../sync/disk-room.ts';
import { mergeProgress } from '../sync/merge-progress.ts';
import type { ErasedKeys } from './erased-keys.ts';

/** A generation to rewrite: its index is locked. */
export interface RewriteRequest extends CallContext {
  readonly directory: Directory;
  readonly runner: MergeRunner;
  readonly keys: ErasedKeys;
  readonly freeBytes: () => number;
}

/**
 * Writes each segment again that has deleted documents with one of the keys, removes files that no
 * commit names, and forgets skipped rows that mention a key. One commit makes it visible; stopped
 * before that, the commit before stays in force. Returns the number of segments. Throws disk_short,
 * interrupted, disk_full, io_error.
 */
export async function rewriteSegments(request: RewriteRequest): Promise<number> {
  const { directory, runner, keys, signal } = request;
  const before = readCommit(directory);
  if (before === null) return 0;
  const ids = new Set(
    before.segments.filter((entry) => holdsKey(request, entry)).map(({ id }) => id),
  );
  const { skipped, checkpoint, files } = before;
  const first = skipped?.first.filter(
    ({ key, reason }) => keys.mentionedIn(`${key ?? ''}\n${reason}`) === undefined,
  );
  const forgets = first !== undefined && first.length < (skipped?.first.length ?? 0);
  // opening the writer removes files that no commit names
  const writer = IndexWriter.open(directory, storedPlans(before));
  const merges = new BackgroundMerges(writer, runner);
  const progress = mergeProgress(request);
  try {
    const planned = (plans: readonly MergePlan[]) => {
      const bytes = plans.reduce((sum, plan) => sum + costOf(plan).bytes, 0);
      requireMergeRoom(bytes, request.freeBytes(), directory.path);
      progress.planned(plans);
    };
    if (ids.size > 0) await merges.rewrite(ids, { planned, report: progress.report, signal });
    if (ids.size > 0 || forgets) {
      const left = forgets && skipped !== undefined ? { skipped: { ...skipped, first } } : {};
      writer.commit({ checkpoint, files, ...left });
    }
    return ids.size;
  } finally {
    await merges.close();
    writer.close();
  }
}

/** Whether a segment has a deleted document with one of the keys. */
export function holdsKey(
  { directory, keys }: RewriteRequest,
  entry: Parameters<typeof SegmentReader.open>[1],
): boolean {
  if (entry.deletedDocs === 0) return false;
  const reader = SegmentReader.open(directory, entry, new Verification(directory));
  try {
    let holds = false;
    keys.find(reader.keys, (_, doc) => {
      holds ||= reader.isDeleted(doc);
    });
    return holds;
  } finally {
    reader.release();
  }
}
