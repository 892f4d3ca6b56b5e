/**
 * LZ4 blocks (lz4/doc/lz4_Block_format.md): sequences of token (literal length << 4 | match length
 * - 4; 15 goes on in bytes until one is below 255), literals, u16 LE offset; the last sequence ends
 * after its literals.
 *
 * Parquet's older codec LZ4 wraps blocks as Hadoop does: (u32 BE uncompressed size, u32 BE
 * compressed size, block)... Some writers put bare blocks under that codec, so both are tried.
 */

/** The uncompressed bytes of one bare block of exactly `size` bytes, or null. */
export function lz4Decompress(input: Uint8Array, size: number): Uint8Array | null {
  // a match byte of 255 makes 255 bytes of output
  if (size > input.length * 255) return null;
  const out = new Uint8Array(size);
  return decompressInto(input, out, 0) === size ? out : null;
}

/** Decompresses a block behind the bytes of `out` before `start`; where it ends, or null. */
function decompressInto(input: Uint8Array, out: Uint8Array, start: number): number | null {
  const size = out.length;
  let at = 0;
  let to = start;
  while (at < input.length) {
    const token = input[at++];
    const literals = runLength(input, at, token >>> 4);
    if (literals === null) return null;
    at = literals.next;
    if (at + literals.length > input.length || to + literals.length > size) return null;
    out.set(input.subarray(at, at + literals.length), to);
    at += literals.length;
    to += literals.length;
    if (at === input.length) break;
    if (at + 2 > input.length) return null;
    const offset = input[at] | (input[at + 1] << 8);
    const match = runLength(input, at + 2, token & 15);
    if (match === null || !copyWithin(out, to, offset, match.length + 4)) return null;
    at = match.next;
    to += match.length + 4;
  }
  return to;
}

const FRAME_MAGIC = 0x184d2204;

/**
 * The uncompressed bytes of a frame (LZ4 Frame Format 1.6): a header, blocks with their size
 * in u32 LE (its highest bit: stored), and an empty block. A block may refer to those before it.
 * Throws RangeError, Error if it is damaged.
 */
export function lz4FrameDecompress(frame: Uint8Array): Uint8Array {
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  if (bytes.readUInt32LE(0) !== FRAME_MAGIC) throw new Error('an LZ4 frame has no magic number');
  const flags = bytes[4];
  const blockBytes = 1 << (8 + 2 * ((bytes[5] >>> 4) & 7));
  let at = 7 + (flags & 0x08 ? 8 : 0) + (flags & 0x01 ? 4 : 0);
  const blocks: { readonly bytes: Uint8Array; readonly isStored: boolean }[] = [];
  for (let size = bytes.readUInt32LE(at); size !== 0; size = bytes.readUInt32LE(at)) {
    const length = size & 0x7fff_ffff;
    blocks.push({ bytes: bytes.subarray(at + 4, at + 4 + length), isStored: size >>> 31 === 1 });
    at += 4 + length + (flags & 0x10 ? 4 : 0);
  }
  const out = new Uint8Array(blocks.length * blockBytes);
  let to = 0;
  for (const block of blocks) {
    if (block.isStored) out.set(block.bytes, to);
    const end = block.isStored ? to + block.bytes.length : decompressInto(block.bytes, out, to);
    if (end === null) throw new Error('a block of an LZ4 frame is damaged');
    to = end;
  }
  return out.subarray(0, to);
}

/** The uncompressed bytes of Hadoop's framing, or of a bare block; null if it is neither. */
export function lz4HadoopDecompress(input: Uint8Array, size: number): Uint8Array | null {
  return hadoopFrames(input, size) ?? lz4Decompress(input, size);
}

function hadoopFrames(input: Uint8Array, size: number): Uint8Array | null {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  const parts: Uint8Array[] = [];
  let total = 0;
  for (let at = 0; at < input.length; ) {
    if (at + 8 > input.length) return null;
    const plain = view.getUint32(at, false);
    const packed = view.getUint32(at + 4, false);
    at += 8;
    if (at + packed > input.length || total + plain > size) return null;
    const part = lz4Decompress(input.subarray(at, at + packed), plain);
    if (part === null) return null;
    parts.push(part);
    at += packed;
    total += plain;
  }
  if (total !== size) return null;
  return parts.length === 1 ? parts[0] : new Uint8Array(Buffer.concat(parts));
}

function runLength(
  input: Uint8Array,
  start: number,
  nibble: number,
): { length: number; next: number } | null {
  let length = nibble;
  let next = start;
  if (nibble === 15) {
    for (;;) {
      if (next >= input.length) return null;
      const byte = input[next++];
      length += byte;
      if (byte < 255) break;
    }
  }
  return { length, next };
}

/**
 * Repeats `length` bytes from `offset` back; the ranges may overlap. False if it would leave
 * `out`.
 */
function copyWithin(out: Uint8Array, to: number, offset: number, length: number): boolean {
  if (offset === 0 || offset > to || to + length > out.length) return false;
  if (offset >= length) {
    out.copyWithin(to, to - offset, to - offset + length);
    return true;
  }
  for (let i = 0; i < length; i++) out[to + i] = out[to - offset + i];
  return true;
}
