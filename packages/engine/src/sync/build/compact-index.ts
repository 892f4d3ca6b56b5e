/**
 * Compaction of an index, without its table: segments are merged to few and deleted documents are
 * left out, one merge after the other beside searches; one commit at the end makes all of it
 * visible. Stopped or failed, the commit before stays in force and what was written goes.
 */
import { type CompactResponse, LhsError } from '@lakehouse-search/contract';
import { type Commit, commitBytes, readCommit } from '../../index/commits/commit.ts';
import { compactionSettings } from './build-resources.ts';
import { type ForcedMerges, withForcedMerges } from './forced-merges.ts';

/** What to compact: a generation whose index is locked, and where its merges run. */
export interface CompactRequest extends ForcedMerges {
  /** At most so many segments are left, as far as limits of their size allow. */
  readonly segments: number;
}

/** Compacts. Throws index_not_built, disk_short, interrupted, disk_full, io_error. */
export async function compactIndex(
  request: CompactRequest,
): Promise<Omit<CompactResponse, 'took_ms'>> {
  const { directory, segments } = request;
  const before = readCommit(directory);
  if (before === null) {
    throw new LhsError('index_not_built', `"${directory.path}" holds no commit`, {
      hint: 'a reindex builds the index',
      next: [{ step: 'reindex' }],
    });
  }
  return withForcedMerges(request, before, async (writer, merges, options) => {
    const settings = compactionSettings();
    const count = await merges.force(segments, { ...options, settings });
    const { checkpoint, files } = before;
    if (count === 0) return answer(before, before);
    return answer(before, await writer.commitPublished({ checkpoint, files }));
  });
}

function answer(before: Commit, after: Commit): Omit<CompactResponse, 'took_ms'> {
  return {
    segments_before: before.segments.length,
    segments_after: after.segments.length,
    bytes_before: commitBytes(before),
    bytes_after: commitBytes(after),
  };
}
