import type { SplitCodes } from '../base/code-kernels.ts';
import { headDims, MIDDLE, rowBytes } from './format.ts';

/** Bytes of a first chunk, and most of a later one. */
const LEAST_BYTES = 64 * 1024;
const MOST_BYTES = 8 * 2 ** 20;

/** The planes of some vectors: heads and tails of high bytes, low bytes. */
export interface PlaneRows {
  readonly head: Int8Array;
  readonly tail: Int8Array;
  readonly low: Int8Array;
}

/**
 * The planes of a segment's vectors while they grow, vector by vector, in chunks that are never
 * moved; vectors of another file stand between them as they are.
 */
export class Planes {
  readonly dims: number;
  /** Bytes of a vector in the plane of heads, and of tails. */
  readonly headRow: number;
  readonly tailRow: number;
  readonly #closed: PlaneRows[] = [];
  #head = new Int8Array(0);
  #tail = new Int8Array(0);
  #low = new Int8Array(0);
  #room = 0;
  #used = 0;
  #bytes = 0;
  #next = LEAST_BYTES;

  constructor(dims: number) {
    const head = headDims(dims);
    this.dims = dims;
    this.headRow = rowBytes(head);
    this.tailRow = rowBytes(dims - head);
  }

  /** Bytes of memory held. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a vector by its codes. */
  add(codes: Int16Array, from: number): void {
    this.#grow();
    const { dims, headRow, tailRow } = this;
    const at = this.#used++;
    const low = at * (headRow + tailRow);
    const most = Math.min(dims, headRow);
    for (let c = 0; c < most; c++) this.#head[at * headRow + c] = codes[from + c] >> 8;
    for (let c = most; c < dims; c++) {
      this.#tail[at * tailRow + c - headRow] = codes[from + c] >> 8;
    }
    for (let c = 0; c < dims; c++) this.#low[low + c] = (codes[from + c] & 255) - MIDDLE;
  }

  /** Adds rows of planes, `count` of them, which are padded already. */
  addRows({ heads, tails, lows }: SplitCodes, count: number): void {
    const { headRow, tailRow } = this;
    const row = headRow + tailRow;
    for (let from = 0; from < count; ) {
      this.#grow();
      const to = Math.min(count, from + this.#room - this.#used);
      const at = this.#used;
      this.#head.set(heads.subarray(from * headRow, to * headRow), at * headRow);
      this.#tail.set(tails.subarray(from * tailRow, to * tailRow), at * tailRow);
      this.#low.set(lows.subarray(from * row, to * row), at * row);
      this.#used += to - from;
      from = to;
    }
  }

  /** Copies one of a file's vectors. */
  copy({ head, tail, low }: PlaneRows, slot: number): void {
    this.#grow();
    const { headRow, tailRow } = this;
    const row = headRow + tailRow;
    const at = this.#used++;
    this.#head.set(head.subarray(slot * headRow, (slot + 1) * headRow), at * headRow);
    this.#tail.set(tail.subarray(slot * tailRow, (slot + 1) * tailRow), at * tailRow);
    this.#low.set(low.subarray(slot * row, (slot + 1) * row), at * row);
  }

  /** Takes vectors of a file over where they lie: they must stay until the planes are written. */
  takeOver({ head, tail, low }: PlaneRows, from: number, to: number): void {
    this.#close();
    const { headRow, tailRow } = this;
    const row = headRow + tailRow;
    this.#closed.push({
      head: head.subarray(from * headRow, to * headRow),
      tail: tail.subarray(from * tailRow, to * tailRow),
      low: low.subarray(from * row, to * row),
    });
  }

  /** The planes, in parts. */
  parts(): readonly PlaneRows[] {
    this.#close();
    return this.#closed;
  }

  #grow(): void {
    if (this.#used < this.#room) return;
    this.#close();
    const row = this.headRow + this.tailRow;
    this.#room = Math.max(1, Math.floor(this.#next / (2 * row)));
    this.#next = Math.min(MOST_BYTES, 2 * this.#next);
    this.#head = new Int8Array(this.#room * this.headRow);
    this.#tail = new Int8Array(this.#room * this.tailRow);
    this.#low = new Int8Array(this.#room * row);
    this.#bytes += 2 * this.#room * row;
  }

  #close(): void {
    const { headRow, tailRow } = this;
    const [head, tail, low] = [this.#head, this.#tail, this.#low];
    if (this.#used > 0) {
      this.#closed.push({
        head: head.subarray(0, this.#used * headRow),
        tail: tail.subarray(0, this.#used * tailRow),
        low: low.subarray(0, this.#used * (headRow + tailRow)),
      });
    }
    this.#used = 0;
    this.#room = 0;
  }
}
