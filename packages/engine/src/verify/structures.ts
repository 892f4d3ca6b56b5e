import type { CallContext } from '@lakehouse-search/contract';
import type { IndexSnapshot } from '../index/index-snapshot.ts';
import { checkSegment } from '../segment/check.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import { refuseAborted } from '../source/source-errors.ts';
import { withColdBytes } from '../storage/cold-cache.ts';

/** Finds what is wrong inside an index's own structures, here or in another thread. */
export type StructureCheck = (
  snapshot: IndexSnapshot,
  work: CallContext,
) => Promise<readonly string[]>;

/** Runs a check of a cold segment with all of its bytes. */
const withFiles = (segment: SegmentReader, check: () => readonly string[]) =>
  withColdBytes(check, () => segment.demandFiles());

/**
 * The check in this thread. That documents are those of the table, and live in one segment only, is
 * not checked here: the comparison finds it.
 */
export const checkHere: StructureCheck = async (snapshot, { progress, signal }) => {
  const { segments, files, shards, commit } = snapshot;
  const map = commit.shard_map;
  const docs_total = segments.reduce((sum, { docs }) => sum + docs, 0);
  let docs_done = 0;
  const problems: string[] = [];
  for (const segment of segments) {
    refuseAborted(signal);
    progress?.({ phase: 'checking', docs_done, docs_total });
    docs_done += segment.docs;
    const { windows } = commit;
    const check = () => checkSegment(segment, files.size, { shards: shards.length, map, windows });
    problems.push(...(segment.isCold ? await withFiles(segment, check) : check()));
  }
  return problems;
};
