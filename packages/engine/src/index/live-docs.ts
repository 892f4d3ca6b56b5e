import { compareWindows, type WindowStart } from '../schema/windows.ts';
import type { SegmentFlushes } from './segment-flushes.ts';
import type { SegmentSet } from './segment-set.ts';

/** Live documents of a writer by shard. */
export function liveByShard(
  segments: SegmentSet,
  { buffers, unfinished }: SegmentFlushes,
  shards: number,
): readonly number[] {
  const docs = Array.from({ length: shards }, (_, shard) => buffers.docsOf(shard));
  for (const { shard, liveDocs } of segments.all) docs[shard] += liveDocs;
  for (const entry of unfinished) docs[entry.shard ?? 0] += entry.docs;
  return docs;
}

/** Live documents of a writer by window, in the order of time. */
export function liveByWindow(
  segments: SegmentSet,
  { buffers }: SegmentFlushes,
): ReadonlyMap<WindowStart, number> {
  const docs = new Map<WindowStart, number>();
  const add = (window: WindowStart | undefined, count: number) => {
    if (window !== undefined) docs.set(window, (docs.get(window) ?? 0) + count);
  };
  for (const { reader, liveDocs } of segments.all) add(reader.entry.window, liveDocs);
  for (const { window, writer } of buffers.all) add(window, writer.docs);
  return new Map([...docs].sort(([a], [b]) => compareWindows(a, b)));
}
