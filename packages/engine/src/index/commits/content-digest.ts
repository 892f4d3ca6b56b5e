/**
 * The content digest: what an index (or a table, seen through a definition) holds, in one number
 * that does not depend on order, segments, files or places. Equal sets of (key, row hash) give
 * equal digests; that unequal ones do too fails by accident once in 2^64.
 *
 *   key hash and bucket: key-buckets.ts
 *   element    two lanes from ELEMENT_SEEDS: mix(key hash low), mix(key hash high), mix(row hash
 *              low), mix(row hash high); finished
 *   of a bucket: u32 count | u32 sum of the elements' low lanes | u32 sum of the high lanes, all
 *              modulo 2^32
 *   content digest: SHA-256 over the 1,024 buckets in order, 12 bytes each, little-endian, in hex
 *
 * Keys are encoded as keys/key.ts says, row hashes are those of documents/row-hash.ts. Buckets
 * add up: those of a whole index are the sums of its shards'.
 */
import { createHash } from 'node:crypto';
import { bytesView, finishLane, mixHigh, mixLow } from '../../base/bytes/two-lane-hash.ts';
import { bucketOfHash, hashKey, KEY_BUCKETS } from '../../schema/sharding/key-buckets.ts';
import type { IndexSnapshot } from '../index-snapshot.ts';

const ELEMENT_SEEDS = [0x6c686431, 0x64696731] as const;
const WORDS = 3;

/** Count and sums of each bucket; documents are added and taken away again. */
export class DigestBuckets {
  /** For each bucket: count, low sum, high sum. */
  readonly #words = new Uint32Array(WORDS * KEY_BUCKETS);
  /** Documents that are in it. */
  count = 0;

  /** Adds a document: the two lanes of its key hash and of its row hash. */
  add(keyLow: number, keyHigh: number, rowLow: number, rowHigh: number): void {
    this.#put(keyLow, keyHigh, rowLow, rowHigh, 1);
  }

  /** Takes a document away that was added before. */
  remove(keyLow: number, keyHigh: number, rowLow: number, rowHigh: number): void {
    this.#put(keyLow, keyHigh, rowLow, rowHigh, -1);
  }

  /** Adds all documents of another one. */
  addAll(other: DigestBuckets): void {
    for (let at = 0; at < this.#words.length; at++) this.#words[at] += other.#words[at];
    this.count += other.count;
  }

  /** In how many buckets two digests differ. */
  differences(other: DigestBuckets): number {
    let differing = 0;
    for (let at = 0; at < this.#words.length; at += WORDS) {
      const same = [0, 1, 2].every((i) => this.#words[at + i] === other.#words[at + i]);
      if (!same) differing++;
    }
    return differing;
  }

  /** The content digest: SHA-256 in hex. */
  hex(): string {
    const bytes = Buffer.alloc(this.#words.byteLength);
    this.#words.forEach((word, at) => {
      bytes.writeUInt32LE(word, 4 * at);
    });
    return createHash('sha256').update(bytes).digest('hex');
  }

  #put(keyLow: number, keyHigh: number, rowLow: number, rowHigh: number, sign: 1 | -1): void {
    const low = mixLow(mixLow(mixLow(mixLow(ELEMENT_SEEDS[0], keyLow), keyHigh), rowLow), rowHigh);
    const high = mixHigh(
      mixHigh(mixHigh(mixHigh(ELEMENT_SEEDS[1], keyLow), keyHigh), rowLow),
      rowHigh,
    );
    const at = WORDS * bucketOfHash(keyLow);
    this.#words[at] += sign;
    this.#words[at + 1] += sign * (finishLane(low) >>> 0);
    this.#words[at + 2] += sign * (finishLane(high) >>> 0);
    this.count += sign;
  }
}

/**
 * The content digest of all live documents of a snapshot, and how many there are. Throws
 * corrupt_index.
 */
export function contentDigest(snapshot: IndexSnapshot): {
  readonly digest: string;
  readonly docs: number;
} {
  const buckets = new DigestBuckets();
  const hash = new Int32Array(2);
  for (const segment of snapshot.segments) {
    const rows = rowLanes(segment.rowHashes);
    segment.keys.forEach((bytes, length, doc) => {
      if (segment.isDeleted(doc)) return;
      hashKey(bytesView(bytes), 0, length, hash, 0);
      buckets.add(hash[0], hash[1], rows[2 * doc], rows[2 * doc + 1]);
    });
  }
  return { digest: buckets.hex(), docs: buckets.count };
}

/** Row hashes as lanes: low, high, low, high, … */
export const rowLanes = (hashes: BigUint64Array): Int32Array =>
  new Int32Array(hashes.buffer, hashes.byteOffset, 2 * hashes.length);
