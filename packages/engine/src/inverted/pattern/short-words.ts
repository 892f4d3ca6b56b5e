/**
 * Terms of one to four characters by what is left of them when one character is left out: one edit
 * of a word of up to three ASCII letters is a look-up, where halves would be too short to narrow
 * anything. In memory only.
 *
 * Key of a term for each of its characters whose others are ASCII: the others (up to three bytes,
 * 24 bits), how many they are (2 bits), the place of the one left out (2 bits).
 */
import { DICTIONARY_BLOCK } from '../format.ts';
import type { InvertedReader } from '../inverted-reader.ts';
import { EntryWalk } from './entry-walk.ts';
import type { FoundTerms } from './found-terms.ts';

/** Letters of the longest word that is looked for here; terms have one more. */
export const SHORT_LETTERS = 3;
const MAX_CHARS = SHORT_LETTERS + 1;
/** A last term of four characters: three ASCII letters and one of up to four bytes. */
const MAX_BYTES = SHORT_LETTERS + 4;

/** Short terms by key; a term is in it once for each of its keys. */
export interface ShortWords {
  /** Rising. */
  readonly keys: Int32Array;
  /** Numbers of terms in the arrays below. */
  readonly terms: Int32Array;
  readonly dfs: Int32Array;
  readonly refs: Int32Array;
}

/** Reads the short terms of a dictionary. */
export function readShortWords(reader: InvertedReader): ShortWords {
  const keyed: bigint[] = [];
  const dfs: number[] = [];
  const refs: number[] = [];
  const term = new Uint8Array(MAX_BYTES);
  const walk = new EntryWalk(reader);
  for (let i = 0; i < reader.termCount; i++) {
    if (i % DICTIONARY_BLOCK === 0) walk.enter(i / DICTIONARY_BLOCK);
    walk.next();
    // What is cut off here belongs to terms that are too long.
    const length = walk.copy(term);
    if (length > MAX_BYTES) continue;
    const before = keyed.length;
    addKeys(term, length, BigInt(dfs.length), keyed);
    if (keyed.length === before) continue;
    dfs.push(walk.df);
    refs.push(walk.ref);
  }
  const sorted = BigUint64Array.from(keyed).sort();
  const words = new Int32Array(sorted.buffer);
  const keys = new Int32Array(sorted.length);
  const terms = new Int32Array(sorted.length);
  for (let i = 0; i < sorted.length; i++) {
    keys[i] = words[2 * i + 1];
    terms[i] = words[2 * i];
  }
  return { keys, terms, dfs: Int32Array.from(dfs), refs: Int32Array.from(refs) };
}

function addKeys(term: Uint8Array, length: number, number: bigint, into: bigint[]): void {
  const wide = wideCharacter(term, length);
  if (wide === null) return;
  const [from, to] = wide;
  const chars = to === from ? length : length - (to - from) + 1;
  if (chars === 0 || chars > MAX_CHARS) return;
  for (let i = 0; i < chars; i++) {
    if (to > from && i !== from) continue;
    const end = to > from ? to : i + 1;
    into.push((BigInt(keyWithout(term, length, i, end)) << 32n) | number);
  }
}

/**
 * Where the only character beyond ASCII is ([0, 0]: there is none); null: there are several, so
 * that leaving one out leaves another.
 */
function wideCharacter(term: Uint8Array, length: number): readonly [number, number] | null {
  let from = 0;
  let to = 0;
  for (let i = 0; i < length; i++) {
    if (term[i] < 128) continue;
    const lead = (term[i] & 0xc0) !== 0x80;
    if (to > 0 && (lead || i !== to)) return null;
    if (to === 0) from = i;
    to = i + 1;
  }
  return [from, to];
}

/** The key of bytes[0 .. length) without [from, to), one character at place `from`. */
function keyWithout(bytes: Uint8Array, length: number, from: number, to: number): number {
  let rest = 0;
  for (let i = 0; i < length; i++) if (i < from || i >= to) rest = (rest << 8) | bytes[i];
  return (rest << 4) | ((length - (to - from)) << 2) | from;
}

/** Finds the terms within one edit of words of up to SHORT_LETTERS letters, each once. */
export class ShortWordSearch {
  readonly #reader: InvertedReader;
  readonly #words: ShortWords;
  readonly #seen: Int32Array;
  #round = 0;

  constructor(reader: InvertedReader, words: ShortWords) {
    this.#reader = reader;
    this.#words = words;
    this.#seen = new Int32Array(words.dfs.length);
  }

  /** Adds the terms near `word`: one to three ASCII letters. */
  find(word: Uint8Array, into: FoundTerms): void {
    this.#round++;
    const n = word.length;
    for (let i = 0; i <= n; i++) {
      if (i < n) this.#addKey(keyWithout(word, n, i, i + 1), into);
      this.#addKey(keyWithout(word, n, i, i), into);
    }
    for (let i = 0; i < n; i++) {
      if (i === 0 || word[i] !== word[i - 1]) this.#look(without(word, i), into);
      if (i + 1 < n && word[i] !== word[i + 1]) this.#look(swapped(word, i), into);
    }
  }

  #addKey(key: number, into: FoundTerms): void {
    const { keys, terms, dfs, refs } = this.#words;
    let low = 0;
    let high = keys.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (keys[middle] < key) low = middle + 1;
      else high = middle;
    }
    for (; low < keys.length && keys[low] === key; low++) {
      const term = terms[low];
      if (this.#seen[term] === this.#round) continue;
      this.#seen[term] = this.#round;
      into.add(dfs[term], refs[term]);
    }
  }

  #look(word: Uint8Array, into: FoundTerms): void {
    const info = this.#reader.lookup(word);
    if (info !== null) into.add(info.df, info.df < 128 ? info.at : -1 - info.at);
  }
}

function without(word: Uint8Array, at: number): Uint8Array {
  const rest = new Uint8Array(word.length - 1);
  for (let i = 0; i < rest.length; i++) rest[i] = word[i < at ? i : i + 1];
  return rest;
}

function swapped(word: Uint8Array, at: number): Uint8Array {
  const other = word.slice();
  other[at] = word[at + 1];
  other[at + 1] = word[at];
  return other;
}
