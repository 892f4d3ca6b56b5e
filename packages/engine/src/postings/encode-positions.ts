import type { BitOutput } from './bit-output.ts';
import type { TermPostings } from './postings-buffer.ts';

/**
 * Writes the positions of postings [from, to), each at the width of its document, ending on a byte.
 * There is room.
 */
export function writePositions(
  { frequencies, positionsAt, positions, widths }: TermPostings,
  output: BitOutput,
  from: number,
  to: number,
): void {
  const { view } = output;
  let at = output.length;
  let word = 0;
  let bits = 0;
  for (let i = from; i < to; i++) {
    const width = widths[i];
    if (width === 0) continue;
    const first = positionsAt[i];
    const end = first + frequencies[i];
    for (let p = first; p < end; p++) {
      const value = positions[p];
      word |= value << bits;
      bits += width;
      if (bits < 32) continue;
      view.setInt32(at, word, true);
      at += 4;
      bits -= 32;
      word = value >>> (width - bits);
    }
  }
  output.endBits(at, word, bits);
}

/** Bytes that `writePositions` writes for postings [from, to), or a few more. */
export function positionBytes(
  { frequencies, widths }: TermPostings,
  from: number,
  to: number,
): number {
  let bits = 0;
  for (let i = from; i < to; i++) bits += frequencies[i] * widths[i];
  return Math.floor(bits / 8) + 8;
}
