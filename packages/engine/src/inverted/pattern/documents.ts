/** The documents of terms that a pattern found: all of them as bits, or the lowest few. */
import type { Deadline } from '../../base/deadline.ts';
import { blameIndex } from '../damage.ts';
import { DENSE, LIST_BLOCK } from '../format.ts';
import type { InvertedReader } from '../inverted-reader.ts';
import { BIG, type BigTerm } from '../term-info.ts';
import { addBitmap, markList } from '../term-matches.ts';
import type { FoundTerms } from './found-terms.ts';
import type { LowestDocs } from './lowest-docs.ts';

/**
 * Sets the bits of the documents of all found terms. Bitmaps of dense terms are not read: their
 * byte addresses are returned, for the caller to count or to add.
 */
export function markSparse(
  reader: InvertedReader,
  found: FoundTerms,
  bits: Int32Array,
  deadline: Deadline,
): readonly number[] {
  const dense: number[] = [];
  for (let i = 0; i < found.size; i++) {
    if ((i & 0xfff) === 0xfff) deadline.check();
    const place = found.places[i];
    const df = found.dfs[i];
    if (place >= 0) markShort(reader.arena.u8, place, df, bits);
    else {
      const term = bigAt(reader, df, place);
      if (term.kind === DENSE) dense.push(term.start);
      else markList(reader, term, bits);
    }
  }
  return dense;
}

/** Sets the bits of the documents of all found terms. Throws corrupt_index. */
export function markAll(
  reader: InvertedReader,
  found: FoundTerms,
  bits: Int32Array,
  deadline: Deadline,
): void {
  blameIndex(() => {
    for (const at of markSparse(reader, found, bits, deadline)) addBitmap(reader, at, bits);
  });
}

/** Offers a term's documents, rising, until one is too high. */
export function offerLowest(
  reader: InvertedReader,
  df: number,
  place: number,
  into: LowestDocs,
): void {
  if (place >= 0) offerShort(reader.arena.u8, place, df, into);
  else {
    const term = bigAt(reader, df, place);
    if (term.kind === DENSE) offerDense(reader, term, into);
    else offerList(reader, term, into);
  }
}

/** The first document of a term. */
export function firstDocument(reader: InvertedReader, df: number, place: number): number {
  if (place >= 0) {
    const { u8 } = reader.arena;
    let value = u8[place];
    if (value >= 128) {
      value &= 127;
      for (let shift = 7, p = place + 1; shift < 35; shift += 7, p++) {
        value |= (u8[p] & 127) << shift;
        if (u8[p] < 128) break;
      }
    }
    return value >>> 1;
  }
  const term = bigAt(reader, df, place);
  const { i32 } = reader.arena;
  if (term.kind !== DENSE) {
    const words = term.start >> 2;
    const width = (i32[words + term.blocks] >>> 8) & 255;
    return valueAt(i32, (term.payload + i32[words + 2 * term.blocks]) >> 2, 0, width);
  }
  for (let i = 0, at = term.start >> 2; i < 8 * reader.ranges; i++) {
    const word = i32[at + i];
    if (word !== 0) return 32 * i + 31 - Math.clz32(word & -word);
  }
  return reader.docs;
}

const bigAt = (reader: InvertedReader, df: number, place: number): BigTerm =>
  reader.big({ df, kind: BIG, at: -1 - place });

/** Document deltas and frequencies as docs/format-inverted.md says of `small`. */
function markShort(u8: Uint8Array, from: number, df: number, bits: Int32Array): void {
  let p = from;
  let doc = -1;
  for (let i = 0; i < df; i++) {
    let value = u8[p++];
    if (value >= 128) {
      value &= 127;
      for (let shift = 7; shift < 35; shift += 7) {
        const byte = u8[p++];
        value |= (byte & 127) << shift;
        if (byte < 128) break;
      }
    }
    if ((value & 1) !== 0) while (u8[p++] >= 128);
    doc += (value >>> 1) + 1;
    bits[doc >> 5] |= 1 << doc;
  }
}

function offerShort(u8: Uint8Array, from: number, df: number, into: LowestDocs): void {
  let p = from;
  let doc = -1;
  for (let i = 0; i < df; i++) {
    let value = u8[p++];
    if (value >= 128) {
      value &= 127;
      for (let shift = 7; shift < 35; shift += 7) {
        const byte = u8[p++];
        value |= (byte & 127) << shift;
        if (byte < 128) break;
      }
    }
    if ((value & 1) !== 0) while (u8[p++] >= 128);
    doc += (value >>> 1) + 1;
    if (doc >= into.end) return;
    into.offer(doc);
  }
}

/** Value by value: few are wanted, and unpacking a block costs as much as 128. */
function offerList(reader: InvertedReader, term: BigTerm, into: LowestDocs): void {
  const { i32 } = reader.arena;
  const words = term.start >> 2;
  let doc = -1;
  for (let block = 0; block < term.blocks; block++) {
    const width = (i32[words + term.blocks + block] >>> 8) & 255;
    const data = (term.payload + i32[words + 2 * term.blocks + block]) >> 2;
    const size = Math.min(LIST_BLOCK, term.df - block * LIST_BLOCK);
    for (let i = 0; i < size; i++) {
      doc += valueAt(i32, data, i * width, width) + 1;
      if (doc >= into.end) return;
      into.offer(doc);
    }
  }
}

/** `width` bits from a bit of the words at `from`, low bits first. */
function valueAt(i32: Int32Array, from: number, bit: number, width: number): number {
  const word = from + (bit >> 5);
  const shift = bit & 31;
  let value = i32[word] >>> shift;
  if (shift + width > 32) value |= i32[word + 1] << (32 - shift);
  return value & ((1 << width) - 1);
}

function offerDense(reader: InvertedReader, term: BigTerm, into: LowestDocs): void {
  const { i32 } = reader.arena;
  const at = term.start >> 2;
  for (let i = 0; i < 8 * reader.ranges && 32 * i < into.end; i++) {
    for (let word = i32[at + i]; word !== 0; word &= word - 1) {
      const doc = 32 * i + 31 - Math.clz32(word & -word);
      if (doc >= into.end) return;
      into.offer(doc);
    }
  }
}
