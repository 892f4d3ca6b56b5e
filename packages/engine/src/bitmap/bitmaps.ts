import type { Arena, Region } from '../storage/directory.ts';
import { bitKernelsOf, simdFor } from './bit-kernels.ts';
import { and, andNot, countBits, forEachBit, or, wordsOf } from './bitmap.ts';

/** Bitmaps that are kept for later: a query over a large segment may take hundreds. */
const KEPT_BITMAPS = 32;
/** Bytes of an arena that bitmaps take, at most; more of them lie elsewhere. */
const MAX_BYTES = 64 * 2 ** 20;

/** An arena gives whole pages: a bitmap of a small segment takes one too. */
const PAGE = 4096;
const pagesOf = (bytes: number): number => PAGE * (1 + Math.floor(bytes / PAGE));

/** Bytes that bitmaps take in each arena. */
const taken = new WeakMap<Arena, number>();
/** Regions come back when nobody has their bitmap any more, or its segment. */
const forgotten = new FinalizationRegistry<Region>((region) => {
  taken.set(region.arena, (taken.get(region.arena) ?? 0) - pagesOf(region.length));
  region.release();
});

/** A bitmap without bits, in the arena as long as there is room. */
function createBitmap(arena: Arena, words: number): Int32Array {
  const bytes = 4 * words;
  const pages = taken.get(arena) ?? 0;
  const now = pages + pagesOf(bytes);
  if (now > MAX_BYTES || bytes === 0) return new Int32Array(words);
  const region = arena.allocate(bytes);
  taken.set(arena, now);
  const bits = new Int32Array(arena.memory.buffer, region.offset, words);
  forgotten.register(bits, region);
  return bits;
}

/** A copy, in the arena as long as there is room. */
export function copyBitmap(arena: Arena, bits: Int32Array): Int32Array {
  const copy = createBitmap(arena, bits.length);
  copy.set(bits);
  return copy;
}

/**
 * Bitmaps over the documents of a segment: taken dirty or clean, given back when done; and their
 * algebra, by the kernels of the arena that holds the segment where both sides lie in it.
 */
export class Bitmaps {
  readonly #arena: Arena;
  readonly #words: number;
  readonly #free: Int32Array[] = [];

  constructor(arena: Arena, docs: number) {
    this.#arena = arena;
    this.#words = wordsOf(docs);
  }

  /** A bitmap with arbitrary bits. */
  takeDirty(): Int32Array {
    return this.#free.pop() ?? createBitmap(this.#arena, this.#words);
  }

  /** A bitmap without bits. */
  take(): Int32Array {
    return this.#free.pop()?.fill(0) ?? createBitmap(this.#arena, this.#words);
  }

  /** Takes a bitmap back; a few are kept. */
  give(bits: Int32Array): void {
    if (this.#free.length < KEPT_BITMAPS) this.#free.push(bits);
  }

  /** into |= bits. */
  or(into: Int32Array, bits: Int32Array): void {
    const simd = simdFor(this.#arena, into, bits);
    if (simd === null) or(into, bits);
    else simd.or(into.byteOffset, bits.byteOffset, into.byteLength);
  }

  /** into &= bits. */
  and(into: Int32Array, bits: Int32Array): void {
    const simd = simdFor(this.#arena, into, bits);
    if (simd === null) and(into, bits);
    else simd.and(into.byteOffset, bits.byteOffset, into.byteLength);
  }

  /** into &= ~bits. */
  andNot(into: Int32Array, bits: Int32Array): void {
    const simd = simdFor(this.#arena, into, bits);
    if (simd === null) andNot(into, bits);
    else simd.andnot(into.byteOffset, bits.byteOffset, into.byteLength);
  }

  /** Number of set bits. */
  count(bits: Int32Array): number {
    if (bits.buffer !== this.#arena.memory.buffer) return countBits(bits);
    return bitKernelsOf(this.#arena).countAll([bits.byteOffset], 0, bits.byteLength);
  }

  /**
   * The numbers of the set bits, rising, in a bitmap of the pool that the caller gives back; null
   * where there are more than it has words.
   */
  documents(bits: Int32Array): { readonly docs: Int32Array; readonly count: number } | null {
    if (this.count(bits) > bits.length) return null;
    const docs = this.takeDirty();
    const simd = simdFor(this.#arena, bits, docs);
    if (simd !== null) {
      const count = simd.documents(bits.byteOffset, bits.byteLength, docs.byteOffset);
      return { docs, count };
    }
    let count = 0;
    forEachBit(bits, (doc) => {
      docs[count++] = doc;
    });
    return { docs, count };
  }
}
