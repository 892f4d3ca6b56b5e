import { LhsError } from '@lakehouse-search/contract';
import { releaseArrays } from '../../base/arrays/release-arrays.ts';
import { compareBytes } from '../../base/bytes/byte-order.ts';
import { prefixWord } from '../dictionary-writer.ts';
import { TERM_HASH } from './term-layout.ts';

/** Arrays of a table: bytes of terms, where each begins, and slots of (hash, number + 1). */
export interface TermArrays {
  readonly pool: Uint8Array;
  readonly starts: Int32Array;
  readonly slots: Int32Array;
}

/** Longer arrays with the same contents; arrays of the length that they have may stay. */
export type ResizeTerms = (
  now: TermArrays,
  lengths: Readonly<Record<keyof TermArrays, number>>,
) => TermArrays;

/**
 * Distinct terms of a field in one segment: bytes in one pool, numbered as they come, found by open
 * addressing with the hash beside the number.
 */
export class TermTable {
  /** Term t is pool[starts[t] .. starts[t + 1]). */
  pool: Uint8Array = new Uint8Array(1 << 16);
  starts: Int32Array = new Int32Array(1 << 12);
  size = 0;
  #slots: Int32Array = new Int32Array(1 << 14);
  #mask = (1 << 13) - 1;
  #resizing: ResizeTerms = resizeApart;

  get bytes(): number {
    return this.pool.length + 4 * (this.starts.length + this.#slots.length);
  }

  /** Slots less one. */
  get mask(): number {
    return this.#mask;
  }

  /** Moves the arrays to where `resize` puts them, now and whenever they grow. */
  moveTo(resize: ResizeTerms): void {
    this.#resizing = resize;
    this.#resize({});
  }

  /** Terms that fit before slots or starts have to grow; never over MAX_TERMS. */
  get room(): number {
    return Math.min(this.#mask >> 1, this.starts.length - 2, MAX_TERMS);
  }

  /** Makes room for one more term of up to `length` bytes. Throws limit_exceeded. */
  reserve(length: number): void {
    const { size } = this;
    if (size >= MAX_TERMS)
      throw new LhsError('limit_exceeded', `more than ${MAX_TERMS} terms in a segment`);
    const end = this.starts[size] + length;
    if (end > this.pool.length) this.#resize({ pool: Math.max(this.pool.length * 2, end) });
    if (size + 2 >= this.starts.length) this.#resize({ starts: this.starts.length * 2 });
    if ((size + 1) * 2 > this.#mask) this.#rehash();
  }

  /** The number of a term, a new one where it was not there. */
  add(bytes: Uint8Array, from: number, to: number): number {
    const hash = hashOf(bytes, from, to);
    const length = to - from;
    const { pool, starts } = this;
    const slots = this.#slots;
    for (let slot = mix(hash) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const id = slots[2 * slot + 1] - 1;
      if (id < 0) return this.#insert(slot, hash, bytes, from, to);
      if (slots[2 * slot] !== hash) continue;
      const start = starts[id];
      if (starts[id + 1] - start !== length) continue;
      let i = 0;
      while (i < length && pool[start + i] === bytes[from + i]) i++;
      if (i === length) return id;
    }
  }

  #insert(slot: number, hash: number, bytes: Uint8Array, from: number, to: number): number {
    const mask = this.#mask;
    this.reserve(to - from);
    const id = this.size++;
    const { pool, starts } = this;
    for (let i = from, at = starts[id]; i < to; i++, at++) pool[at] = bytes[i];
    starts[id + 1] = starts[id] + to - from;
    this.#put(mask === this.#mask ? slot : this.#emptySlot(hash), hash, id);
    return id;
  }

  #put(slot: number, hash: number, id: number): void {
    this.#slots[2 * slot] = hash;
    this.#slots[2 * slot + 1] = id + 1;
  }

  #emptySlot(hash: number): number {
    let slot = mix(hash) & this.#mask;
    while (this.#slots[2 * slot + 1] !== 0) slot = (slot + 1) & this.#mask;
    return slot;
  }

  #rehash(): void {
    const old = this.#slots.slice();
    this.#resize({ slots: old.length * 2 });
    this.#slots.fill(0);
    this.#mask = this.#mask * 2 + 1;
    for (let i = 0; i < old.length; i += 2) {
      if (old[i + 1] !== 0) this.#put(this.#emptySlot(old[i]), old[i], old[i + 1] - 1);
    }
  }

  #resize(lengths: Partial<Record<keyof TermArrays, number>>): void {
    const { pool, starts } = this;
    const now = { pool, starts, slots: this.#slots };
    const kept = { pool: pool.length, starts: starts.length, slots: now.slots.length };
    const next = this.#resizing(now, { ...kept, ...lengths });
    this.pool = next.pool;
    this.starts = next.starts;
    this.#slots = next.slots;
  }
}

const MAX_TERMS = (1 << 24) - 1;
const MAX_UINT = 0xffffffff;
/** Runs up to this length are sorted by insertion. */
const INSERTION = 16;

/** Each array in memory of its own. */
const resizeApart: ResizeTerms = ({ pool, starts, slots }, lengths) => ({
  pool: grown(pool, lengths.pool),
  starts: grown(starts, lengths.starts),
  slots: grown(slots, lengths.slots),
});

function grown<T extends Uint8Array | Int32Array>(array: T, length: number): T {
  if (length === array.length) return array;
  const next = new (array.constructor as new (length: number) => T)(length);
  next.set(array);
  return next;
}

/** As the kernel computes it (packages/engine/kernels/inverted). */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = to - from;
  let at = from;
  for (; at + 4 <= to; at += 4) {
    const word = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
    hash = hashWord(hash, word);
  }
  if (at < to) {
    let word = 0;
    for (let shift = 0; at < to; at++, shift += 8) word |= bytes[at] << shift;
    hash = hashWord(hash, word);
  }
  const words = (to - from + 3) >> 2;
  return (words & 1) === 0 ? hash : hashWord(hash, 0);
}

const { rotate: ROTATE, multiply: MULTIPLY, mix: MIX } = TERM_HASH;

const hashWord = (hash: number, word: number): number =>
  Math.imul(((hash << ROTATE) | (hash >>> (32 - ROTATE))) ^ word, MULTIPLY);

function mix(hash: number): number {
  const folded = Math.imul(hash ^ (hash >>> 15), MIX);
  return folded ^ (folded >>> 13);
}

/** Terms by number: term t is pool[starts[t] .. starts[t + 1]). */
export interface PooledTerms {
  readonly pool: Uint8Array;
  readonly starts: Int32Array;
  readonly size: number;
}

/**
 * Term numbers in byte order: a native sort of 64-bit keys (five bytes of prefix, then the number),
 * then runs of equal prefixes by their bytes.
 */
export function termOrder({ pool, starts, size }: PooledTerms): Int32Array {
  const words = new Uint32Array(2 * size);
  const view = new DataView(pool.buffer, pool.byteOffset, pool.byteLength);
  for (let id = 0; id < size; id++) {
    const start = starts[id];
    const length = starts[id + 1] - start;
    if (start + 4 > pool.length) words[2 * id + 1] = prefixWord(pool, start, start + length, 0);
    else {
      const word = view.getUint32(start);
      words[2 * id + 1] = length < 4 ? word & ~(MAX_UINT >>> (8 * length)) : word;
    }
    words[2 * id] = length < 5 ? id : (pool[start + 4] << 24) | id;
  }
  new BigUint64Array(words.buffer).sort();
  const order = new Int32Array(size);
  for (let i = 0; i < size; i++) order[i] = words[2 * i] & 0xffffff;
  for (let i = 0; i < size; ) {
    let end = i + 1;
    while (end < size && samePrefix(words, i, end)) end++;
    if (end - i > 1) sortRun(order.subarray(i, end), pool, starts);
    i = end;
  }
  releaseArrays([words]);
  return order;
}

/** Sorts terms by their bytes. */
function sortRun(run: Int32Array, pool: Uint8Array, starts: Int32Array): void {
  if (run.length > INSERTION) {
    run.sort((a, b) =>
      compareBytes(pool, starts[a], starts[a + 1], pool, starts[b], starts[b + 1]),
    );
    return;
  }
  for (let i = 1; i < run.length; i++) {
    const id = run[i];
    const [from, to] = [starts[id], starts[id + 1]];
    let j = i;
    for (; j > 0; j--) {
      const other = run[j - 1];
      if (compareBytes(pool, starts[other], starts[other + 1], pool, from, to) <= 0) break;
      run[j] = other;
    }
    run[j] = id;
  }
}

function samePrefix(words: Uint32Array, a: number, b: number): boolean {
  return words[2 * a + 1] === words[2 * b + 1] && words[2 * a] >>> 24 === words[2 * b] >>> 24;
}
