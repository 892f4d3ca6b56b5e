/**
 * Adds up rows of a static model, in the arena where they are mapped: WebAssembly (SIMD), and
 * JavaScript for components that fill no block. Both round to float32 after each multiplication and
 * each addition and add in the order of the ids, so their sums are equal bit by bit.
 */
import type { Region } from '../../storage/directory.ts';
import type { EmbedKernels } from './kernels.ts';
import type { PieceSink } from './word-pieces.ts';

/** Ids between two calls of the kernel. */
const IDS = 4096;
/** Components of a step of the kernel. */
export const BLOCK = 32;

/** The sums of one text at a time: ids go in, `take` gives the sums. */
export class TokenSums implements PieceSink {
  readonly ids: Int32Array;
  count = 0;
  readonly #dims: number;
  readonly #sums: Float32Array;
  readonly #rows: Int8Array;
  readonly #scales: Float32Array;
  readonly #work: Region;
  /** Addresses in the arena. */
  readonly places: Readonly<Record<'ids' | 'rows' | 'scales' | 'sums', number>>;
  readonly #kernels: EmbedKernels;

  /** `rows`: int8, row-major, in an arena. The scales are copied beside them. */
  constructor(rows: Region, scales: Float32Array, dims: number, kernels: EmbedKernels) {
    const { buffer } = rows.arena.memory;
    this.#work = rows.arena.allocate(4 * (IDS + dims + scales.length));
    const ids = this.#work.offset;
    const sums = ids + 4 * IDS;
    const scalesAt = sums + 4 * dims;
    this.#dims = dims;
    this.places = { ids, rows: rows.offset, scales: scalesAt, sums };
    this.ids = new Int32Array(buffer, ids, IDS);
    this.#sums = new Float32Array(buffer, sums, dims);
    this.#scales = new Float32Array(buffer, scalesAt, scales.length);
    this.#scales.set(scales);
    this.#rows = new Int8Array(buffer, rows.offset, rows.length);
    this.#kernels = kernels;
  }

  flush(): void {
    const { ids, rows, scales, sums } = this.places;
    const whole = this.#dims - (this.#dims % BLOCK);
    if (whole > 0) this.#kernels.sum(ids, this.count, rows, scales, sums, this.#dims);
    if (whole < this.#dims) this.#addPlain(whole);
    this.count = 0;
  }

  #addPlain(from: number): void {
    const dims = this.#dims;
    for (let i = 0; i < this.count; i++) {
      const scale = this.#scales[this.ids[i]];
      const row = this.ids[i] * dims;
      for (let d = from; d < dims; d++) {
        this.#sums[d] += Math.fround(scale * this.#rows[row + d]);
      }
    }
  }

  /**
   * Writes the sums of all ids since the last call to into[at .. at + dims), made to length 1, and
   * begins anew. Sums that are all zero stay so. Returns the sum of their squares, which is finite
   * if they are.
   */
  take(into: Float32Array, at: number): number {
    this.flush();
    const sums = this.#sums;
    let squares = 0;
    for (let d = 0; d < sums.length; d++) squares += sums[d] * sums[d];
    const length = squares === 0 ? 1 : Math.sqrt(squares);
    for (let d = 0; d < sums.length; d++) into[at + d] = sums[d] / length;
    sums.fill(0);
    return squares;
  }

  /** Moves the sums of all ids since the last call to into[at .. at + dims), and begins anew. */
  move(into: Float32Array, at: number): void {
    this.flush();
    into.set(this.#sums, at);
    this.#sums.fill(0);
  }

  release(): void {
    this.#work.release();
  }
}
