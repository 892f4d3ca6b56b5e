/**
 * The terms within one edit of a word, by halves. One edit leaves what stands before a cut or what
 * stands behind it as it is, or swaps the two characters at it:
 *
 * 1. Of all cuts between characters that one is taken for which fewest dictionary blocks begin like
 *    the part before, and fewest blocks of the reversed dictionary like the part behind.
 * 2. Both ranges are read from end to end; what an entry shares with the one before it tells how
 *    far it agrees with the word.
 * 3. The word with the characters at the cut swapped is looked up.
 */
import { DICTIONARY_BLOCK } from '../format.ts';
import type { InvertedReader } from '../inverted-reader.ts';
import { EntryWalk } from './entry-walk.ts';
import type { FoundTerms } from './found-terms.ts';
import { type BlockRange, blocksOf } from './prefix.ts';
import { blocksBelow, headOf, LONGEST_REVERSED, type ReversedTerms } from './reversed-terms.ts';

/** Longer words than this may have a neighbour that the reversed dictionary leaves out. */
export const LONGEST_NEAR = LONGEST_REVERSED - 4;

/** A word, forwards and backwards. */
interface Word {
  readonly bytes: Uint8Array;
  readonly reversed: Uint8Array;
  readonly ascii: boolean;
}

/** Where a word is cut, and which blocks have to be read then. */
interface Cut {
  readonly at: number;
  readonly before: BlockRange;
  readonly behind: BlockRange;
}

/** Finds the terms within one edit, each once. */
export class NearSearch {
  readonly #reader: InvertedReader;
  readonly #reversed: ReversedTerms;
  /** Terms may be longer than words; what is cut off belongs to those that are too long. */
  readonly #term = new Uint8Array(LONGEST_REVERSED + 8);
  readonly #turned = new Uint8Array(LONGEST_REVERSED + 8);

  constructor(reader: InvertedReader, reversed: ReversedTerms) {
    this.#reader = reader;
    this.#reversed = reversed;
  }

  /** Adds the terms near a word of two characters or more, up to LONGEST_NEAR bytes of UTF-8. */
  find(bytes: Uint8Array, into: FoundTerms): void {
    const reversed = bytes.slice().reverse();
    const word = { bytes, reversed, ascii: bytes.every((byte) => byte < 128) };
    const cut = this.#bestCut(word);
    this.#readBefore(word, cut, into);
    this.#readBehind(word, cut, into);
    this.#lookSwapped(word, cut.at, into);
  }

  #bestCut(word: Word): Cut {
    let best: Cut | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (let at = 1; at < word.bytes.length; at++) {
      if ((word.bytes[at] & 0xc0) === 0x80) continue;
      const before = blocksOf(this.#reader, word.bytes, at);
      if (before.to - before.from >= least) continue;
      const behind = this.#blocksBehind(word.reversed, word.bytes.length - at);
      const cost = before.to - before.from + behind.to - behind.from;
      if (cost >= least) continue;
      least = cost;
      best = { at, before, behind };
    }
    if (best === null) throw new TypeError('a word of one character has no halves');
    return best;
  }

  /** Blocks of the reversed dictionary that may hold word[0 .. length) at their start. */
  #blocksBehind(word: Uint8Array, length: number): BlockRange {
    const from = blocksBelow(this.#reversed, headOf(word, 0, length, 0), false) - 1;
    const to = blocksBelow(this.#reversed, headOf(word, 0, length, 255), true) - 1;
    return { from: Math.max(0, from), to };
  }

  #readBefore({ bytes, ascii }: Word, { at, before }: Cut, into: FoundTerms): void {
    const n = bytes.length;
    const term = this.#term;
    const last = bytes[n - 1];
    const walk = new EntryWalk(this.#reader);
    walk.enter(before.from);
    let common = 0;
    let left = (before.to - before.from + 1) * DICTIONARY_BLOCK;
    for (; left > 0 && walk.next(); left--) {
      common = walk.common(bytes, n, common);
      const length = walk.copy(term);
      if (common < at || length < n - 4 || length > n + 4) continue;
      if (ascii && common < n - 2 && (length < n - 1 || term[length - 1] !== last)) continue;
      if (isOneEdit(bytes, n, term, length)) into.add(walk.df, walk.ref);
    }
  }

  #readBehind({ bytes, reversed, ascii }: Word, { at, behind }: Cut, into: FoundTerms): void {
    const { bytes: source, starts, dfs, refs, size } = this.#reversed;
    const n = bytes.length;
    const tail = n - at;
    const term = this.#term;
    const first = bytes[0];
    let p = behind.to < behind.from ? 0 : starts[behind.from];
    let common = 0;
    const end = Math.min(size, (behind.to + 1) * DICTIONARY_BLOCK);
    for (let i = behind.from * DICTIONARY_BLOCK; i < end; i++) {
      const shared = source[p++];
      const length = shared + source[p++];
      for (let j = shared; j < length; j++) term[j] = source[p++];
      if (shared <= common) {
        common = shared;
        while (common < length && common < n && term[common] === reversed[common]) common++;
      }
      if (common < tail || length < n - 4 || length > n + 4) continue;
      if (ascii && common < n - 2 && (length < n - 1 || term[length - 1] !== first)) continue;
      const turned = this.#turn(length);
      // What begins like the word was found before.
      if (beginsWith(turned, length, bytes, at)) continue;
      if (isOneEdit(bytes, n, turned, length)) into.add(dfs[i], refs[i]);
    }
  }

  #turn(length: number): Uint8Array {
    const turned = this.#turned;
    for (let i = 0; i < length; i++) turned[i] = this.#term[length - 1 - i];
    return turned;
  }

  #lookSwapped({ bytes }: Word, at: number, into: FoundTerms): void {
    let from = at - 1;
    while (from > 0 && (bytes[from] & 0xc0) === 0x80) from--;
    let to = at + 1;
    while (to < bytes.length && (bytes[to] & 0xc0) === 0x80) to++;
    const swapped = bytes.slice();
    swapped.set(bytes.subarray(at, to), from);
    swapped.set(bytes.subarray(from, at), from + to - at);
    if (beginsWith(swapped, bytes.length, bytes, bytes.length)) return;
    const info = this.#reader.lookup(swapped);
    if (info !== null) into.add(info.df, info.df < 128 ? info.at : -1 - info.at);
  }
}

function beginsWith(term: Uint8Array, length: number, word: Uint8Array, size: number): boolean {
  if (length < size) return false;
  for (let i = 0; i < size; i++) if (term[i] !== word[i]) return false;
  return true;
}

/** Bytes of a UTF-8 character by its first byte. */
const charBytes = (lead: number): number =>
  lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;

const isInside = (byte: number): boolean => (byte & 0xc0) === 0x80;

/**
 * True where a[0 .. n) and b[0 .. m), both UTF-8, are equal or one edit apart: a code point
 * inserted, deleted, replaced, or two neighbours swapped. What both begin and end with is set
 * aside, whole characters only; an edit is what little is left between.
 */
export function isOneEdit(a: Uint8Array, n: number, b: Uint8Array, m: number): boolean {
  const least = n < m ? n : m;
  let p = 0;
  while (p < least && a[p] === b[p]) p++;
  if (p === n && p === m) return true;
  while (p > 0 && ((p < n && isInside(a[p])) || (p < m && isInside(b[p])))) p--;
  let s = 0;
  const room = least - p;
  while (s < room && a[n - 1 - s] === b[m - 1 - s]) s++;
  while (s > 0 && isInside(a[n - s])) s--;
  const x = n - p - s;
  const y = m - p - s;
  const one = (x === 0 || charBytes(a[p]) === x) && (y === 0 || charBytes(b[p]) === y);
  return one || (x === y && isSwap(a, b, p, x));
}

/** True where a[p .. p + size) is two characters, and b has them the other way round. */
function isSwap(a: Uint8Array, b: Uint8Array, p: number, size: number): boolean {
  const first = charBytes(a[p]);
  const second = charBytes(b[p]);
  if (first + second !== size) return false;
  for (let i = 0; i < first; i++) if (a[p + i] !== b[p + second + i]) return false;
  for (let i = 0; i < second; i++) if (b[p + i] !== a[p + first + i]) return false;
  return true;
}
