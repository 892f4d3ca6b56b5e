import type { Arena } from '../storage/directory.ts';
import type { VectorKernels } from './vector-kernels.ts';

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

  rowDotsOf(
    rowsAt: number,
    listAt: number,
    count: number,
    row: number,
    queryAt: number,
    dotsAt: number,
  ): void {
    const { i32, u8 } = this.#arena;
    for (let i = 0; i < count; i++) {
      const rowAt = rowsAt + i32[(listAt >> 2) + i] * row;
      let sum = 0;
      for (let c = 0; c < row; c++) {
        sum += ((u8[queryAt + c] << 24) >> 24) * ((u8[rowAt + c] << 24) >> 24);
      }
      i32[(dotsAt >> 2) + i] = sum;
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
