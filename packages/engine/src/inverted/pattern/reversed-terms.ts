import { DICTIONARY_BLOCK } from '../format.ts';
import type { InvertedReader } from '../inverted-reader.ts';
import { type PooledTerms, termOrder } from '../write/term-table.ts';
import { EntryWalk } from './entry-walk.ts';

/** Longer terms are left out: an entry's lengths are single bytes. */
export const LONGEST_REVERSED = 250;

/**
 * The terms of a dictionary read backwards, in the order of their reversed bytes; in memory only.
 * Blocks of 16 entries: shared u8, rest u8, rest bytes.
 */
export interface ReversedTerms {
  readonly size: number;
  readonly bytes: Uint8Array;
  /** Where each block begins in `bytes`. */
  readonly starts: Int32Array;
  /** The first four reversed bytes of each block's first term, the first one highest. */
  readonly heads: Uint32Array;
  /** Documents and refs (EntryWalk.ref) of the terms in this order. */
  readonly dfs: Int32Array;
  readonly refs: Int32Array;
}

/** Reverses a dictionary: one walk, one sort. */
export function reverseTerms(reader: InvertedReader): ReversedTerms {
  const pool = readReversed(reader);
  const order = termOrder(pool);
  const blocks = Math.ceil(order.length / DICTIONARY_BLOCK);
  const reversed = {
    size: order.length,
    bytes: new Uint8Array(pool.starts[pool.size] + 2 * order.length),
    starts: new Int32Array(blocks),
    heads: new Uint32Array(blocks),
    dfs: new Int32Array(order.length),
    refs: new Int32Array(order.length),
  };
  const length = encode(pool, order, reversed);
  return { ...reversed, bytes: reversed.bytes.slice(0, length) };
}

/** Reversed terms by their number in the dictionary, long ones left out. */
interface TermPool extends PooledTerms {
  readonly dfs: Int32Array;
  readonly refs: Int32Array;
}

function readReversed(reader: InvertedReader): TermPool {
  const { termCount } = reader;
  const starts = new Int32Array(termCount + 1);
  const dfs = new Int32Array(termCount);
  const refs = new Int32Array(termCount);
  const term = new Uint8Array(LONGEST_REVERSED + 1);
  let pool = new Uint8Array(16 * termCount + LONGEST_REVERSED);
  let size = 0;
  const walk = new EntryWalk(reader);
  for (let i = 0; i < termCount; i++) {
    if (i % DICTIONARY_BLOCK === 0) walk.enter(i / DICTIONARY_BLOCK);
    walk.next();
    // What is cut off here belongs to terms that are left out.
    const length = walk.copy(term);
    if (length > LONGEST_REVERSED) continue;
    const start = starts[size];
    if (start + length > pool.length) pool = doubled(pool);
    for (let j = 0; j < length; j++) pool[start + j] = term[length - 1 - j];
    dfs[size] = walk.df;
    refs[size] = walk.ref;
    starts[++size] = start + length;
  }
  return { pool, starts, size, dfs, refs };
}

/** A copy with twice the room. */
export function doubled(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const next = new Uint8Array(2 * bytes.length);
  next.set(bytes);
  return next;
}

/** Writes the entries; returns the bytes that they take. */
function encode({ pool, starts, dfs, refs }: TermPool, order: Int32Array, to: ReversedTerms) {
  let at = 0;
  for (let i = 0; i < order.length; i++) {
    const id = order[i];
    const start = starts[id];
    const length = starts[id + 1] - start;
    let shared = 0;
    if (i % DICTIONARY_BLOCK === 0) {
      to.starts[i / DICTIONARY_BLOCK] = at;
      to.heads[i / DICTIONARY_BLOCK] = headOf(pool, start, length, 0);
    } else {
      const before = order[i - 1];
      const other = starts[before];
      const most = Math.min(length, starts[before + 1] - other);
      while (shared < most && pool[start + shared] === pool[other + shared]) shared++;
    }
    to.bytes[at++] = shared;
    to.bytes[at++] = length - shared;
    for (let j = shared; j < length; j++) to.bytes[at++] = pool[start + j];
    to.dfs[i] = dfs[id];
    to.refs[i] = refs[id];
  }
  return at;
}

/** The first four bytes as a number; missing ones are `fill`. */
export function headOf(bytes: Uint8Array, from: number, length: number, fill: number): number {
  const byte = (i: number) => (i < length ? bytes[from + i] : fill);
  return ((byte(0) << 24) | (byte(1) << 16) | (byte(2) << 8) | byte(3)) >>> 0;
}

/** Number of blocks whose first term's head is below (with `equal`, or at) a head. */
export function blocksBelow(
  { heads }: Pick<ReversedTerms, 'heads'>,
  head: number,
  equal: boolean,
): number {
  let low = 0;
  let high = heads.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (heads[middle] < head || (equal && heads[middle] === head)) low = middle + 1;
    else high = middle;
  }
  return low;
}
