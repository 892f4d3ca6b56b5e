import type { FieldPlan } from '../schema/field-plan.ts';
import type { SegmentEntry } from '../segment/entry.ts';
import { mergeSegments } from '../segment/merge.ts';
import type { Directory } from '../storage/directory.ts';
import type { PendingSegment } from './pending-segment.ts';

/** The segment that a merge makes: its name, and how it is opened once its files are there. */
export interface MergeTarget {
  readonly id: string;
  open(entry: SegmentEntry): PendingSegment;
}

/**
 * Merges segments as a writer sees them by now: without documents that have been deleted since
 * their files were written, and with rows that have moved since then at their new places.
 */
export function mergePending(
  sources: readonly PendingSegment[],
  plans: readonly FieldPlan[],
  directory: Directory,
  target: MergeTarget,
): PendingSegment {
  const inputs = sources.map(({ reader, deleted }) => ({ reader, deleted }));
  const { entry, docMaps } = mergeSegments(inputs, plans, directory, target.id);
  const merged = target.open(entry);
  sources.forEach((source, i) => {
    for (const [doc, place] of source.moves) {
      if (docMaps[i][doc] >= 0) merged.move(docMaps[i][doc], place);
    }
  });
  return merged;
}
