import { MIDDLE } from '../format.ts';
import {
  BATCH,
  DOTS_AT,
  kernelsOf,
  LIST_AT,
  QUERY_AT,
  type VectorKernels,
  wholeDots,
} from '../vector-kernels.ts';
import type { VectorReader } from '../vector-reader.ts';

/**
 * Similarities of stored vectors to each other, by their high bytes: what a graph is built by. Near
 * enough for that, and both ways the same.
 */
export class RowSimilarities {
  /** Slots to compare with: to be filled before `compare`. */
  readonly list: Int32Array;
  readonly #dots: Int32Array;
  readonly #reader: VectorReader;
  readonly #kernels: VectorKernels;
  readonly #sums: Int32Array;
  readonly #factors: Float64Array;
  readonly #shares: Float64Array;
  readonly #middle: number;
  readonly #squared: boolean;

  constructor(reader: VectorReader) {
    const { count, arena, metric, norms, scales, dims } = reader;
    this.list = arena.i32.subarray(LIST_AT >> 2, (LIST_AT >> 2) + BATCH);
    this.#dots = arena.i32.subarray(DOTS_AT >> 2, (DOTS_AT >> 2) + BATCH);
    this.#reader = reader;
    this.#kernels = kernelsOf(arena);
    this.#middle = MIDDLE * MIDDLE * dims;
    this.#squared = metric === 'l2';
    this.#factors = new Float64Array(count);
    this.#shares = new Float64Array(count);
    for (let slot = 0; slot < count; slot++) {
      this.#factors[slot] = metric === 'cosine' ? 1 / norms[slot] : scales[slot];
      this.#shares[slot] = (scales[slot] * norms[slot]) ** 2;
    }
    this.#sums = this.#highSums();
  }

  /** Compares a vector with the first `count` listed ones. */
  compare(slot: number, count: number): void {
    const { headAt, tailAt, headRow, tailRow } = this.#reader;
    const queryAt = headAt + slot * headRow;
    const restAt = tailAt + slot * tailRow;
    this.#kernels.rowDotsOf(
      headAt,
      tailAt,
      LIST_AT,
      count,
      headRow,
      tailRow,
      queryAt,
      restAt,
      DOTS_AT,
    );
  }

  /** The similarity of the compared vector and `other`, which stands at a place of the list. */
  key(slot: number, other: number, place: number): number {
    const sums = this.#sums[slot] + this.#sums[other];
    const dot = 65_536 * this.#dots[place] + 256 * MIDDLE * sums + this.#middle;
    const product = dot * this.#factors[slot] * this.#factors[other];
    return this.#squared ? 2 * product - this.#shares[slot] - this.#shares[other] : product;
  }

  /** Sums of the high bytes of every vector. */
  #highSums(): Int32Array {
    const { row, count, dims, arena } = this.#reader;
    const ones = new Int16Array(arena.memory.buffer, QUERY_AT, row).fill(0);
    ones.fill(1, 0, dims);
    const sums = new Int32Array(count);
    for (let from = 0; from < count; from += BATCH) {
      const size = Math.min(BATCH, count - from);
      for (let i = 0; i < size; i++) this.list[i] = from + i;
      wholeDots(this.#reader, size, this.#kernels);
      sums.set(this.#dots.subarray(0, size), from);
    }
    return sums;
  }
}
