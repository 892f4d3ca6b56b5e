/**
 * join(olds, tfs, n, shift, bits, docs, freqs, positions, widths): appends n postings of another
 * segment to those at hand: documents olds[i] + shift, frequencies tfs[i], and their positions,
 * which begin at the byte `bits` and take as many bits as the codes of the documents at `widths`
 * tell. Writes to docs, freqs and positions; returns how many bits it has read.
 */
import { POSTINGS_MEMORY } from '../../packages/engine/src/postings/kernel-layout.ts';

const { WIDTHS } = POSTINGS_MEMORY;

/** The function `join`. */
export const join = `
  export fn join(
    i32 olds, i32 tfs, i32 n, i32 shift, i32 bits, i32 docs, i32 freqs, i32 positions, i32 widths
  ) -> i32 {
    i32 end = olds + (n << 2), bit = 0, doc, width, mask, last;
    while (olds < end) {
      doc = i32[olds] + shift;
      i32[docs] = doc;
      i32[freqs] = i32[tfs];
      width = u8[${WIDTHS} + u8[widths + doc]];
      mask = (1 << width) - 1;
      last = positions + (i32[tfs] << 2);
      while (positions < last) {
        i32[positions] = (i32[bits + (bit >> 3)] >> (bit & 7)) & mask;
        bit += width;
        positions += 4;
      }
      olds += 4;
      tfs += 4;
      docs += 4;
      freqs += 4;
    }
    return bit;
  }`;
