import { BitOutput } from '../../postings/bit-output.ts';
import type { FilePart, Spill } from '../../storage/spill.ts';

/**
 * An output whose bytes are written aside between two terms as soon as there are many, so that a
 * merge of any size takes little memory.
 */
export class SpilledOutput {
  readonly bits: BitOutput;
  readonly #spill: Spill | null;
  readonly #most: number;
  readonly #aligned: boolean;

  /**
   * Without `spill` all bytes stay in memory. `most`: bytes from which they are written aside;
   * `aligned`: terms begin at multiples of 4.
   */
  constructor(spill: Spill | null, most: number, aligned: boolean) {
    this.bits = new BitOutput(1 << 14);
    this.#spill = spill;
    this.#most = most;
    this.#aligned = aligned;
  }

  /** Bytes that were written aside: where those in memory begin. */
  get base(): number {
    return this.#spill?.length ?? 0;
  }

  /** Bytes so far. */
  get length(): number {
    return this.base + this.bits.length;
  }

  /** The next term begins. Throws disk_full, io_error. */
  beginTerm(): void {
    const { bits } = this;
    if (this.#spill === null || bits.length < this.#most) return;
    bits.room(4);
    if (this.#aligned) bits.align();
    this.#spill.write(bits.u8.subarray(0, bits.length));
    bits.u8.fill(0);
    bits.length = 0;
  }

  /** Writes all bytes aside and completes the file. It needs a spill. */
  close(): void {
    const { bits } = this;
    this.#spill?.write(bits.u8.subarray(0, bits.length));
    this.#spill?.finish();
    bits.length = 0;
  }

  /** All bytes and `slack` zero bytes more; `patch` receives each piece and where it begins. */
  finish(slack: number, patch: (piece: Uint8Array, from: number) => void = () => {}): FilePart {
    const { bits, base } = this;
    const spill = this.#spill;
    bits.room(slack);
    bits.u8.fill(0, bits.length, bits.length + slack);
    const last = bits.u8.subarray(0, bits.length + slack);
    if (spill === null || base === 0) {
      patch(last, 0);
      return last;
    }
    return {
      length: base + last.length,
      *pieces() {
        let from = 0;
        for (const piece of spill.pieces()) {
          patch(piece, from);
          yield piece;
          from += piece.length;
        }
        patch(last, from);
        yield last;
      },
    };
  }
}
