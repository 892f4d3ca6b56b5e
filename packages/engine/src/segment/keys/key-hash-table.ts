/**
 * The table that finds documents by the hash of their key. Sections of a `keys` component:
 *
 *   starts  i32[2^b + 1]: where the entries of each bucket begin, and last docs; b is the number
 *           of bits for which a bucket has 16 entries at most on average
 *   marks   u8[docs]: of each entry, the 8 bits of the hash behind those of the bucket
 *   blocks  u16[docs]: of each entry, the low 16 bits of its block: the documents 16 * block to
 *           16 * block + 15
 *   high    u8[docs]: bits 16 to 23 of the block; empty if all are 0
 *
 * The bucket of a key is the highest b bits of its hash (hash-bytes.ts). There is an entry per
 * document; those of a bucket are in document order.
 */
import { hashBytes } from '../../base/bytes/hash-bytes.ts';
import type { FlatKeys } from './key-order.ts';

/** An entry names a block of documents; the document is found by comparing their keys. */
export const KEY_BLOCK = 16;
const BUCKET_ENTRIES = 16;

/** The sections of the table. */
export interface KeyHashTable {
  readonly starts: Int32Array;
  readonly marks: Uint8Array;
  readonly blocks: Uint16Array;
  readonly high: Uint8Array;
}

/** Bits of the bucket numbers of a table over so many documents. */
export function bucketBits(docs: number): number {
  let bits = 0;
  while (docs > BUCKET_ENTRIES * 2 ** bits) bits++;
  return bits;
}

/** The bucket of a hash. */
export const hashBucket = (hash: number, bits: number): number =>
  bits === 0 ? 0 : hash >>> (32 - bits);

/** The mark of a hash. */
export const hashMark = (hash: number, bits: number): number => (hash << bits) >>> 24;

/** By document: the hash of its key. */
export function hashesOfKeys({ bytes, offsets }: FlatKeys): Uint32Array {
  const hashes = new Uint32Array(offsets.length - 1);
  for (let doc = 0; doc < hashes.length; doc++) {
    hashes[doc] = hashBytes(bytes, offsets[doc], offsets[doc + 1]);
  }
  return hashes;
}

/** The table over all key hashes of a segment, by document. */
export function buildKeyHashTable(hashes: Uint32Array): KeyHashTable {
  const docs = hashes.length;
  const bits = bucketBits(docs);
  const starts = new Int32Array(2 ** bits + 1);
  for (let doc = 0; doc < docs; doc++) starts[hashBucket(hashes[doc], bits) + 1]++;
  for (let bucket = 1; bucket < starts.length; bucket++) starts[bucket] += starts[bucket - 1];
  const next = starts.slice();
  const marks = new Uint8Array(docs);
  const blocks = new Uint16Array(docs);
  const high = new Uint8Array(docs > KEY_BLOCK * 2 ** 16 ? docs : 0);
  for (let doc = 0; doc < docs; doc++) {
    const entry = next[hashBucket(hashes[doc], bits)]++;
    const block = Math.floor(doc / KEY_BLOCK);
    marks[entry] = hashMark(hashes[doc], bits);
    blocks[entry] = block;
    if (high.length > 0) high[entry] = block >>> 16;
  }
  return { starts, marks, blocks, high };
}
