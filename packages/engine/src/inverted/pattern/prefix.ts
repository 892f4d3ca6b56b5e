import { successor } from '../../base/bytes/byte-order.ts';
import type { Deadline } from '../../base/time/deadline.ts';
import { DICTIONARY_BLOCK } from '../format.ts';
import type { InvertedReader } from '../inverted-reader.ts';
import { EntryWalk } from './entry-walk.ts';
import type { FoundTerms } from './found-terms.ts';
import { blocksBelow, headOf } from './reversed-terms.ts';

/** Dictionary blocks from .. to (inclusive) that may hold terms with a prefix; to < from: none. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/** The blocks that may hold terms that begin with prefix[0 .. length). */
export function blocksOf(
  reader: InvertedReader,
  prefix: Uint8Array,
  length = prefix.length,
): BlockRange {
  const blocks = Math.ceil(reader.termCount / DICTIONARY_BLOCK);
  if (blocks === 0) return { from: 0, to: -1 };
  const own = prefix.subarray(0, length);
  const after = successor(own);
  const from = reader.blockOf(own);
  return { from, to: after === null ? blocks - 1 : reader.blockOf(after, from) };
}

/** The same from the first four bytes of every block, for prefixes of up to so many. */
export function blocksByHead(heads: Uint32Array, prefix: Uint8Array): BlockRange {
  const { length } = prefix;
  const from = Math.max(0, blocksBelow({ heads }, headOf(prefix, 0, length, 0), false) - 1);
  return { from, to: blocksBelow({ heads }, headOf(prefix, 0, length, 255), true) - 1 };
}

/** Adds every term that begins with `prefix`. Throws limit_exceeded once time is over. */
export function findPrefix(
  reader: InvertedReader,
  prefix: Uint8Array,
  into: FoundTerms,
  deadline: Deadline,
): void {
  const { from, to } = blocksOf(reader, prefix);
  if (to < from) return;
  const walk = new EntryWalk({ dictionary: reader.entriesOf(from, to + 1) });
  walk.enter(from);
  const { length } = prefix;
  let common = 0;
  let any = false;
  for (let left = (to - from + 1) * DICTIONARY_BLOCK; left > 0 && walk.next(); left--) {
    if ((left & 0xffff) === 0) deadline.check();
    common = walk.common(prefix, length, common);
    if (common === length) {
      into.add(walk.df, walk.ref);
      any = true;
    } else if (any) return;
  }
}
