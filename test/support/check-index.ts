import { findDuplicates } from '../../packages/engine/src/index/duplicates.ts';
import type { IndexSnapshot } from '../../packages/engine/src/index/index-snapshot.ts';
import { PendingSegment } from '../../packages/engine/src/index/pending-segment.ts';
import { checkSegment } from '../../packages/engine/src/segment/check.ts';

/**
 * Checks a whole index against itself: every segment, then that no key lives twice. Returns the
 * problems; none is good.
 */
export function checkIndex(snapshot: IndexSnapshot): readonly string[] {
  const problems = snapshot.segments.flatMap((segment) =>
    checkSegment(segment, snapshot.files.size, {
      shards: snapshot.shards.length,
      map: snapshot.commit.shard_map,
      windows: snapshot.commit.windows,
    }),
  );
  if (problems.length > 0) return problems;
  const segments = snapshot.segments.map((reader) => new PendingSegment(reader));
  return findDuplicates(segments, 100).map(
    ({ key, locations: places }) =>
      `key ${Buffer.from(key).toString('hex')} lives ${places.length} times`,
  );
}
