import type { PostingsKernel } from './postings-kernel.ts';

/**
 * The postings of one term on their way to disk: documents ascending, with frequencies and
 * positions.
 */
export interface TermPostings {
  readonly df: number;
  /** docs[0 .. df), frequencies likewise. */
  readonly docs: Int32Array;
  readonly frequencies: Int32Array;
  /** Where the positions of posting i begin in `positions`: frequencies[i] of them. */
  readonly positionsAt: Int32Array;
  readonly positions: Int32Array;
  /** Bits that a position of posting i takes. Fields without positions leave them unset. */
  readonly widths: Uint8Array;
  /** Positions of all postings. */
  readonly used: number;
  /** Where the postings lie if a kernel encodes them; `positionsAt` and `widths` are unset then. */
  readonly kernel: PostingsKernel | null;
}

/** Growing room for the postings of one term after another. */
export class PostingsBuffer implements TermPostings {
  df = 0;
  /** Positions of the term. */
  used = 0;
  #kernel: PostingsKernel | null = null;
  docs: Int32Array = new Int32Array(1 << 10);
  frequencies: Int32Array = new Int32Array(1 << 10);
  positionsAt = new Int32Array(1 << 10);
  widths = new Uint8Array(1 << 10);
  positions: Int32Array = new Int32Array(1 << 10);

  /** The kernel in whose memory the postings lie: without widths, positions in their order. */
  get kernel(): PostingsKernel | null {
    return this.#kernel;
  }

  /** From here on postings lie in the memory of a kernel, if there is one. */
  moveTo(kernel: PostingsKernel | null): void {
    this.#kernel = kernel;
    if (kernel !== null) this.#take(kernel);
  }

  /** Makes room for `df` postings. */
  reserve(df: number): void {
    const kernel = this.#kernel;
    if (kernel !== null) {
      kernel.reserve(df, 0);
      this.#take(kernel);
      return;
    }
    if (df <= this.docs.length) return;
    const size = Math.max(df, this.docs.length * 2);
    this.docs = copied(this.docs, size);
    this.frequencies = copied(this.frequencies, size);
    this.positionsAt = copied(this.positionsAt, size);
    const widths = new Uint8Array(size);
    widths.set(this.widths);
    this.widths = widths;
  }

  /** Makes room for `count` positions. */
  reservePositions(count: number): void {
    const kernel = this.#kernel;
    if (kernel !== null) {
      kernel.reserve(0, count);
      this.#take(kernel);
    } else if (count > this.positions.length) {
      this.positions = copied(this.positions, Math.max(count, this.positions.length * 2));
    }
  }

  #take({ docs, frequencies, positions }: PostingsKernel): void {
    this.docs = docs;
    this.frequencies = frequencies;
    this.positions = positions;
  }
}

function copied(array: Int32Array, size: number): Int32Array<ArrayBuffer> {
  const next = new Int32Array(size);
  next.set(array);
  return next;
}
