import { bitKernelsOf, vectorsFor } from '../bitmap/bit-kernels.ts';
import { decodeListDocs, decodeShort } from './cursors.ts';
import { blameIndex } from './damage.ts';
import { DENSE, LIST_BLOCK, RANGE_SHIFT, SHORT } from './format.ts';
import type { InvertedReader } from './inverted-reader.ts';
import { type BigTerm, denseParts, type TermInfo } from './term-info.ts';

const docs = new Int32Array(LIST_BLOCK);
const frequencies = new Int32Array(LIST_BLOCK);

/** Sets the bits of a term's documents. Throws corrupt_index. */
export function fillTerm(reader: InvertedReader, info: TermInfo, bits: Int32Array): void {
  blameIndex(() => addTerm(reader, info, bits));
}

function addTerm(reader: InvertedReader, info: TermInfo, bits: Int32Array): void {
  if (info.kind === SHORT) {
    decodeShort(reader, info, docs, frequencies);
    setBits(bits, info.df);
    return;
  }
  const term = reader.big(info);
  if (term.kind === DENSE) addBitmap(reader, term.start, bits);
  else markList(reader, term, bits);
}

/** bits |= the bitmap of a dense term, at a byte address. */
export function addBitmap({ arena, ranges }: InvertedReader, at: number, bits: Int32Array): void {
  const vectors = vectorsFor(arena, bits);
  if (vectors !== null) {
    vectors.or(bits.byteOffset, at, bits.byteLength);
    return;
  }
  const { i32 } = arena;
  for (let i = 0, words = 8 * ranges; i < words; i++) bits[i] |= i32[(at >> 2) + i];
}

/** Sets the bits of the documents of a list term: by the arena's kernels where they lie in it. */
export function markList(reader: InvertedReader, term: BigTerm, bits: Int32Array): void {
  const { arena } = reader;
  const kernels = bits.buffer === arena.memory.buffer ? bitKernelsOf(arena) : null;
  const words = term.start >> 2;
  let last = -1;
  for (let block = 0; block < term.blocks; block++) {
    const size = Math.min(LIST_BLOCK, term.df - block * LIST_BLOCK);
    if (kernels === null) {
      decodeListDocs(reader, term, block, docs, 0);
      setBits(bits, size);
    } else {
      const width = (arena.i32[words + term.blocks + block] >>> 8) & 255;
      const data = term.payload + arena.i32[words + 2 * term.blocks + block];
      last = kernels.mark(data, size, width, last, bits.byteOffset, reader.docs);
    }
  }
}

function setBits(bits: Int32Array, count: number): void {
  for (let i = 0; i < count; i++) bits[docs[i] >> 5] |= 1 << (docs[i] & 31);
}

const UP = 1 + 1e-12;

/**
 * Impacts are stored by the segment's own average length a; by another average A, with s = A / a,
 * an impact x is at most x s / (1 + x (s - 1)) where s > 1, and at most x else.
 */
export function raiseImpact(impact: number, scale: number): number {
  return scale > 1 ? ((impact * scale) / (1 + impact * (scale - 1))) * UP : impact;
}

/**
 * An upper bound of a term's impacts in documents firstDoc .. lastDoc; 0 where it is known to have
 * none.
 */
export function impactBound(
  reader: InvertedReader,
  info: TermInfo,
  firstDoc: number,
  lastDoc: number,
  averageLength: number,
): number {
  if (info.kind === SHORT) return 1;
  const term = reader.big(info);
  const own =
    term.kind === DENSE
      ? denseBound(reader, term, firstDoc, lastDoc)
      : listBound(reader, term, firstDoc, lastDoc);
  return raiseImpact(own, averageLength / reader.averageLength);
}

function denseBound(
  reader: InvertedReader,
  term: BigTerm,
  firstDoc: number,
  lastDoc: number,
): number {
  if (!reader.text) return 1;
  const { u8 } = reader.arena;
  const { impact } = denseParts(reader, term);
  let best = 0;
  for (let r = firstDoc >> RANGE_SHIFT; r <= lastDoc >> RANGE_SHIFT; r++) {
    if (u8[impact + r] > best) best = u8[impact + r];
  }
  return reader.book[best];
}

function listBound(
  reader: InvertedReader,
  term: BigTerm,
  firstDoc: number,
  lastDoc: number,
): number {
  const { i32 } = reader.arena;
  const words = term.start >> 2;
  let low = 0;
  let high = term.blocks;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (i32[words + middle] < firstDoc) low = middle + 1;
    else high = middle;
  }
  let best = -1;
  for (let block = low; block < term.blocks; block++) {
    if (block > low && i32[words + block - 1] >= lastDoc) break;
    best = Math.max(best, i32[words + term.blocks + block] & 255);
  }
  if (best < 0) return 0;
  return reader.text ? reader.book[best] : 1;
}
