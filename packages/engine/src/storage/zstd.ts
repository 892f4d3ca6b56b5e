import { zstdDecompressSync } from 'node:zlib';
import { loadKoffi } from './load-koffi.ts';

/** Room for the content of a frame. */
export type Room = (bytes: number) => Uint8Array;
/** Decompresses a frame; throws for one that is damaged or larger than `most` bytes. */
export type Unpack = (frame: Uint8Array, most: number, room?: Room) => Uint8Array;

const MAGIC = 0xfd2fb528;
const HEAD_BYTES = 5;
const DICTIONARY_BYTES = [0, 1, 2, 4];

const ownRoom: Room = (bytes) => new Uint8Array(bytes);

/**
 * The content of a zstd frame, in `room` or at offset 0 of a buffer of its own. Throws for a
 * damaged frame and for one with more than `most` bytes.
 */
export const unpackFrame: Unpack = (frame, most, room) =>
  (unpack ??= libraryUnpack() ?? zlibUnpack)(frame, most, room);

let unpack: Unpack | undefined;

/** The same by node:zlib, which makes a stream and a context for each frame. */
export const zlibUnpack: Unpack = (frame, most) => {
  const size = contentBytes(frame) ?? 0;
  // One chunk for all: smaller ones are joined by a copy. One byte more tells that all is read.
  const chunkSize = Math.min(most, Math.max(size + 1, 1024));
  const bytes = zstdDecompressSync(frame, { chunkSize, maxOutputLength: most });
  return bytes.byteOffset === 0 ? bytes : new Uint8Array(bytes);
};

/**
 * The same by the zstd that the process of Node contains, with one context for all frames of a
 * thread: a third of the time for a frame of 24 KiB. null: its functions cannot be called here.
 */
export function libraryUnpack(): Unpack | null {
  try {
    const koffi = loadKoffi();
    const library = koffi.load(null);
    const context: unknown = library.func('void *ZSTD_createDCtx()')();
    if (context === null) return null;
    const decompress = library.func(
      'size_t ZSTD_decompressDCtx(void *, uint8_t *, size_t, uint8_t *, size_t)',
    );
    return (frame, most, room = ownRoom) => {
      const size = contentBytes(frame);
      if (size === null || size > most) return zlibUnpack(frame, most);
      const bytes = room(size);
      const got: unknown = decompress(context, bytes, size, frame, frame.length);
      // Codes of errors are the largest values of size_t.
      if (got !== size) throw new Error(`the zstd frame is damaged (${String(got)})`);
      return bytes;
    };
  } catch {
    return null;
  }
}

/** The size that the head of a frame declares (RFC 8878, 3.1.1.1); null: none, or no such head. */
function contentBytes(frame: Uint8Array): number | null {
  if (frame.length < HEAD_BYTES + 1) return null;
  const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
  if (view.getUint32(0, true) !== MAGIC) return null;
  const flags = frame[4];
  const isSingle = (flags & 32) !== 0;
  const at = HEAD_BYTES + (isSingle ? 0 : 1) + DICTIONARY_BYTES[flags & 3];
  if (at + 8 > frame.length) return null;
  switch (flags >> 6) {
    case 0:
      return isSingle ? frame[at] : null;
    case 1:
      return view.getUint16(at, true) + 256;
    case 2:
      return view.getUint32(at, true);
    default:
      return Number(view.getBigUint64(at, true));
  }
}
