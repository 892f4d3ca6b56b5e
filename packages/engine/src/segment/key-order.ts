import { sortingByteStrings } from '../base/sort-bytes.ts';
import type { Steps } from '../base/steps.ts';

/** The keys of a segment in document order: key d = bytes[offsets[d] .. offsets[d + 1]). */
export interface FlatKeys {
  readonly bytes: Uint8Array;
  readonly offsets: Int32Array;
}

/** Number of keys. */
export const keyCount = ({ offsets }: FlatKeys): number => offsets.length - 1;

/** By document: the rank of its key in byte order; equal keys rank in document order. */
export function* rankingKeys({ bytes, offsets }: FlatKeys): Steps<Int32Array> {
  const order = new Int32Array(offsets.length - 1);
  for (let doc = 0; doc < order.length; doc++) order[doc] = doc;
  yield* sortingByteStrings(order, bytes, offsets);
  const ranks = new Int32Array(order.length);
  for (let rank = 0; rank < order.length; rank++) ranks[order[rank]] = rank;
  return ranks;
}
