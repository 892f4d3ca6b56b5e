import { KEY_BYTES } from './cache-format.ts';
import type { TextKeys } from './text-keys.ts';

const WORDS = KEY_BYTES / 4;
/** While fewer keys than this share of the table were asked for, it is gone through instead. */
const FEW_SHARE = 1 / 16;

/**
 * Keys by number, and the numbers of keys. Where a key was added twice, the later number is found.
 * Keys are random, so their own bits give their slots in an open-addressed table. It is built only
 * to look up many keys: for a few, it costs more than one scan of all keys.
 */
export class KeyTable {
  #words: Int32Array;
  #count: number;
  /** Number + 1 of the key in each place, 0: free; at most half are taken. null: not built. */
  #places: Int32Array | null;
  #requested = 0;

  constructor(capacity = 1024) {
    this.#words = new Int32Array(capacity * WORDS);
    this.#places = new Int32Array(placesFor(capacity));
    this.#count = 0;
  }

  /** A table of the keys that stand in a row in `bytes`, which it takes over. */
  static of(bytes: Uint8Array): KeyTable {
    const table = new KeyTable(1);
    table.#words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    table.#count = Math.floor(bytes.length / KEY_BYTES);
    table.#places = null;
    return table;
  }

  get count(): number {
    return this.#count;
  }

  /** The number of each key, or -1. */
  findAll(keys: TextKeys): Int32Array {
    this.#requested += keys.count;
    if (this.#places === null && this.#requested < this.#count * FEW_SHARE) return this.#scan(keys);
    const found = new Int32Array(keys.count);
    for (let i = 0; i < keys.count; i++) found[i] = this.find(keys, i);
    return found;
  }

  /** The number of key `i`, or -1. */
  find({ words }: TextKeys, i: number): number {
    const places = this.#built();
    const mask = places.length - 1;
    for (let at = words[i * WORDS] & mask; ; at = (at + 1) & mask) {
      const number = places[at] - 1;
      if (number < 0 || this.#is(number, words, i * WORDS)) return number;
    }
  }

  /** Adds key `i` of `keys`; returns its number. */
  add(keys: TextKeys, i: number): number {
    const number = this.#count;
    if ((number + 1) * WORDS > this.#words.length) this.#grow();
    for (let w = 0; w < WORDS; w++) this.#words[number * WORDS + w] = keys.words[i * WORDS + w];
    this.#count++;
    if (this.#places !== null) this.#place(this.#places, number);
    return number;
  }

  /** Key bytes of the numbers from .. to: a view that the next `add` may leave behind. */
  bytes(from: number, to: number): Uint8Array {
    const { buffer, byteOffset } = this.#words;
    return new Uint8Array(buffer, byteOffset + from * KEY_BYTES, (to - from) * KEY_BYTES);
  }

  /** Visits all keys and looks each up among the requested ones. */
  #scan(keys: TextKeys): Int32Array {
    const wanted = new KeyTable(keys.count);
    for (let i = 0; i < keys.count; i++) wanted.add(keys, i);
    const found = new Int32Array(keys.count).fill(-1);
    const own: TextKeys = { count: this.#count, bytes: new Uint8Array(), words: this.#words };
    for (let number = 0; number < this.#count; number++) {
      const request = wanted.find(own, number);
      if (request >= 0) found[request] = number;
    }
    // A key that is requested twice is found at its later index.
    for (let i = 0; i < keys.count; i++) found[i] = found[wanted.find(keys, i)];
    return found;
  }

  #built(): Int32Array {
    if (this.#places !== null) return this.#places;
    const room = Math.max(this.#words.length / WORDS, this.#count * 1.5);
    const places = new Int32Array(placesFor(room));
    for (let number = 0; number < this.#count; number++) this.#place(places, number);
    this.#places = places;
    return places;
  }

  #place(places: Int32Array, number: number): void {
    const words = this.#words;
    const mask = places.length - 1;
    for (let at = words[number * WORDS] & mask; ; at = (at + 1) & mask) {
      const other = places[at] - 1;
      if (other >= 0 && !this.#is(other, words, number * WORDS)) continue;
      places[at] = number + 1;
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
    const words = new Int32Array(Math.max(1024, this.#words.length + (this.#words.length >> 1)));
    words.set(this.#words);
    this.#words = words;
    if (this.#places === null || this.#places.length >= placesFor(words.length / WORDS)) return;
    this.#places = null;
    this.#built();
  }
}

function placesFor(keys: number): number {
  let places = 2048;
  while (places < keys * 2) places *= 2;
  return places;
}
