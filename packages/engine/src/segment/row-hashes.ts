/**
 * The row hashes of a segment: component `hashes`. Payload: sections
 *
 *   0 head, 16 bytes: i32 docs | zero
 *   1 hashes u64[docs]: row hashes (documents/row-hash.ts), by document
 *
 * The commit says which columns they cover, run by run (`SegmentEntry.hashed`).
 */
import type { Region } from '../storage/directory.ts';
import { corrupt } from '../storage/frame.ts';
import { openSections, packSections } from '../storage/sections.ts';

/** Row hashes by document. */
export interface RowHashColumn {
  readonly docs: number;
  readonly hashes: BigUint64Array;
  /** Of a cold file: demands the hash of a document, or all. */
  need(doc?: number): void;
}

/** The payload's parts. */
export const encodeRowHashes = (hashes: BigUint64Array): Uint8Array[] =>
  packSections([Int32Array.of(hashes.length, 0, 0, 0), hashes]);

/** Opens a payload; `path` is for messages. Throws corrupt_index. */
export function openRowHashes(payload: Region, path: string): RowHashColumn {
  const sections = openSections(payload, 2, path);
  sections.need?.(0);
  const [docs] = sections.i32(0);
  const hashes = sections.u64(1);
  if (hashes.length !== docs) throw corrupt(path, 'its row hashes do not fit its head');
  const need = (doc?: number) => {
    if (doc === undefined) sections.need?.(1);
    else sections.need?.(1, 8 * doc, 8);
  };
  return { docs, hashes, need };
}

/** Collects row hashes document by document. */
export class RowHashWriter {
  #hashes = new BigUint64Array(256);
  #docs = 0;

  /** Bytes of memory held. */
  get bytes(): number {
    return this.#hashes.byteLength;
  }

  add(hash: bigint): void {
    if (this.#docs === this.#hashes.length) {
      const next = new BigUint64Array(2 * this.#docs);
      next.set(this.#hashes);
      this.#hashes = next;
    }
    this.#hashes[this.#docs++] = hash;
  }

  /** The payload's parts. */
  finish(): Uint8Array[] {
    return encodeRowHashes(this.#hashes.subarray(0, this.#docs));
  }
}
