import type { Arena } from '../storage/directory.ts';

/**
 * The inner loops over the plane of high bytes, in an arena: rows of `row` bytes, a multiple of 16.
 * Arguments named `…At` are byte addresses. All sums are whole numbers below 2^31, so the compiled
 * loops and the plain ones agree bit for bit.
 */
export interface VectorKernels {
  /** dots[i] = sum of query[c] x row i [c], for `count` rows that lie behind one another. */
  dots(rowsAt: number, count: number, row: number, queryAt: number, dotsAt: number): void;
  /** The same for the rows named by list[0 .. count). */
  dotsOf(
    rowsAt: number,
    listAt: number,
    count: number,
    row: number,
    queryAt: number,
    dotsAt: number,
  ): void;
}

/**
 * Places in the first mebibyte of an arena, which belongs to kernels (those of scoring/ end below):
 * the codes of a query, i16; slots that are listed and dot products, i32[BATCH] each.
 */
export const QUERY_AT = 512 * 1024;
export const LIST_AT = QUERY_AT + 16 * 1024;
/** Most rows of one call. */
export const BATCH = 16_384;
/** 13 lines apart, so that the arrays do not compete for the same lines of the cache. */
export const DOTS_AT = LIST_AT + 4 * BATCH + 832;

/** Plain loops, where WebAssembly is not wanted, and to hold it to. */
export class PlainVectorKernels implements VectorKernels {
  readonly #arena: Arena;

  constructor(arena: Arena) {
    this.#arena = arena;
  }

  dots(rowsAt: number, count: number, row: number, queryAt: number, dotsAt: number): void {
    for (let i = 0; i < count; i++) this.#dot(rowsAt + i * row, row, queryAt, dotsAt + 4 * i);
  }

  dotsOf(
    rowsAt: number,
    listAt: number,
    count: number,
    row: number,
    queryAt: number,
    dotsAt: number,
  ): void {
    const { i32 } = this.#arena;
    for (let i = 0; i < count; i++) {
      const slot = i32[(listAt >> 2) + i];
      this.#dot(rowsAt + slot * row, row, queryAt, dotsAt + 4 * i);
    }
  }

  #dot(rowAt: number, row: number, queryAt: number, dotAt: number): void {
    const { u8, i32 } = this.#arena;
    let sum = 0;
    for (let c = 0; c < row; c++) {
      const at = queryAt + 2 * c;
      sum += ((((u8[at + 1] << 8) | u8[at]) << 16) >> 16) * ((u8[rowAt + c] << 24) >> 24);
    }
    i32[dotAt >> 2] = sum;
  }
}

const known = new WeakMap<Arena, VectorKernels>();

/** The kernels of an arena, made when first asked for. */
export function kernelsOf(arena: Arena): VectorKernels {
  let kernels = known.get(arena);
  if (kernels === undefined) {
    kernels = new PlainVectorKernels(arena);
    known.set(arena, kernels);
  }
  return kernels;
}
