import { arenaCode, onceAnArena } from '../storage/arena-code.ts';
import type { Arena } from '../storage/directory.ts';
import { popcount } from './bitmap.ts';
import { BITMAP_CODE } from './kernel-code.ts';

/** What is done 16 bytes at a time. */
export interface SimdBits {
  /** into := into op a. */
  or(intoAt: number, aAt: number, bytes: number): void;
  and(intoAt: number, aAt: number, bytes: number): void;
  andnot(intoAt: number, aAt: number, bytes: number): void;
  /** The numbers of the set bits to words at `into`, rising; returns how many. */
  documents(bitsAt: number, bytes: number, intoAt: number): number;
  /**
   * into |= documents whose unsigned code lies in [lo, lo + span] and whose bit is in `present` (0:
   * all), for `words` words of 32 documents, at least one; by bytes of a code.
   */
  readonly between: Readonly<Record<1 | 2 | 4, Between>>;
  /** The same for signed values of 8 bytes in [lo, hi]. */
  betweenWide(
    valuesAt: number,
    presentAt: number,
    intoAt: number,
    words: number,
    lo: bigint,
    hi: bigint,
  ): void;
}

type Between = (
  codesAt: number,
  presentAt: number,
  intoAt: number,
  words: number,
  lo: number,
  span: number,
) => void;

/** Three words of the start of every arena (scoring/kernel/kernel-memory.ts lists who has which). */
export const COUNTS_AT = 3392;

/** The vector loops of an arena where all of some bitmaps lie in it; null else. */
export function simdFor(arena: Arena, ...bitmaps: readonly Int32Array[]): SimdBits | null {
  const { buffer } = arena.memory;
  for (const bits of bitmaps) if (bits.buffer !== buffer || bits.length === 0) return null;
  return bitKernelsOf(arena).simd;
}

const codeOf = arenaCode(BITMAP_CODE);
const MAX_UNROLLED = 3;

type Code = (...values: number[]) => number;

/** Receives documents as deltas (`BitKernels.mark`). */
type Mark = (
  dataAt: number,
  n: number,
  width: number,
  last: number,
  bitmapAt: number,
  docs: number,
) => number;

/**
 * Loops over bitmaps of an arena. Arguments named `…At` and elements of `bitmaps` are byte
 * addresses; `bytes` is the length of a bitmap, whole multiples of 32.
 */
export class BitKernels {
  readonly #i32: Int32Array;
  readonly #count: Readonly<Record<'all' | 'any' | 'allBut' | 'anyBut', Code>>;
  readonly #each: Code;
  readonly #counts: Int32Array;
  /**
   * Adds up n deltas - 1 of `width` bits (up to 24), low bits first, from the document `last` on,
   * and sets their bits in a bitmap; returns the last document. Throws at one that is not below
   * `docs`.
   */
  readonly mark: Mark;
  readonly simd: SimdBits;

  constructor(arena: Arena) {
    const exports = codeOf(arena);
    const code = exports as Record<string, Code>;
    this.#i32 = arena.i32;
    this.#count = {
      all: code.countAnd,
      any: code.countOr,
      allBut: code.countAndBut,
      anyBut: code.countOrBut,
    };
    this.#each = code.countEach;
    this.#counts = arena.i32.subarray(COUNTS_AT >> 2, (COUNTS_AT >> 2) + MAX_UNROLLED);
    this.mark = code.mark;
    const { or, and, andnot, documents, between1, between2, between4 } = code;
    const betweenWide = exports.between8 as SimdBits['betweenWide'];
    const between = { 1: between1, 2: between2, 4: between4 };
    this.simd = { or, and, andnot, documents, between, betweenWide };
  }

  /** Bits in all of some bitmaps, at least one, and not in `blocked` (0: none). */
  countAll(bitmaps: readonly number[], blockedAt: number, bytes: number): number {
    return this.#counted('all', bitmaps, blockedAt, bytes);
  }

  /** The same, in any of them. */
  countAny(bitmaps: readonly number[], blockedAt: number, bytes: number): number {
    return this.#counted('any', bitmaps, blockedAt, bytes);
  }

  #counted(
    what: 'all' | 'any',
    bitmaps: readonly number[],
    blockedAt: number,
    bytes: number,
  ): number {
    const n = bitmaps.length;
    if (n > MAX_UNROLLED || bytes === 0) return this.#countMany(what, bitmaps, blockedAt, bytes);
    const a = bitmaps[0];
    const b = n > 1 ? bitmaps[1] : a;
    const c = n > 2 ? bitmaps[2] : b;
    if (blockedAt === 0) return this.#count[what](a, b, c, bytes);
    return this.#count[`${what}But`](a, b, c, blockedAt, bytes);
  }

  #countMany(
    what: 'all' | 'any',
    bitmaps: readonly number[],
    blockedAt: number,
    bytes: number,
  ): number {
    const i32 = this.#i32;
    const isAll = what === 'all';
    let count = 0;
    for (let i = 0; i < bytes >> 2; i++) {
      let word = isAll ? -1 : 0;
      for (const at of bitmaps) {
        const other = i32[(at >> 2) + i];
        word = isAll ? word & other : word | other;
      }
      if (blockedAt !== 0) word &= ~i32[(blockedAt >> 2) + i];
      count += popcount(word);
    }
    return count;
  }

  /** Bits that each of some bitmaps shares with the one at `bitsAt`. */
  countEach(bitmaps: readonly number[], bitsAt: number, bytes: number): Int32Array {
    if (bytes === 0) return new Int32Array(bitmaps.length);
    const counts = new Int32Array(bitmaps.length);
    for (let k = 0; k < bitmaps.length; k += MAX_UNROLLED) {
      const a = bitmaps[k];
      const b = k + 1 < bitmaps.length ? bitmaps[k + 1] : a;
      const c = k + 2 < bitmaps.length ? bitmaps[k + 2] : a;
      this.#each(a, b, c, bitsAt, bytes, COUNTS_AT);
      for (let i = 0; i < MAX_UNROLLED && k + i < counts.length; i++) {
        counts[k + i] = this.#counts[i];
      }
    }
    return counts;
  }
}

/** The kernels of an arena. */
export const bitKernelsOf = onceAnArena((arena) => new BitKernels(arena));
