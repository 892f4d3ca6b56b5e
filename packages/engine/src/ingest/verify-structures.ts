import type { WorkOptions } from '../backend.ts';
import type { IndexSnapshot } from '../index/index-snapshot.ts';
import { checkSegment } from '../segment/check.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import { refuseAborted } from './source-errors.ts';

/** Finds what is wrong inside an index's own structures, here or in another thread. */
export type StructureCheck = (
  snapshot: IndexSnapshot,
  work: WorkOptions,
) => Promise<readonly string[]>;

/** What is wrong inside segments: each against its checksums and against itself. */
export function checkStructures(
  segments: readonly SegmentReader[],
  files: number,
  told: (docs: number) => void = () => {},
): readonly string[] {
  let done = 0;
  return segments.flatMap((segment) => {
    told(done);
    done += segment.docs;
    return checkSegment(segment, files);
  });
}

/**
 * The check in this thread. That documents are those of the table, and live in one segment only, is
 * not asked: the comparison says it.
 */
export const checkHere: StructureCheck = async (snapshot, { onProgress, signal }) => {
  const docs_total = snapshot.segments.reduce((sum, { docs }) => sum + docs, 0);
  return checkStructures(snapshot.segments, snapshot.files.length, (docs_done) => {
    refuseAborted(signal);
    onProgress?.({ phase: 'checking', docs_done, docs_total });
  });
};
