/**
 * The core of a segment: keys and row hashes. Payload: sections
 *
 *   0 head, 16 bytes: i32 docs | zero
 *   1 blocks  of the keys: a front-coded list (columnar/byte-list.ts) in document order
 *   2 data    of the keys
 *   3 ranks   i32[docs]: place of the document's key among the segment's keys, sorted as unsigned
 *   bytes; equal keys (only one
 *             of them may live) in document order
 *   4 hashes  u32[docs]: hash of a key (base/hash-bytes.ts), ascending
 *   5 by hash i32[docs]: the document of each hash; equal hashes in document order
 *   6 rows    u64[docs]: row hashes
 */
import { ByteSink, IntSink } from '../base/growing.ts';
import { hashBytes } from '../base/hash-bytes.ts';
import { sortingByteStrings } from '../base/sort-bytes.ts';
import { partOf, type Steps } from '../base/steps.ts';
import { ByteListWriter } from '../columnar/byte-list.ts';
import { packSections } from '../storage/sections.ts';

/** Collects the keys and row hashes of a segment. */
export class CoreWriter {
  readonly #keys = new ByteSink();
  readonly #offsets = new IntSink();
  #rows = new BigUint64Array(256);

  constructor() {
    this.#offsets.push(0);
  }

  get docs(): number {
    return this.#offsets.length - 1;
  }

  /** Bytes of memory held. */
  get bytes(): number {
    return this.#keys.length + 4 * this.#offsets.length + this.#rows.byteLength;
  }

  /** Adds a document with key bytes[from .. to). */
  add(bytes: Uint8Array, from: number, to: number, rowHash: bigint): void {
    if (this.docs === this.#rows.length) {
      const next = new BigUint64Array(2 * this.#rows.length);
      next.set(this.#rows);
      this.#rows = next;
    }
    this.#rows[this.docs] = rowHash;
    this.#keys.append(bytes, from, to);
    this.#offsets.push(this.#keys.length);
  }

  /** The payload's parts, made in steps. */
  *finishing(): Steps<Uint8Array[]> {
    const docs = this.docs;
    const keys = this.#keys.view();
    const offsets = this.#offsets.view();
    const list = new ByteListWriter();
    for (let doc = 0; doc < docs; doc++) list.add(keys, offsets[doc], offsets[doc + 1]);
    yield 0.2;
    const ranks = yield* partOf(keyRanks(keys, offsets), 0.2, 0.7);
    const hashed = yield* partOf(hashTable(keys, offsets), 0.7, 1);
    const head = Int32Array.of(docs, 0, 0, 0);
    return packSections([head, ...list.finish(), ranks, ...hashed, this.#rows.subarray(0, docs)]);
  }
}

function* keyRanks(keys: Uint8Array, offsets: Int32Array): Steps<Int32Array> {
  const order = new Int32Array(offsets.length - 1);
  for (let doc = 0; doc < order.length; doc++) order[doc] = doc;
  yield* sortingByteStrings(order, keys, offsets);
  const ranks = new Int32Array(order.length);
  for (let rank = 0; rank < order.length; rank++) ranks[order[rank]] = rank;
  return ranks;
}

/** Hashes ascending and their documents, by four stable passes of eight bits. */
function* hashTable(keys: Uint8Array, offsets: Int32Array): Steps<[Uint32Array, Int32Array]> {
  const docs = offsets.length - 1;
  let hashes = new Uint32Array(docs);
  let order = new Int32Array(docs);
  for (let doc = 0; doc < docs; doc++) {
    hashes[doc] = hashBytes(keys, offsets[doc], offsets[doc + 1]);
    order[doc] = doc;
  }
  for (let shift = 0; shift < 32; shift += 8) {
    yield shift / 32;
    [hashes, order] = radixPass(hashes, order, shift);
  }
  return [hashes, order];
}

/** One stable pass of a radix sort by eight bits of the hashes. */
function radixPass(
  hashes: Uint32Array<ArrayBuffer>,
  order: Int32Array<ArrayBuffer>,
  shift: number,
): [Uint32Array<ArrayBuffer>, Int32Array<ArrayBuffer>] {
  const places = new Int32Array(257);
  for (const hash of hashes) places[((hash >>> shift) & 255) + 1]++;
  for (let digit = 0; digit < 256; digit++) places[digit + 1] += places[digit];
  const nextHashes = new Uint32Array(hashes.length);
  const nextOrder = new Int32Array(order.length);
  for (let i = 0; i < hashes.length; i++) {
    const place = places[(hashes[i] >>> shift) & 255]++;
    nextHashes[place] = hashes[i];
    nextOrder[place] = order[i];
  }
  return [nextHashes, nextOrder];
}
