/** Bytes of a first chunk, and most of a later one. */
const LEAST_BYTES = 64 * 1024;
const MOST_BYTES = 4 * 2 ** 20;

/**
 * The two planes of a segment's vectors while they grow, row by row, in chunks that are never moved;
 * rows of another file stand between them as they are.
 */
export class Planes {
  readonly #row: number;
  readonly #highs: Int8Array[] = [];
  readonly #lows: Int8Array[] = [];
  /** The chunk that is being filled: room for rows, and how many bytes are used. */
  high = new Int8Array(0);
  low = new Int8Array(0);
  #used = 0;
  #bytes = 0;
  #next = LEAST_BYTES;

  constructor(row: number) {
    this.#row = row;
  }

  /** Bytes of memory held. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Where the next row goes in `high` and `low`, which this may replace; it holds zeros. */
  place(): number {
    if (this.#used + this.#row > this.high.length) {
      this.#close();
      const size = Math.max(this.#row, this.#next - (this.#next % this.#row));
      this.#next = Math.min(MOST_BYTES, 2 * this.#next);
      this.high = new Int8Array(size);
      this.low = new Int8Array(size);
      this.#bytes += 2 * size;
    }
    this.#used += this.#row;
    return this.#used - this.#row;
  }

  /** Takes rows over where they lie: they must stay until the planes are written. */
  takeOver(high: Int8Array, low: Int8Array): void {
    this.#close();
    this.#highs.push(high);
    this.#lows.push(low);
  }

  /** Both planes, in parts. */
  parts(): { readonly high: readonly Int8Array[]; readonly low: readonly Int8Array[] } {
    this.#close();
    return { high: this.#highs, low: this.#lows };
  }

  #close(): void {
    if (this.#used > 0) {
      this.#highs.push(this.high.subarray(0, this.#used));
      this.#lows.push(this.low.subarray(0, this.#used));
    }
    this.high = this.high.subarray(this.#used);
    this.low = this.low.subarray(this.#used);
    this.#used = 0;
  }
}
