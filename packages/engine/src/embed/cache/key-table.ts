import { KEY_BYTES } from './cache-format.ts';
import type { TextKeys } from './text-keys.ts';

const WORDS = KEY_BYTES / 4;

/**
 * Keys by number, and the numbers of keys: open addressing over the keys' own bits, which are
 * random. Where a key was added twice, the later number is found.
 */
export class KeyTable {
  #words: Int32Array;
  /** Number + 1 of the key in each place; 0: free. At most half are taken. */
  #places: Int32Array;
  #count = 0;

  constructor(capacity = 1024) {
    this.#words = new Int32Array(capacity * WORDS);
    this.#places = new Int32Array(placesFor(capacity));
  }

  /** A table of the keys that stand in a row in `bytes`. */
  static of(bytes: Uint8Array): KeyTable {
    const count = Math.floor(bytes.length / KEY_BYTES);
    const table = new KeyTable(Math.max(1024, count + (count >> 3)));
    new Uint8Array(table.#words.buffer).set(bytes.subarray(0, count * KEY_BYTES));
    for (let number = 0; number < count; number++) table.#place(number);
    table.#count = count;
    return table;
  }

  get count(): number {
    return this.#count;
  }

  /** The number of key `i`, or -1. */
  find({ words }: TextKeys, i: number): number {
    const mask = this.#places.length - 1;
    for (let at = words[i * WORDS] & mask; ; at = (at + 1) & mask) {
      const number = this.#places[at] - 1;
      if (number < 0 || this.#is(number, words, i * WORDS)) return number;
    }
  }

  /** Adds key `i` of `keys`; returns its number. */
  add(keys: TextKeys, i: number): number {
    const number = this.#count;
    if ((number + 1) * WORDS > this.#words.length) this.#grow();
    this.#words.set(keys.words.subarray(i * WORDS, (i + 1) * WORDS), number * WORDS);
    this.#count++;
    this.#place(number);
    return number;
  }

  /** Key bytes of the numbers from .. to: a view that the next `add` may leave behind. */
  bytes(from: number, to: number): Uint8Array {
    return new Uint8Array(this.#words.buffer, from * KEY_BYTES, (to - from) * KEY_BYTES);
  }

  #place(number: number): void {
    const words = this.#words;
    const mask = this.#places.length - 1;
    for (let at = words[number * WORDS] & mask; ; at = (at + 1) & mask) {
      const other = this.#places[at] - 1;
      if (other >= 0 && !this.#is(other, words, number * WORDS)) continue;
      this.#places[at] = number + 1;
      return;
    }
  }

  #is(number: number, words: Int32Array, at: number): boolean {
    const own = this.#words;
    const from = number * WORDS;
    for (let w = 0; w < WORDS; w++) if (own[from + w] !== words[at + w]) return false;
    return true;
  }

  #grow(): void {
    const words = new Int32Array(this.#words.length * 2);
    words.set(this.#words);
    this.#words = words;
    this.#places = new Int32Array(placesFor(words.length / WORDS));
    for (let number = 0; number < this.#count; number++) this.#place(number);
  }
}

function placesFor(keys: number): number {
  let places = 2048;
  while (places < keys * 2) places *= 2;
  return places;
}
