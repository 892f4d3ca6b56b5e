import { hashBytes } from '../../base/bytes/hash-bytes.ts';
import { ByteList } from '../../columnar/byte-list.ts';
import type { Region } from '../../storage/directory.ts';
import { corrupt } from '../../storage/frame.ts';
import { openSections } from '../../storage/sections.ts';
import type { SegmentKeys } from './keys.ts';

const SECTIONS = 7;

/**
 * The keys and row hashes of a segment of format 1 on a mapped file. Payload: sections
 *
 *   0 head, 16 bytes: i32 docs | zero
 *   1 blocks  of the keys: a front-coded list (columnar/byte-list.ts) in document order
 *   2 data    of the keys
 *   3 ranks   i32[docs]: rank of the document's key among the segment's keys, sorted as unsigned
 *             bytes; equal keys (only one of them may live) in document order
 *   4 hashes  u32[docs]: hash of a key (base/bytes/hash-bytes.ts), ascending
 *   5 by hash i32[docs]: the document of each hash; equal hashes in document order
 *   6 rows    u64[docs]: row hashes
 */
export class CoreKeys implements SegmentKeys {
  readonly docs: number;
  /**
   * By document: place of its key among the segment's keys in byte order. Equal scores are
   * ordered by it.
   */
  readonly ranks: Int32Array;
  /** By document: the 64-bit row hash. */
  readonly rowHashes: BigUint64Array;
  /** Key hashes, ascending, and the document of each. */
  readonly hashes: Uint32Array;
  readonly byHash: Int32Array;
  readonly #keys: ByteList;
  #deleted: Int32Array | null = null;

  private constructor(payload: Region, path: string) {
    const sections = openSections(payload, SECTIONS, path);
    this.docs = sections.i32(0)[0];
    this.#keys = new ByteList(sections.i32(1), sections.bytes(2), this.docs, path);
    this.ranks = sections.i32(3);
    this.hashes = sections.u32(4);
    this.byHash = sections.i32(5);
    this.rowHashes = sections.u64(6);
    for (const section of [this.ranks, this.hashes, this.byHash, this.rowHashes]) {
      if (section.length !== this.docs) throw corrupt(path, 'its sections do not fit its head');
    }
  }

  /** Opens a payload; `path` is for messages. Throws corrupt_index. */
  static open(payload: Region, path: string): CoreKeys {
    return new CoreKeys(payload, path);
  }

  /** Documents that `find` must not see. */
  hide(deleted: Int32Array | null): void {
    this.#deleted = deleted;
  }

  /** The live document with this key (schema/keys/key.ts), or -1. */
  find(key: Uint8Array): number {
    return this.findHashed(hashBytes(key, 0, key.length), key, 0, key.length);
  }

  mayHave(hash: number): boolean {
    return this.hashes[this.#firstOf(hash)] === hash;
  }

  findHashed(hash: number, source: Uint8Array, from: number, to: number): number {
    for (let at = this.#firstOf(hash); at < this.docs && this.hashes[at] === hash; at++) {
      const doc = this.byHash[at];
      if (!this.#isHidden(doc) && this.#keys.equals(doc, source, from, to)) return doc;
    }
    return -1;
  }

  /**
   * The first place in `hashes` whose value is at least `hash`. Hashes are spread evenly: their
   * place is guessed, and the guess is widened until it holds the place; so a look-up reads few
   * lines of memory that is mostly cold.
   */
  #firstOf(hash: number): number {
    const { hashes, docs } = this;
    const guess = Math.min(Math.floor((hash / 2 ** 32) * docs), docs - 1);
    let low = 0;
    let high = docs;
    if (docs > 0 && hashes[guess] < hash) {
      low = guess + 1;
      for (let step = 8; low + step < docs; step *= 4) {
        if (hashes[low + step] >= hash) {
          high = low + step;
          break;
        }
        low += step + 1;
      }
    } else {
      high = Math.max(guess, 0);
      for (let step = 8; high - step > 0; step *= 4) {
        if (hashes[high - step] < hash) {
          low = high - step + 1;
          break;
        }
        high -= step;
      }
    }
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (hashes[middle] < hash) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * True when the document's key is source[from .. to). Cheap if documents are compared in order.
   */
  isKey(doc: number, source: Uint8Array, from: number, to: number): boolean {
    return this.#keys.equals(doc, source, from, to);
  }

  /** Live documents with this key; there is at most one in a sound index. */
  findAll(key: Uint8Array): readonly number[] {
    const hash = hashBytes(key, 0, key.length);
    const found: number[] = [];
    for (let at = this.#firstOf(hash); at < this.docs && this.hashes[at] === hash; at++) {
      const doc = this.byHash[at];
      if (!this.#isHidden(doc) && this.#keys.equals(doc, key, 0, key.length)) found.push(doc);
    }
    return found;
  }

  /** A copy of a document's key. */
  key(doc: number): Uint8Array {
    return this.#keys.get(doc);
  }

  /** Place of the document's key among the segment's keys. */
  rank(doc: number): number {
    return this.ranks[doc];
  }

  forEach(...of: Parameters<SegmentKeys['forEach']>): void {
    this.#keys.forEach(...of);
  }

  #isHidden(doc: number): boolean {
    const deleted = this.#deleted;
    return deleted !== null && (deleted[doc >> 5] & (1 << (doc & 31))) !== 0;
  }
}
