import { ByteSink } from '../../base/arrays/growing.ts';
import { sortingByteStrings } from '../../base/arrays/sort-bytes.ts';
import type { Steps } from '../../base/steps.ts';

/** The keys of a segment in document order: key d = bytes[offsets[d] .. offsets[d + 1]). */
export interface FlatKeys {
  readonly bytes: Uint8Array;
  readonly offsets: Int32Array;
}

/** Receives a key bytes[from .. to), which is valid only during the call. */
export type VisitKey = (bytes: Uint8Array, from: number, to: number) => void;

/** Keys in document order that can be walked more than once. */
export interface KeySource {
  readonly docs: number;
  /** Each visits the next keys; together all. */
  readonly walks: readonly ((visit: VisitKey) => void)[];
  /** All keys in memory. */
  flat(): FlatKeys;
}

/** The keys of a source in memory. */
export function collectKeys({ docs, walks }: Pick<KeySource, 'docs' | 'walks'>): FlatKeys {
  const sink = new ByteSink();
  const offsets = new Int32Array(docs + 1);
  let doc = 0;
  for (const walk of walks) {
    walk((bytes, from, to) => {
      sink.append(bytes, from, to);
      offsets[++doc] = sink.length;
    });
  }
  return { bytes: sink.view(), offsets };
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
