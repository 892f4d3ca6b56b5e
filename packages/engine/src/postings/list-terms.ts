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
import { lowerBoundIn } from '../base/arrays/lower-bound.ts';
import type { Arena } from '../storage/directory.ts';
import { noteBest } from './best-impacts.ts';
import type { EncodeContext } from './encode-dense.ts';
import { positionBytes, writePositions } from './encode-positions.ts';
import { bitsOf, LIST_BLOCK } from './format.ts';
import type { TermPostings } from './postings-buffer.ts';
import type { ListTerm } from './term-info.ts';
import { docUnpacker, frequencyUnpacker } from './unpack.ts';

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
      const from = block * LIST_BLOCK;
      const to = Math.min(df, from + LIST_BLOCK);
      output.room(positionBytes(postings, from, to));
      output.i32[heads + 3 * blocks + block] = output.length - positions;
      writePositions(postings, output, from, to);
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
  const { output, impacts, text } = context;
  const { df, docs, frequencies } = postings;
  const from = block * LIST_BLOCK;
  const to = Math.min(df, from + LIST_BLOCK);
  const { deltas, impact } = context;
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
    best = Math.max(best, impact(docs[i], frequencies[i]));
  }
  const docWidth = bitsOf(any);
  const tfWidth = bitsOf(most - 1);
  output.i32[heads + block] = last;
  output.i32[heads + blocks + block] = (docWidth << 8) | (tfWidth << 16);
  if (text) {
    impacts.note((heads + blocks + block) << 2, best);
    noteBest(postings, context, from, to, best);
  }
  output.align();
  output.i32[heads + 2 * blocks + block] = output.length - data;
  output.pack(deltas, 0, to - from, docWidth, 0);
  output.align();
  if (text) output.pack(frequencies, from, to, tfWidth, 1);
}

/** Postings of a block: 128, of the last one what is left. */
export const blockSize = ({ df }: ListTerm, block: number): number =>
  Math.min(LIST_BLOCK, df - block * LIST_BLOCK);

/** The last document of a block. */
export const lastDocOf = ({ i32 }: Arena, term: ListTerm, block: number): number =>
  i32[(term.lastDocsAt >> 2) + block];

/** The code of the best impact in a block. */
export const blockImpact = ({ i32 }: Arena, term: ListTerm, block: number): number =>
  i32[(term.blockHeadsAt >> 2) + block] & 255;

/** Bits of a delta of documents in a block. */
export const docWidthOf = ({ i32 }: Arena, term: ListTerm, block: number): number =>
  (i32[(term.blockHeadsAt >> 2) + block] >>> 8) & 255;

/** Bits of a frequency in a block. */
export const frequencyWidthOf = ({ i32 }: Arena, term: ListTerm, block: number): number =>
  (i32[(term.blockHeadsAt >> 2) + block] >>> 16) & 255;

/** Byte address of the packed deltas of a block. */
export const docsAt = ({ i32 }: Arena, term: ListTerm, block: number): number =>
  term.blockDataAt + i32[(term.dataOffsetsAt >> 2) + block];

/** Byte address of the packed frequencies of a block. */
function frequenciesAt(arena: Arena, term: ListTerm, block: number): number {
  const bits = blockSize(term, block) * docWidthOf(arena, term, block);
  return docsAt(arena, term, block) + (((bits + 31) >> 5) << 2);
}

/** Byte address of the positions of a block. */
export const positionsOf = ({ i32 }: Arena, term: ListTerm, block: number): number =>
  term.blockPositionsAt + i32[(term.positionOffsetsAt >> 2) + block];

/** The first block from `from` on whose last document is not below `doc`; `blocks` if none is. */
export function blockHolding(
  { i32 }: Arena,
  { lastDocsAt, blocks }: ListTerm,
  doc: number,
  from = 0,
): number {
  const words = lastDocsAt >> 2;
  return lowerBoundIn(i32, doc, words + from, words + blocks) - words;
}

/**
 * Documents of a block into into[to ..]: always 128 values, those past the last posting are of no
 * meaning.
 */
export function unpackDocs(
  arena: Arena,
  term: ListTerm,
  block: number,
  into: Int32Array,
  to: number,
): void {
  const { i32 } = arena;
  const before = block === 0 ? -1 : i32[(term.lastDocsAt >> 2) + block - 1];
  const unpack = docUnpacker(docWidthOf(arena, term, block));
  unpack(i32, docsAt(arena, term, block) >> 2, into, to, before);
}

/** Frequencies of a block likewise. */
export function unpackFrequencies(
  arena: Arena,
  term: ListTerm,
  block: number,
  into: Int32Array,
  to: number,
): void {
  const unpack = frequencyUnpacker(frequencyWidthOf(arena, term, block));
  unpack(arena.i32, frequenciesAt(arena, term, block) >> 2, into, to);
}

/** The first document. */
export const firstOfList = (arena: Arena, term: ListTerm): number =>
  packedAt(arena.i32, docsAt(arena, term, 0) >> 2, 0, docWidthOf(arena, term, 0));

/** `width` bits from a bit of the words at `from`, low bits first. */
export function packedAt(i32: Int32Array, from: number, bit: number, width: number): number {
  const word = from + (bit >> 5);
  const shift = bit & 31;
  let value = i32[word] >>> shift;
  if (shift + width > 32) value |= i32[word + 1] << (32 - shift);
  return value & ((1 << width) - 1);
}
