import { lowerBoundBy } from '../../base/arrays/lower-bound.ts';
import { compareBytes } from '../../base/bytes/byte-order.ts';
import type { InvertedReader } from '../inverted-reader.ts';
import type { BlockRange } from './prefix.ts';

/** Bytes of a term that the index of blocks has. */
const HEAD_BYTES = 8;
/** Blocks are looked at together, as many as have about so many bytes. */
const STEP_BYTES = 2 ** 16;

/**
 * Dictionary blocks that may hold terms of a set, by the first bytes of some blocks; no other block
 * is read. `next`: where the first term of the set that is not below a term is, or before it;
 * undefined: there is none.
 */
export function possibleBlocks(
  reader: InvertedReader,
  next: (term: Uint8Array) => Uint8Array | undefined,
): readonly BlockRange[] {
  const blocks = reader.dictionaryBlocks;
  const step = Math.ceil((STEP_BYTES * blocks) / Math.max(1, reader.dictionaryBytes));
  const ranges: { readonly from: number; to: number }[] = [];
  for (let from = 0; from < blocks; ) {
    const head = reader.blockHead(from);
    const target = next(head.subarray(0, head.findLastIndex((byte) => byte !== 0) + 1));
    if (target === undefined) break;
    const end = Math.min(from + step, blocks);
    if (end === blocks || !isBelow(reader.blockHead(end), target)) {
      if (ranges.at(-1)?.to === from - 1) ranges.at(-1)!.to = end - 1;
      else ranges.push({ from, to: end - 1 });
      from = end;
    } else {
      const above = lowerBoundBy(end, blocks, (at) => !isBelow(reader.blockHead(at), target));
      from = Math.max(end, above - 1);
    }
  }
  return ranges;
}

/** Whether the first bytes of a term are below those of another one. */
function isBelow(head: Uint8Array, term: Uint8Array): boolean {
  const own = new Uint8Array(HEAD_BYTES);
  own.set(term.subarray(0, HEAD_BYTES));
  return compareBytes(head, 0, HEAD_BYTES, own, 0, HEAD_BYTES) < 0;
}
