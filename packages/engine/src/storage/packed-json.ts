import { zstdCompressSync } from 'node:zlib';
import { corrupt } from './frame.ts';
import { unpackFrame } from './zstd.ts';

/** Shorter texts are not compressed. */
const PACKED_FROM_BYTES = 4096;
const MAX_BYTES = 2 ** 30;
const OPENING_BRACE = 0x7b;

/** A JSON object in UTF-8, as a zstd frame if it has 4 kB or more. */
export function packJson(value: object): Uint8Array {
  const text = Buffer.from(JSON.stringify(value));
  return text.length < PACKED_FROM_BYTES ? text : zstdCompressSync(text);
}

/**
 * What `read` makes of the JSON object in these bytes of a file. Throws corrupt_index, also if
 * `read` throws because it is another object.
 */
export function unpackJson<T, U>(bytes: Uint8Array, path: string, read: (value: T) => U): U {
  try {
    const text = bytes[0] === OPENING_BRACE ? bytes : unpackFrame(bytes, MAX_BYTES);
    return read(JSON.parse(Buffer.from(text.buffer, text.byteOffset, text.length).toString()) as T);
  } catch (cause) {
    throw Object.assign(corrupt(path, 'it is not the JSON that belongs there'), { cause });
  }
}
