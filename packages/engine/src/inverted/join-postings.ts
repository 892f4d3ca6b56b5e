/**
 * All postings of a term of one component, decoded block by block and put behind those that a
 * buffer holds, documents renumbered: what merging reads. Cursors find one document; here every one
 * is wanted, so a block's positions are read in one run.
 */
import { decodeListDocs, decodeListFrequencies, decodeShort } from './cursors.ts';
import { DENSE, LIST_BLOCK, RANGE, SHORT } from './format.ts';
import type { InvertedReader } from './inverted-reader.ts';
import type { PostingsBuffer } from './postings.ts';
import { type BigTerm, boundaryOf, denseParts, type TermInfo } from './term-info.ts';

/** Documents of a range that share a byte-aligned run of positions. */
const GROUP = 64;

const blockDocs = new Int32Array(RANGE);
const blockFrequencies = new Int32Array(RANGE);

/** Where postings come from and go to: old number -> new by `docMap`, -1 dropped. */
export interface PostingsJoin {
  readonly reader: InvertedReader;
  readonly docMap: Int32Array;
  readonly buffer: PostingsBuffer;
}

/**
 * Appends a term's postings. `used`: positions that the buffer holds before; what it holds then
 * comes back.
 */
export function appendPostings(join: PostingsJoin, info: TermInfo, used: number): number {
  const { reader, buffer } = join;
  buffer.reserve(buffer.df + info.df);
  if (info.kind === SHORT) {
    const at = decodeShort(reader, info, blockDocs, blockFrequencies);
    return appendBlock(join, 0, info.df, { at, bit: 0 }, used);
  }
  const term = reader.big(info);
  return term.kind === DENSE ? appendDense(join, term, used) : appendList(join, term, used);
}

function appendList(join: PostingsJoin, term: BigTerm, used: number): number {
  const { reader } = join;
  const { i32 } = reader.arena;
  const offsets = (term.start >> 2) + 3 * term.blocks;
  let end = used;
  for (let block = 0; block < term.blocks; block++) {
    decodeListDocs(reader, term, block, blockDocs, 0);
    if (reader.text) decodeListFrequencies(reader, term, block, blockFrequencies, 0);
    const size = Math.min(LIST_BLOCK, term.df - block * LIST_BLOCK);
    end = appendBlock(join, 0, size, { at: term.positions + i32[offsets + block], bit: 0 }, end);
  }
  return end;
}

function appendDense(join: PostingsJoin, term: BigTerm, used: number): number {
  const { reader } = join;
  const parts = denseParts(reader, term);
  let end = used;
  for (let range = 0; range < reader.ranges; range++) {
    const size = rangeDocs(reader, parts.bitmap, range, blockDocs);
    if (size === 0) continue;
    if (!reader.text) {
      end = appendBlock(join, 0, size, { at: 0, bit: 0 }, end);
      continue;
    }
    const boundary = boundaryOf(reader, term, parts, range);
    const width = reader.arena.u8[parts.width + range];
    rangeFrequencies(reader, boundary, width, size, blockFrequencies);
    const place = { at: boundary, bit: 0 };
    for (let from = 0, g = 1; from < size; g++) {
      let to = from;
      while (to < size && blockDocs[to] < range * RANGE + g * GROUP) to++;
      end = appendBlock(join, from, to, place, end);
      place.at += (place.bit + 7) >> 3;
      place.bit = 0;
      from = to;
    }
  }
  return end;
}

/** Documents of a range's bitmap into `into`; returns how many. */
export function rangeDocs(
  { arena }: InvertedReader,
  bitmap: number,
  range: number,
  into: Int32Array,
): number {
  const { i32 } = arena;
  const first = (bitmap >> 2) + (range << 3);
  let size = 0;
  for (let word = 0; word < 8; word++) {
    const base = range * RANGE + (word << 5);
    for (let bits = i32[first + word]; bits !== 0; bits &= bits - 1) {
      into[size++] = base + 31 - Math.clz32(bits & -bits);
    }
  }
  return size;
}

/** Frequencies of a range, which run backwards from its boundary, into `into`. */
export function rangeFrequencies(
  { arena }: InvertedReader,
  boundary: number,
  width: number,
  size: number,
  into: Int32Array,
): void {
  if (width === 0) {
    into.fill(1, 0, size);
    return;
  }
  const { view } = arena;
  const mask = 2 ** width - 1;
  for (let i = 0, bit = width; i < size; i++, bit += width) {
    const word = view.getInt32(boundary - ((bit + 7) >> 3), true);
    into[i] = ((word >>> (-bit & 7)) & mask) + 1;
  }
}

/** Postings [from, to) of the block; `place` goes on behind their positions. */
function appendBlock(
  { reader, docMap, buffer }: PostingsJoin,
  from: number,
  to: number,
  place: { readonly at: number; bit: number },
  used: number,
): number {
  const { text, widths, extents } = reader;
  const { view } = reader.arena;
  const { at } = place;
  let { bit } = place;
  let end = used;
  for (let i = from; i < to; i++) {
    const doc = blockDocs[i];
    const frequency = text ? blockFrequencies[i] : 1;
    const width = text ? widths[extents[doc]] : 0;
    const target = docMap[doc];
    if (target >= 0) {
      const posting = buffer.df++;
      buffer.docs[posting] = target;
      buffer.frequencies[posting] = frequency;
      buffer.positionsAt[posting] = end;
      if (text) {
        buffer.reservePositions(end + frequency);
        const { positions } = buffer;
        const mask = 2 ** width - 1;
        for (let p = 0, b = bit; p < frequency; p++, b += width) {
          positions[end++] = (view.getInt32(at + (b >>> 3), true) >>> (b & 7)) & mask;
        }
      }
    }
    bit += frequency * width;
  }
  place.bit = bit;
  return end;
}
