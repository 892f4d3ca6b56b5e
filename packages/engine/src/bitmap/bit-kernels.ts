import { plainLoops } from '../base/plain-loops.ts';
import { arenaCode, onceAnArena } from '../storage/arena-code.ts';
import type { Arena } from '../storage/directory.ts';
import { BITMAP_CODE } from './kernel-code.ts';
import { PlainBits } from './plain-bits.ts';

/**
 * Loops over bitmaps of an arena. Arguments named `…At` and elements of `bitmaps` are byte
 * addresses; `bytes` is the length of a bitmap, whole multiples of 32.
 */
export interface BitKernels {
  /** Bits in all (any) of some bitmaps, at least one, and not in `blocked` (0: none). */
  countAll(bitmaps: readonly number[], blockedAt: number, bytes: number): number;
  countAny(bitmaps: readonly number[], blockedAt: number, bytes: number): number;
  /** Bits that each of some bitmaps shares with the one at `bitsAt`. */
  countEach(bitmaps: readonly number[], bitsAt: number, bytes: number): Int32Array;
  /**
   * Adds up n deltas - 1 of `width` bits (up to 24), low bits first, from the document `last` on,
   * and sets their bits in a bitmap; returns the last document. Throws at one that is not below
   * `docs`.
   */
  mark(
    dataAt: number,
    n: number,
    width: number,
    last: number,
    bitmapAt: number,
    docs: number,
  ): number;
  /** null with plain loops: bitmap/bitmap.ts and columnar/fill.ts have the same in TypeScript. */
  readonly simd: SimdBits | null;
}

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

/** Three words of the start of every arena (scoring/kernel-memory.ts lists who has which). */
export const COUNTS_AT = 3392;

/** The kernels of an arena: WebAssembly, or plain loops where LHS_WASM=0 asks for them. */
export const bitKernelsOf = onceAnArena((arena): BitKernels => createBitKernels(arena));

/** New kernels of an arena. */
export function createBitKernels(arena: Arena, plain = plainLoops()): BitKernels {
  const loops = new PlainBits(arena);
  return plain ? loops : new CompiledBits(arena, loops);
}

/** The vector loops of an arena where all of some bitmaps lie in it; null else. */
export function simdFor(arena: Arena, ...bitmaps: readonly Int32Array[]): SimdBits | null {
  const { buffer } = arena.memory;
  for (const bits of bitmaps) if (bits.buffer !== buffer || bits.length === 0) return null;
  return bitKernelsOf(arena).simd;
}

const codeOf = arenaCode(BITMAP_CODE);
const MAX_UNROLLED = 3;

type Code = (...values: number[]) => number;

/** WebAssembly for up to three bitmaps, plain loops beyond. */
class CompiledBits implements BitKernels {
  readonly #plain: PlainBits;
  readonly #count: Readonly<Record<'all' | 'any' | 'allBut' | 'anyBut', Code>>;
  readonly #each: Code;
  readonly #counts: Int32Array;
  readonly mark: BitKernels['mark'];
  readonly simd: SimdBits;

  constructor(arena: Arena, plain: PlainBits) {
    const exports = codeOf(arena);
    const code = exports as Record<string, Code>;
    this.#plain = plain;
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
    this.simd = {
      or,
      and,
      andnot,
      documents,
      between: { 1: between1, 2: between2, 4: between4 },
      betweenWide,
    };
  }

  countAll(bitmaps: readonly number[], blockedAt: number, bytes: number): number {
    if (bitmaps.length > MAX_UNROLLED || bytes === 0) {
      return this.#plain.countAll(bitmaps, blockedAt, bytes);
    }
    return this.#counted('all', bitmaps, blockedAt, bytes);
  }

  countAny(bitmaps: readonly number[], blockedAt: number, bytes: number): number {
    if (bitmaps.length > MAX_UNROLLED || bytes === 0) {
      return this.#plain.countAny(bitmaps, blockedAt, bytes);
    }
    return this.#counted('any', bitmaps, blockedAt, bytes);
  }

  #counted(
    what: 'all' | 'any',
    bitmaps: readonly number[],
    blockedAt: number,
    bytes: number,
  ): number {
    const n = bitmaps.length;
    const a = bitmaps[0];
    const b = n > 1 ? bitmaps[1] : a;
    const c = n > 2 ? bitmaps[2] : b;
    if (blockedAt === 0) return this.#count[what](a, b, c, bytes);
    return this.#count[`${what}But`](a, b, c, blockedAt, bytes);
  }

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
