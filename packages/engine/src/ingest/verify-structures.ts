import type { WorkOptions } from '../backend.ts';
import type { IndexSnapshot } from '../index/index-snapshot.ts';
import { checkSegment } from '../segment/check.ts';
import { refuseAborted } from './source-errors.ts';

/**
 * What is wrong inside an index's own structures: every segment against its checksums and against
 * itself. That documents are those of the table, and live once, is not asked here.
 */
export function checkStructures(
  snapshot: IndexSnapshot,
  { onProgress, signal }: WorkOptions,
): readonly string[] {
  const total = snapshot.segments.reduce((sum, { docs }) => sum + docs, 0);
  let done = 0;
  return snapshot.segments.flatMap((segment) => {
    refuseAborted(signal);
    onProgress?.({ phase: 'checking', docs_done: done, docs_total: total });
    done += segment.docs;
    return checkSegment(segment, snapshot.files.length);
  });
}
