/**
 * Postings of a list term (128 <= df < N / 24), nb blocks of 128:
 *
 *   lastDoc i32[nb] | head i32[nb]: impact u8, docWidth u8, tfWidth u8 | dataAt i32[nb] |
 *   positionsAt i32[nb] | data | positions
 *
 * data: deltas - 1 at docWidth bits, low bits first, whole words; then tf - 1 at tfWidth bits.
 * Offsets are bytes from the start of data and of positions. Fields without frequencies have
 * tfWidth 0 and no positions.
 */
import { type EncodeContext, writePositions } from './dense-postings.ts';
import { bitsOf, LIST_BLOCK } from './format.ts';
import type { TermPostings } from './postings.ts';

const deltas = new Int32Array(LIST_BLOCK);

/** Where a list term's parts lie, for its record. */
export interface ListPlace {
  readonly data: number;
  readonly positions: number;
  readonly blocks: number;
}

/** Writes the blocks. */
export function encodeList(postings: TermPostings, context: EncodeContext): ListPlace {
  const { output } = context;
  const { df } = postings;
  const blocks = Math.ceil(df / LIST_BLOCK);
  output.room(16 * blocks + df * 8 + 16 * blocks + 64);
  const heads = output.length >> 2;
  output.length += 16 * blocks;
  const data = output.length;
  for (let block = 0; block < blocks; block++) {
    writeBlock(postings, context, block, heads, blocks, data);
  }
  const positions = output.length;
  if (context.text) {
    for (let block = 0; block < blocks; block++) {
      output.room(blockPositionBytes(postings, context, block));
      output.i32[heads + 3 * blocks + block] = output.length - positions;
      const from = block * LIST_BLOCK;
      writePositions(postings, context, from, Math.min(df, from + LIST_BLOCK));
    }
  }
  return { data, positions, blocks };
}

function writeBlock(
  postings: TermPostings,
  context: EncodeContext,
  block: number,
  heads: number,
  blocks: number,
  data: number,
): void {
  const { output, book, text } = context;
  const { df, docs, frequencies } = postings;
  const from = block * LIST_BLOCK;
  const to = Math.min(df, from + LIST_BLOCK);
  let last = from === 0 ? -1 : docs[from - 1];
  let any = 0;
  let most = 1;
  let best = 0;
  for (let i = from; i < to; i++) {
    deltas[i - from] = docs[i] - last - 1;
    last = docs[i];
    any |= deltas[i - from];
    if (!text) continue;
    most = Math.max(most, frequencies[i]);
    best = Math.max(best, context.impact(i));
  }
  const docWidth = bitsOf(any);
  const tfWidth = bitsOf(most - 1);
  output.i32[heads + block] = last;
  output.i32[heads + blocks + block] = (docWidth << 8) | (tfWidth << 16);
  if (text) book.note((heads + blocks + block) << 2, best);
  output.align();
  output.i32[heads + 2 * blocks + block] = output.length - data;
  output.pack(deltas, 0, to - from, docWidth, 0);
  output.align();
  if (text) output.pack(frequencies, from, to, tfWidth, 1);
}

function blockPositionBytes(
  { df, docs, frequencies }: TermPostings,
  { widths }: EncodeContext,
  block: number,
): number {
  let bits = 0;
  const from = block * LIST_BLOCK;
  for (let i = from; i < Math.min(df, from + LIST_BLOCK); i++) {
    bits += frequencies[i] * widths[docs[i]];
  }
  return (bits >> 3) + 8;
}
