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
  let at = 0;
  let to = 0;
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
  return to === size ? out : null;
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
