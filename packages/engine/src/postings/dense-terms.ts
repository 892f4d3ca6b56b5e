/**
 * Postings of a dense term (df >= N / 24), R ranges of 256 documents:
 *
 *   bitmap i32[8 R] | base i32[R / 8 + 1] | offset u16[R] (u32[R] where `wide`) | impact u8[R] |
 *   tfWidth u8[R] | group u8[3 R] | payload
 *
 * A range's payload meets at a boundary = payload + base[r / 8] + offset[r] (wide: payload +
 * offset[r]): frequencies, tf - 1 at tfWidth bits, run backwards from it, positions forwards.
 * group: byte starts of the positions of documents 64.., 128..,
 * 192.. of the range, from the boundary; 255 = walk. Fields without frequencies end after the
 * bitmap.
 */
import { popcount } from '../bitmap/bitmap.ts';
import type { Arena } from '../storage/directory.ts';
import { DENSE, GROUP, RANGE, RANGE_SHIFT } from './format.ts';
import { BIG, type DenseTerm, type PostingsSource, type TermInfo } from './term-info.ts';

/** The stored start of a group that lies further than a byte tells. */
const FAR_GROUP = 255;
/** Words of a range's part of the bitmap. */
export const RANGE_WORDS = 8;

/** The byte address of a term's bitmap of documents; 0 where it has none. */
export function bitmapOf(source: PostingsSource, info: TermInfo): number {
  if (info.kind !== BIG) return 0;
  const term = source.big(info);
  return term.kind === DENSE ? term.docBitsAt : 0;
}

/** True when a document holds the term. */
export const denseHolds = ({ i32 }: Arena, term: DenseTerm, doc: number): boolean =>
  ((i32[(term.docBitsAt >> 2) + (doc >> 5)] >>> doc) & 1) === 1;

/** The first document; `docs` where there is none. */
export function firstOfDense({ arena, ranges, docs }: PostingsSource, term: DenseTerm): number {
  const { i32 } = arena;
  for (let i = 0, at = term.docBitsAt >> 2; i < RANGE_WORDS * ranges; i++) {
    const word = i32[at + i];
    if (word !== 0) return 32 * i + 31 - Math.clz32(word & -word);
  }
  return docs;
}

/** The code of the best impact in a range; 0: no posting. */
export const rangeImpact = ({ u8 }: Arena, term: DenseTerm, range: number): number =>
  u8[term.rangeImpactsAt + range];

/** Bits of a frequency in a range. */
export const rangeWidth = ({ u8 }: Arena, term: DenseTerm, range: number): number =>
  u8[term.rangeWidthsAt + range];

/** Byte address in a range's data where frequencies end (backwards) and positions begin. */
export function boundaryOf({ u8, i32, view }: Arena, term: DenseTerm, range: number): number {
  if (term.wide) return term.rangeDataAt + view.getInt32(term.rangeOffsetsAt + 4 * range, true);
  const at = term.rangeOffsetsAt + 2 * range;
  const base = i32[(term.baseOffsetsAt >> 2) + (range >> 3)];
  return term.rangeDataAt + base + (u8[at] | (u8[at + 1] << 8));
}

/** Frequency of posting `rank` of a range with this boundary and width of frequencies. */
export function frequencyAt(view: DataView, boundary: number, width: number, rank: number): number {
  const bit = (rank + 1) * width;
  const word = view.getInt32(boundary - ((bit + 7) >> 3), true);
  return ((word >>> (-bit & 7)) & (2 ** width - 1)) + 1;
}

/** Postings of a document's range before the document. */
export function rankInRange({ i32 }: Arena, term: DenseTerm, doc: number): number {
  const words = term.docBitsAt >> 2;
  const own = words + (doc >> 5);
  let rank = popcount(i32[own] & (2 ** (doc & 31) - 1));
  for (let w = words + (doc >> RANGE_SHIFT) * RANGE_WORDS; w < own; w++) rank += popcount(i32[w]);
  return rank;
}

/** Documents of a range into `into`; returns how many. */
export function rangeDocs(
  { i32 }: Arena,
  term: DenseTerm,
  range: number,
  into: Int32Array,
): number {
  const first = (term.docBitsAt >> 2) + range * RANGE_WORDS;
  let size = 0;
  for (let word = 0; word < RANGE_WORDS; word++) {
    const base = range * RANGE + (word << 5);
    for (let bits = i32[first + word]; bits !== 0; bits &= bits - 1) {
      into[size++] = base + 31 - Math.clz32(bits & -bits);
    }
  }
  return size;
}

/** Frequencies of the `size` postings of a range into `into`; returns the range's boundary. */
export function rangeFrequencies(
  arena: Arena,
  term: DenseTerm,
  range: number,
  size: number,
  into: Int32Array,
): number {
  const boundary = boundaryOf(arena, term, range);
  const width = rangeWidth(arena, term, range);
  if (width === 0) into.fill(1, 0, size);
  else for (let i = 0; i < size; i++) into[i] = frequencyAt(arena.view, boundary, width, i);
  return boundary;
}

/** Where the positions of a document begin, and how many they are. */
export interface LocatedPositions {
  at: number;
  /** Bits after the byte `at`. */
  bit: number;
  frequency: number;
}

/**
 * Finds the positions of a document that holds the term: from the start of its group of 64
 * documents where that is stored, else of its range. Bits of a position: widths[widthCodes[doc]].
 */
export function locatePositions(
  arena: Arena,
  term: DenseTerm,
  doc: number,
  widths: Uint8Array,
  widthCodes: Uint8Array,
  into: LocatedPositions,
): void {
  const { u8, i32, view } = arena;
  const range = doc >> RANGE_SHIFT;
  const boundary = boundaryOf(arena, term, range);
  const width = rangeWidth(arena, term, range);
  const group = (doc & (RANGE - 1)) >> 6;
  const skip = group === 0 ? 0 : u8[term.groupOffsetsAt + 3 * range + group - 1];
  const from = skip === FAR_GROUP ? range * RANGE : doc & -GROUP;
  let at = boundary + (skip === FAR_GROUP ? 0 : skip);
  let rank = rankInRange(arena, term, from);
  let bit = 0;
  for (let word = from >> 5, end = doc >> 5; word <= end; word++) {
    if ((word & 1) === 0 && word << 5 > from) {
      at += (bit + 7) >> 3;
      bit = 0;
    }
    let bits = i32[(term.docBitsAt >> 2) + word];
    if (word === end) bits &= 2 ** (doc & 31) - 1;
    for (; bits !== 0; bits &= bits - 1) {
      const other = (word << 5) + 31 - Math.clz32(bits & -bits);
      const frequency = width === 0 ? 1 : frequencyAt(view, boundary, width, rank);
      rank++;
      bit += frequency * widths[widthCodes[other]];
    }
  }
  into.at = at;
  into.bit = bit;
  into.frequency = width === 0 ? 1 : frequencyAt(view, boundary, width, rank);
}
