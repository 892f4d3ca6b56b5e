/**
 * Postings of a term in fewer than 128 documents: for each document varint
 * (delta - 1) << 1 | (tf > 1), then varint tf if so; delta from the document before, -1 at the
 * start. Then the positions of all documents in one run of bits.
 */
import type { BitOutput } from './bit-output.ts';
import { positionBytes, writePositions } from './encode-positions.ts';
import type { TermPostings } from './postings-buffer.ts';
import { readVarint, varintBytes } from './varint.ts';

/** Writes the postings of a short term. `text`: with positions. */
export function encodeShort(postings: TermPostings, output: BitOutput, text: boolean): void {
  const { df, docs, frequencies } = postings;
  output.room(df * 10 + (text ? positionBytes(postings, 0, df) : 0));
  let last = -1;
  for (let i = 0; i < df; i++) {
    const delta = docs[i] - last - 1;
    last = docs[i];
    if (frequencies[i] === 1) output.varint(delta << 1);
    else {
      output.varint((delta << 1) | 1);
      output.varint(frequencies[i]);
    }
  }
  if (text) writePositions(postings, output, 0, df);
}

/** Decodes documents and frequencies; returns the byte address of the positions. */
export function decodeShort(
  u8: Uint8Array,
  from: number,
  df: number,
  docs: Int32Array,
  frequencies: Int32Array,
): number {
  let at = from;
  let doc = -1;
  for (let i = 0; i < df; i++) {
    let value = u8[at++];
    if (value >= 128) {
      value &= 127;
      for (let shift = 7; shift < 35; shift += 7) {
        const byte = u8[at++];
        value |= (byte & 127) << shift;
        if (byte < 128) break;
      }
    }
    let frequency = 1;
    if ((value & 1) !== 0) {
      frequency = u8[at++];
      if (frequency >= 128) {
        frequency = readVarint(u8, at - 1);
        at += varintBytes(frequency) - 1;
      }
    }
    doc += (value >>> 1) + 1;
    docs[i] = doc;
    frequencies[i] = frequency;
  }
  return at;
}

/**
 * Decodes documents alone, up to the first one that is not below `end` (not written); returns how
 * many were written.
 */
export function decodeShortDocs(
  u8: Uint8Array,
  from: number,
  df: number,
  docs: Int32Array,
  end: number,
): number {
  let at = from;
  let doc = -1;
  for (let i = 0; i < df; i++) {
    let value = u8[at++];
    if (value >= 128) {
      value &= 127;
      for (let shift = 7; shift < 35; shift += 7) {
        const byte = u8[at++];
        value |= (byte & 127) << shift;
        if (byte < 128) break;
      }
    }
    doc += (value >>> 1) + 1;
    if (doc >= end) return i;
    docs[i] = doc;
    if ((value & 1) !== 0) while (u8[at++] >= 128);
  }
  return df;
}

/** The first document. */
export const firstOfShort = (u8: Uint8Array, from: number): number => readVarint(u8, from) >>> 1;
