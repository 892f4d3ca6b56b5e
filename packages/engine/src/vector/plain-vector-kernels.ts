import type { Arena } from '../storage/directory.ts';
import type { VectorKernels } from './vector-kernels.ts';

/** Plain loops, where WebAssembly is not wanted, and to hold it to. */
export class PlainVectorKernels implements VectorKernels {
  readonly #arena: Arena;

  constructor(arena: Arena) {
    this.#arena = arena;
  }

  dots(rowsAt: number, count: number, row: number, queryAt: number, dotsAt: number): void {
    const { i32 } = this.#arena;
    for (let i = 0; i < count; i++)
      i32[(dotsAt >> 2) + i] = this.#dot(rowsAt + i * row, row, queryAt);
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
      i32[(dotsAt >> 2) + i] = this.#dot(rowsAt + slot * row, row, queryAt);
    }
  }

  wholeDotsOf(
    headsAt: number,
    tailsAt: number,
    listAt: number,
    count: number,
    head: number,
    tail: number,
    queryAt: number,
    restAt: number,
    dotsAt: number,
  ): void {
    const { i32 } = this.#arena;
    for (let i = 0; i < count; i++) {
      const slot = i32[(listAt >> 2) + i];
      const sum = this.#dot(headsAt + slot * head, head, queryAt);
      i32[(dotsAt >> 2) + i] = sum + this.#dot(tailsAt + slot * tail, tail, restAt);
    }
  }

  rowDotsOf(
    headsAt: number,
    tailsAt: number,
    listAt: number,
    count: number,
    head: number,
    tail: number,
    queryAt: number,
    restAt: number,
    dotsAt: number,
  ): void {
    const { i32 } = this.#arena;
    for (let i = 0; i < count; i++) {
      const slot = i32[(listAt >> 2) + i];
      const sum = this.#rowDot(headsAt + slot * head, head, queryAt);
      i32[(dotsAt >> 2) + i] = sum + this.#rowDot(tailsAt + slot * tail, tail, restAt);
    }
  }

  #dot(rowAt: number, row: number, queryAt: number): number {
    const { u8 } = this.#arena;
    let sum = 0;
    for (let c = 0; c < row; c++) {
      const at = queryAt + 2 * c;
      sum += ((((u8[at + 1] << 8) | u8[at]) << 16) >> 16) * ((u8[rowAt + c] << 24) >> 24);
    }
    return sum;
  }

  #rowDot(rowAt: number, row: number, queryAt: number): number {
    const { u8 } = this.#arena;
    let sum = 0;
    for (let c = 0; c < row; c++) {
      sum += ((u8[queryAt + c] << 24) >> 24) * ((u8[rowAt + c] << 24) >> 24);
    }
    return sum;
  }
}
