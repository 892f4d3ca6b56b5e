import type { SegmentReader } from '../../segment/segment-reader.ts';
import type { BoundSegmentDocs } from '../bind/precomputed.ts';
import type { SegmentLeaf } from './leaf.ts';
import { precomputedLeaf } from './precomputed-leaf.ts';

/** The live documents of a segment with one of the keys, each with the score `boost`. */
export function keysLeaf(
  keys: readonly Uint8Array[],
  reader: SegmentReader,
  boost: number,
): SegmentLeaf {
  const found = keys.map((key) => reader.keys.find(key)).filter((doc) => doc >= 0);
  const docs = Int32Array.from(new Set(found)).sort();
  const own: BoundSegmentDocs = { docs, scores: new Float64Array(docs.length).fill(1) };
  return { ...precomputedLeaf(own, boost), constant: boost };
}
