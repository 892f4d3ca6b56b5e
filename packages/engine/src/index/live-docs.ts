import { compareWindows, type WindowStart } from '../schema/windows.ts';
import type { SegmentFlushes } from './segment-flushes.ts';
import type { SegmentSet } from './segment-set.ts';

/** Live documents of one segment, which may still be in memory. */
interface LiveDocs {
  readonly byShard: ReadonlyMap<number, number>;
  /** undefined: the index has no windows. */
  readonly window: WindowStart | undefined;
  readonly docs: number;
}

const ofShard = (shard: number, docs: number, window: WindowStart | undefined): LiveDocs => ({
  ...{ byShard: new Map([[shard, docs]]), docs, window },
});

const liveDocs = (
  { all }: SegmentSet,
  { buffers, unfinished }: SegmentFlushes,
): readonly LiveDocs[] => [
  ...all.map(({ parts, liveDocs: docs, reader }) => {
    return { byShard: parts, docs, window: reader.entry.window };
  }),
  ...unfinished.map(({ shard = 0, docs, window }) => ofShard(shard, docs, window)),
  ...buffers.all.map(({ shard, writer, window }) => ofShard(shard, writer.docs, window)),
];

/** Live documents of a writer by shard. */
export function liveByShard(
  segments: SegmentSet,
  flushes: SegmentFlushes,
  shards: number,
): readonly number[] {
  const found = new Array<number>(shards).fill(0);
  for (const { byShard } of liveDocs(segments, flushes)) {
    for (const [shard, docs] of byShard) found[shard] += docs;
  }
  return found;
}

/** Live documents of a writer by window, in the order of time. */
export function liveByWindow(
  segments: SegmentSet,
  flushes: SegmentFlushes,
): ReadonlyMap<WindowStart, number> {
  const found = new Map<WindowStart, number>();
  for (const { window, docs } of liveDocs(segments, flushes)) {
    if (window !== undefined) found.set(window, (found.get(window) ?? 0) + docs);
  }
  return new Map([...found].sort(([a], [b]) => compareWindows(a, b)));
}
