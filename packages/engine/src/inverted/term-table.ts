import { LhsError } from '@lakehouse-search/contract';
import { compareBytes } from '../base/byte-order.ts';

/**
 * Distinct terms of a field in one segment: bytes in one pool, numbered as they come, found by open
 * addressing with the hash beside the number.
 */
export class TermTable {
  /** Term t is pool[starts[t] .. starts[t + 1]). */
  pool = new Uint8Array(1 << 16);
  starts = new Int32Array(1 << 12);
  size = 0;
  #slots = new Int32Array(1 << 14);
  #mask = (1 << 13) - 1;

  get bytes(): number {
    return this.pool.length + 4 * (this.starts.length + this.#slots.length);
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
    const id = this.size++;
    if (id >= MAX_TERMS)
      throw new LhsError('limit_exceeded', `more than ${MAX_TERMS} terms in a segment`);
    const end = this.starts[id] + (to - from);
    if (end > this.pool.length) this.pool = grown(this.pool, end);
    const { pool, starts } = this;
    for (let i = from, at = starts[id]; i < to; i++, at++) pool[at] = bytes[i];
    this.#slots[2 * slot] = hash;
    this.#slots[2 * slot + 1] = id + 1;
    if (id + 2 >= starts.length) this.starts = grown(starts, starts.length);
    this.starts[id + 1] = end;
    if (this.size * 2 > this.#mask) this.#rehash();
    return id;
  }

  #rehash(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 2);
    this.#mask = this.#mask * 2 + 1;
    for (let i = 0; i < old.length; i += 2) {
      if (old[i + 1] === 0) continue;
      let slot = mix(old[i]) & this.#mask;
      while (this.#slots[2 * slot + 1] !== 0) slot = (slot + 1) & this.#mask;
      this.#slots[2 * slot] = old[i];
      this.#slots[2 * slot + 1] = old[i + 1];
    }
  }
}

const MAX_TERMS = (1 << 24) - 1;
/** Runs up to this length are sorted by insertion. */
const INSERTION = 16;

function grown<T extends Uint8Array | Int32Array>(array: T, needed: number): T {
  const next = new (array.constructor as new (length: number) => T)(
    Math.max(array.length * 2, needed),
  );
  next.set(array);
  return next;
}

function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0;
  for (let i = from; i < to; i++) hash = (Math.imul(hash ^ bytes[i], 0x01000193) + 0x9e3779b9) | 0;
  return hash;
}

function mix(hash: number): number {
  const folded = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
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
  for (let id = 0; id < size; id++) {
    const start = starts[id];
    const length = starts[id + 1] - start;
    const byte = (i: number) => (i < length ? pool[start + i] : 0);
    words[2 * id + 1] = ((byte(0) << 24) | (byte(1) << 16) | (byte(2) << 8) | byte(3)) >>> 0;
    words[2 * id] = ((byte(4) << 24) | id) >>> 0;
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
