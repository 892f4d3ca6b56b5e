import type { BitOutput } from './bit-output.ts';
import type { TermPostings } from './postings-buffer.ts';

/** Where positions are written, and how many bits each takes, by document. */
export interface PositionOutput {
  readonly output: BitOutput;
  readonly widths: Uint8Array;
}

/** Writes the positions of postings [from, to), ending on a byte. */
export function writePositions(
  { docs, frequencies, positionsAt, positions }: TermPostings,
  { output, widths }: PositionOutput,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) {
    const width = widths[docs[i]];
    if (width === 0) continue;
    const end = positionsAt[i] + frequencies[i];
    for (let p = positionsAt[i]; p < end; p++) output.put(positions[p], width);
  }
  output.flush();
}
