/**
 * The embedding cache of one model: two files that grow together, little-endian. Entry i is key i
 * and record i; an entry counts once both are there whole.
 *
 *   <n>.keys      header, then 16 bytes an entry: the first half of the SHA-256 of the text's UTF-8
 *   <n>.vectors   header, then one record an entry:
 *                 0        4  CRC-32 of the entry's key and of bytes 4 .. 8 + 2 * dims
 *                 4        4  scale, float32; 0: the text has no vector
 *                 8  2 * dims  codes, int16 (base/fixed-vector.ts)
 *
 *   header        0   8  magic 6C 68 73 65 0D 0A 1A 00 ("lhse", CR LF, ^Z, 0)
 *                 8   2  kind: 1 keys, 2 vectors
 *                 10  2  version, 1
 *                 12  4  dims
 *                 16 32  SHA-256 of the model's checksum
 *                 48  4  CRC-32 of bytes 0 .. 48
 *                 52 12  zero
 *
 * <n> is six digits; the highest pair that is whole counts. Where a key stands twice, the later
 * entry does. Records are written before keys, neither is flushed: what a crash leaves half is cut
 * off, and a record whose checksum is wrong is never used. Either costs an embedding, nothing else.
 */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ModelIdentity } from '../embedder.ts';

export const CACHE_HEADER_BYTES = 64;
export const KEY_BYTES = 16;
/** Checksum and scale before the codes. */
export const RECORD_HEAD_BYTES = 8;
const KINDS = Object.freeze({ keys: 1, vectors: 2 });
const VERSION = 1;
const MAGIC = Uint8Array.of(0x6c, 0x68, 0x73, 0x65, 0x0d, 0x0a, 0x1a, 0x00);

/** One of the two files of a cache. */
export type CacheFileKind = keyof typeof KINDS;

/** Bytes of a record. */
export const recordBytes = (dims: number): number => RECORD_HEAD_BYTES + 2 * dims;

/** The name of a cache's file, and of the folder that holds a model's. */
export const cacheFile = (number: number, kind: CacheFileKind): string =>
  `${String(number).padStart(6, '0')}.${kind}`;
export const modelFolderName = ({ checksum }: ModelIdentity): string =>
  modelDigest(checksum).toString('hex').slice(0, 32);

const modelDigest = (checksum: string): Buffer => createHash('sha256').update(checksum).digest();

/** The header of a file. */
export function cacheHeader(kind: CacheFileKind, { checksum, dims }: ModelIdentity): Uint8Array {
  const header = new Uint8Array(CACHE_HEADER_BYTES);
  const view = new DataView(header.buffer);
  header.set(MAGIC);
  view.setUint16(8, KINDS[kind], true);
  view.setUint16(10, VERSION, true);
  view.setUint32(12, dims, true);
  header.set(modelDigest(checksum), 16);
  view.setUint32(48, crc32(header.subarray(0, 48)), true);
  return header;
}

/** The checksum of a record (with its own place for one) under a key. */
export function recordChecksum(key: Uint8Array, record: Uint8Array): number {
  return crc32(record.subarray(4), crc32(key));
}

/** Checksums of records that are being made. */
export class RecordChecksums {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #codes: Int16Array;

  constructor(dims: number) {
    this.#bytes = new Uint8Array(KEY_BYTES + recordBytes(dims) - 4);
    this.#view = new DataView(this.#bytes.buffer);
    this.#codes = new Int16Array(this.#bytes.buffer, KEY_BYTES + 4);
  }

  /** As `recordChecksum`, of the record of a vector under the key at keys[from ..). */
  of(keys: Uint8Array, from: number, scale: number, codes: Int16Array): number {
    for (let i = 0; i < KEY_BYTES; i++) this.#bytes[i] = keys[from + i];
    this.#view.setFloat32(KEY_BYTES, scale, true);
    this.#codes.set(codes);
    return crc32(this.#bytes);
  }
}
