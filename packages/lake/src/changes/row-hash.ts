import { randomBytes } from 'node:crypto';
import type { ColumnVector } from '../scan/batch.ts';
import { canonicalText } from '../scan/canonical-text.ts';
import { isNullAt, valueAt } from '../scan/vectors.ts';
import type { Type } from '../schema/type.ts';

/**
 * 128-bit hashes of rows, computed column by column over the vectors' bytes: four 32-bit lanes,
 * each mixed like MurmurHash3_x86_32 (Appleby, public domain) with constants of its own and a seed
 * that is drawn anew in each process. Two different rows among n collide with a probability of
 * about n^2 / 2^129: 10^-20 for a billion rows. The hash is no defence against an attacker who can
 * choose rows and see the seed.
 *
 * NULL, an empty string and 0 hash differently; NaNs are one value; values without a fixed width
 * hash by their canonical text.
 */
export const LANES = 4;

const seed = new Int32Array(new Uint8Array(randomBytes(LANES * 4)).buffer);
const NULL_WORD = 0x6e756c6c;
const encoder = new TextEncoder();

/** Hashes of all rows: `LANES` words a row. `columns` and `types` run in parallel. */
export function hashRows(
  columns: readonly ColumnVector[],
  types: readonly Type[],
  rows: number,
): Int32Array {
  const hashes = new Int32Array(rows * LANES);
  for (let row = 0; row < rows; row++) hashes.set(seed, row * LANES);
  for (let i = 0; i < columns.length; i++) mixColumn(hashes, columns[i], types[i], rows);
  for (let at = 0; at < hashes.length; at++) hashes[at] = finish(hashes[at]);
  return hashes;
}

function mixColumn(hashes: Int32Array, column: ColumnVector, type: Type, rows: number): void {
  for (let row = 0; row < rows; row++) {
    if (isNullAt(column, row)) mixWord(hashes, row * LANES, NULL_WORD);
  }
  switch (column.kind) {
    case 'utf8':
      eachPresent(column, rows, (row) => {
        mixBytes(hashes, row * LANES, column.bytes, column.offsets[row], column.offsets[row + 1]);
      });
      break;
    case 'int32':
    case 'bool':
      eachPresent(column, rows, (row) => {
        mixWord(hashes, row * LANES, column.values[row]);
      });
      break;
    case 'int64':
      mixWide(hashes, column, wordsOf(column.values), rows);
      break;
    case 'float64':
      mixWide(hashes, column, wordsOf(oneNaN(column.values)), rows);
      break;
    default:
      eachPresent(column, rows, (row) => {
        const bytes = encoder.encode(canonicalText(type, valueAt(column, row)) ?? '');
        mixBytes(hashes, row * LANES, bytes, 0, bytes.length);
      });
  }
}

function eachPresent(column: ColumnVector, rows: number, mix: (row: number) => void): void {
  for (let row = 0; row < rows; row++) if (!isNullAt(column, row)) mix(row);
}

function mixWide(hashes: Int32Array, column: ColumnVector, words: Int32Array, rows: number): void {
  for (let row = 0; row < rows; row++) {
    if (isNullAt(column, row)) continue;
    mixWord(hashes, row * LANES, words[2 * row]);
    mixWord(hashes, row * LANES, words[2 * row + 1]);
  }
}

function wordsOf(values: BigInt64Array | Float64Array): Int32Array {
  return new Int32Array(values.buffer, values.byteOffset, values.length * 2);
}

function oneNaN(values: Float64Array): Float64Array {
  return values.some(Number.isNaN) ? values.map((v) => (Number.isNaN(v) ? Number.NaN : v)) : values;
}

function mixBytes(
  hashes: Int32Array,
  at: number,
  bytes: Uint8Array,
  from: number,
  to: number,
): void {
  let i = from;
  for (; i + 4 <= to; i += 4) {
    const word = bytes[i] | (bytes[i + 1] << 8) | (bytes[i + 2] << 16) | (bytes[i + 3] << 24);
    mixWord(hashes, at, word);
  }
  let tail = 0;
  for (let shift = 0; i < to; i++, shift += 8) tail |= bytes[i] << shift;
  mixWord(hashes, at, tail);
  mixWord(hashes, at, (to - from) ^ 0x5bd1e995);
}

function mixWord(hashes: Int32Array, at: number, word: number): void {
  hashes[at] = step(hashes[at], word, 0xcc9e2d51, 0x1b873593, 0xe6546b64);
  hashes[at + 1] = step(hashes[at + 1], word, 0x239b961b, 0xab0e9789, 0x561ccd1b);
  hashes[at + 2] = step(hashes[at + 2], word, 0x38b34ae5, 0xa1e38b93, 0x0bcaa747);
  hashes[at + 3] = step(hashes[at + 3], word, 0x85ebca6b, 0xc2b2ae35, 0x32ac3b17);
}

function step(hash: number, word: number, c1: number, c2: number, add: number): number {
  let k = Math.imul(word, c1);
  k = Math.imul((k << 15) | (k >>> 17), c2);
  const mixed = hash ^ k;
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + add) | 0;
}

function finish(hash: number): number {
  let h = hash ^ (hash >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}
