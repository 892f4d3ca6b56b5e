/**
 * A deletion vector blob (Iceberg format/puffin-spec.md, "deletion-vector-v1"):
 *
 *   u32 big-endian   length of magic and bitmap together
 *   D1 D3 39 64      magic
 *   bitmap           64-bit Roaring bitmap, portable little-endian form (roaring.ts)
 *   u32 big-endian   CRC-32 of magic and bitmap
 *
 * Manifests point at the blob by offset and size, so it is read without the Puffin footer.
 */
import { crc32 } from 'node:zlib';
import { LakeError } from '../base/errors.ts';
import type { FileStore } from '../base/files/file-store.ts';
import { LIMITS } from '../base/limits.ts';
import { PositionSet } from './position-set.ts';
import { decodeRoaring64, encodeRoaring64 } from './roaring.ts';

const MAGIC = Uint8Array.of(0xd1, 0xd3, 0x39, 0x64);
const FRAME_BYTES = 12;

/**
 * The row positions that the vector at `offset` of the Puffin file `path` deletes. `size` counts
 * the whole blob (`content_size_in_bytes`). Throws `delete_file_missing`, `delete_file_invalid`
 * (frame, magic, CRC-32, bitmap, and `expectedCount` if it is given) or `limit_exceeded`.
 */
export async function readDeletionVector(
  store: FileStore,
  path: string,
  offset: number,
  size: number,
  expectedCount?: number,
): Promise<PositionSet> {
  const file = await store.open(path, 'delete');
  try {
    if (size > LIMITS.vectorBytes) {
      throw new LakeError(
        'limit_exceeded',
        `deletion vector of ${size} bytes, at most ${LIMITS.vectorBytes} are read`,
        { file: path },
      );
    }
    return decodeDeletionVector(await file.read(offset, size), path, expectedCount);
  } finally {
    await file.close();
  }
}

/**
 * The positions of a whole blob, without those of 2^31 and more, which no data file has. Throws
 * `delete_file_invalid`; `file` is named in the error.
 */
export function decodeDeletionVector(
  blob: Uint8Array,
  file = 'blob',
  expectedCount?: number,
): PositionSet {
  if (blob.length < FRAME_BYTES + 8) throw invalid(file, `it has only ${blob.length} bytes`);
  const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength);
  const length = view.getUint32(0, false);
  if (length !== blob.length - 8) {
    throw invalid(file, `its length field says ${length}, expected ${blob.length - 8}`);
  }
  const body = blob.subarray(4, blob.length - 4);
  if (MAGIC.some((byte, i) => body[i] !== byte)) throw invalid(file, 'its magic is not D1D33964');
  const stored = view.getUint32(blob.length - 4, false);
  const actual = crc32(body);
  if (stored !== actual) throw invalid(file, `its CRC-32 is ${actual}, expected ${stored}`);
  const { positions, cardinality } = decodeRoaring64(body.subarray(MAGIC.length), file);
  if (expectedCount !== undefined && cardinality !== expectedCount) {
    throw invalid(file, `it deletes ${cardinality} rows, its manifest says ${expectedCount}`);
  }
  return new PositionSet(positions);
}

/** The blob that deletes `positions`. */
export function encodeDeletionVector(positions: PositionSet): Uint8Array {
  const bitmap = encodeRoaring64(positions.positions);
  const blob = new Uint8Array(FRAME_BYTES + bitmap.length);
  const view = new DataView(blob.buffer);
  view.setUint32(0, blob.length - 8, false);
  blob.set(MAGIC, 4);
  blob.set(bitmap, 4 + MAGIC.length);
  view.setUint32(blob.length - 4, crc32(blob.subarray(4, blob.length - 4)), false);
  return blob;
}

function invalid(file: string, what: string): LakeError {
  return new LakeError(
    'delete_file_invalid',
    `deletion vector is damaged: ${what}; restore the file from a copy or rewrite the ` +
      `table's deletes`,
    { file },
  );
}
