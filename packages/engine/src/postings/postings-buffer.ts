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
}

/** Growing room for the postings of one term after another. */
export class PostingsBuffer implements TermPostings {
  df = 0;
  docs = new Int32Array(1 << 10);
  frequencies = new Int32Array(1 << 10);
  positionsAt = new Int32Array(1 << 10);
  widths = new Uint8Array(1 << 10);
  positions: Int32Array = new Int32Array(1 << 10);

  /** Makes room for `df` postings. */
  reserve(df: number): void {
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
    if (count > this.positions.length) {
      this.positions = copied(this.positions, Math.max(count, this.positions.length * 2));
    }
  }
}

function copied(array: Int32Array, size: number): Int32Array<ArrayBuffer> {
  const next = new Int32Array(size);
  next.set(array);
  return next;
}
