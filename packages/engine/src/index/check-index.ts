import { checkSegment } from '../segment/check.ts';
import { findDuplicates } from './duplicates.ts';
import type { IndexSnapshot } from './index-snapshot.ts';
import { PendingSegment } from './pending-segment.ts';

/**
 * Checks a whole index against itself: every segment, then that no key lives twice. Returns the
 * problems; none is good.
 */
export function checkIndex(snapshot: IndexSnapshot): readonly string[] {
  const problems = snapshot.segments.flatMap((segment) =>
    checkSegment(segment, snapshot.files.length, { shards: snapshot.shards.length }),
  );
  if (problems.length > 0) return problems;
  const segments = snapshot.segments.map((reader) => new PendingSegment(reader));
  return findDuplicates(segments, 100).map(
    ({ key, places }) => `key ${Buffer.from(key).toString('hex')} lives ${places.length} times`,
  );
}
