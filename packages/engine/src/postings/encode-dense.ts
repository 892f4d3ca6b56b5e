/** Writes the postings of a dense term: dense-terms.ts has the layout. */
import { noteBest } from './best-impacts.ts';
import type { BitOutput } from './bit-output.ts';
import { positionBytes, writePositions } from './encode-positions.ts';
import { bitsOf, GROUP, RANGE } from './format.ts';
import type { ImpactCodes } from './impact-codes.ts';
import type { TermPostings } from './postings-buffer.ts';

const GROUPS = 3;
const FAR = 0xffff;

/** What encoding a term needs beside its postings. */
export interface EncodeContext {
  readonly output: BitOutput;
  readonly docs: number;
  readonly ranges: number;
  readonly impacts: ImpactCodes;
  /** Scratch: the deltas of a block of a list, the best impacts of a term. */
  readonly deltas: Int32Array;
  readonly best: Float64Array;
  /** Length codes by document. */
  readonly codes: Uint8Array;
  /** False: documents only. */
  readonly text: boolean;
  /** Whether the term ends with its best documents. */
  readonly bestDocs: boolean;
  /** tf / (tf + norm). */
  readonly impact: (doc: number, frequency: number) => number;
}

/** Where a dense term's parts lie, for its record. */
export interface DensePlace {
  readonly payload: number;
  readonly wide: boolean;
}

/** Writes the bitmap and, with frequencies, the ranges. */
export function encodeDense(postings: TermPostings, context: EncodeContext): DensePlace {
  const { output, ranges } = context;
  const { df, docs } = postings;
  const words = 8 * ranges;
  output.room(4 * words);
  const bitmap = output.length >> 2;
  output.i32.fill(0, bitmap, bitmap + words);
  for (let i = 0; i < df; i++) output.i32[bitmap + (docs[i] >> 5)] |= 1 << (docs[i] & 31);
  output.length += 4 * words;
  if (!context.text) return { payload: output.length, wide: false };
  const start = output.length;
  const noted = layRanges(postings, context, false);
  if (noted !== null) return noted;
  output.length = start;
  return layRanges(postings, context, true) as DensePlace;
}

/** Lays out the ranges; null where an offset needs more than 16 bits and `wide` is false. */
function layRanges(
  postings: TermPostings,
  context: EncodeContext,
  wide: boolean,
): DensePlace | null {
  const { output, ranges, impacts, impact: impactOf } = context;
  const { df, docs, frequencies } = postings;
  const total = positionBytes(postings, 0, df);
  context.best.fill(0);
  output.room(ranges * 20 + df * 5 + total + 4096);
  const base = output.length >> 2;
  const offset = (base + (ranges >> 3) + 1) << 2;
  const impact = offset + ranges * (wide ? 4 : 2);
  const width = impact + ranges;
  const group = width + ranges;
  const payload = group + ranges * GROUPS;
  output.u8.fill(0, output.length, payload);
  output.length = payload;
  const notes: number[] = [];
  for (let r = 0, i = 0; r < ranges; r++) {
    const first = i;
    let best = 0;
    let most = 0;
    for (const limit = (r + 1) * RANGE; i < df && docs[i] < limit; i++) {
      best = Math.max(best, impactOf(docs[i], frequencies[i]));
      most = Math.max(most, frequencies[i]);
    }
    notes.push(best);
    noteBest(postings, context, first, i, best);
    const tfWidth = i > first ? bitsOf(most - 1) : 0;
    output.u8[width + r] = tfWidth;
    if ((r & 7) === 0) output.i32[base + (r >> 3)] = output.length - payload;
    writeFrequencies(output, frequencies, first, i, tfWidth);
    const from = wide ? payload : payload + output.i32[base + (r >> 3)];
    const far = output.length - from;
    if (!wide && far > FAR) return null;
    setOffset(output.u8, offset, r, far, wide);
    writeGroups(postings, context, r, first, i, group + r * GROUPS);
  }
  notes.forEach((value, r) => {
    impacts.note(impact + r, value);
  });
  return { payload, wide };
}

function setOffset(u8: Uint8Array, at: number, r: number, value: number, wide: boolean): void {
  const size = wide ? 4 : 2;
  for (let i = 0; i < size; i++) u8[at + size * r + i] = value >>> (8 * i);
}

/** Frequencies of postings [from, to), less 1, backwards from where the output then ends. */
function writeFrequencies(
  output: BitOutput,
  frequencies: Int32Array,
  from: number,
  to: number,
  width: number,
): void {
  const bytes = ((to - from) * width + 7) >> 3;
  output.u8.fill(0, output.length, output.length + bytes + 8);
  output.length += bytes;
  if (width === 0) return;
  const { u8, length } = output;
  for (let i = from, bit = width; i < to; i++, bit += width) {
    const value = (frequencies[i] - 1) << (-bit & 7);
    const at = length - ((bit + 7) >> 3);
    u8[at] |= value;
    u8[at + 1] |= value >>> 8;
    u8[at + 2] |= value >>> 16;
    u8[at + 3] |= value >>> 24;
  }
}

/** Positions of the range's postings in four groups of 64 documents, each on a byte. */
function writeGroups(
  postings: TermPostings,
  context: EncodeContext,
  range: number,
  first: number,
  end: number,
  groupAt: number,
): void {
  const { output } = context;
  const boundary = output.length;
  let from = first;
  for (let g = 0; g <= GROUPS; g++) {
    if (g > 0) output.u8[groupAt + g - 1] = Math.min(255, output.length - boundary);
    const limit = range * RANGE + (g + 1) * GROUP;
    let to = from;
    while (to < end && postings.docs[to] < limit) to++;
    writePositions(postings, output, from, to);
    from = to;
  }
}
