/**
 * The RLE / bit-packing hybrid (parquet-format Encodings.md, "RLE"): runs of varint header, then
 *
 *   header even   header >> 1 repeats of one value in ceil(width / 8) bytes, little-endian
 *   header odd    (header >> 1) * 8 values of `width` bits each, least significant bit first
 */

/**
 * Fills `out` with values of `width` bits (0 to 32); false if the input ends too early or is no
 * such encoding.
 */
export function decodeHybrid(
  input: Uint8Array,
  width: number,
  out: Int32Array | Uint8Array,
): boolean {
  if (width === 0) {
    out.fill(0);
    return true;
  }
  let at = 0;
  let filled = 0;
  while (filled < out.length) {
    let header = 0;
    for (let shift = 0; ; shift += 7) {
      if (at >= input.length || shift > 28) return false;
      const byte = input[at++];
      header += (byte & 127) * 2 ** shift;
      if (byte < 128) break;
    }
    const run = Math.floor(header / 2);
    if (header % 2 === 0) {
      const end = Math.min(out.length, filled + run);
      const bytes = (width + 7) >>> 3;
      if (at + bytes > input.length) return false;
      out.fill(littleEndian(input, at, bytes), filled, end);
      at += bytes;
      filled = end;
    } else {
      const count = Math.min(run * 8, out.length - filled);
      // writers may leave out the padding of the last group
      if (at + ((count * width + 7) >>> 3) > input.length) return false;
      unpackBits(input, at, width, out, filled, count);
      at += run * width;
      filled += count;
    }
  }
  return true;
}

/**
 * The value of an encoding that is one run of `count` or more equal values (up to 8 bits wide),
 * else -1.
 */
export function singleRun(input: Uint8Array, width: number, count: number): number {
  let header = 0;
  let at = 0;
  for (let shift = 0; shift <= 28; shift += 7) {
    const byte = input[at++] ?? 0;
    header += (byte & 127) * 2 ** shift;
    if (byte < 128) break;
  }
  if (width === 0 || width > 8 || header % 2 === 1 || header / 2 < count) return -1;
  return input[at] ?? -1;
}

/** Values packed least significant bit first. */
export function unpackBits(
  input: Uint8Array,
  start: number,
  width: number,
  out: Int32Array | Uint8Array,
  from: number,
  count: number,
): void {
  if (width > 24) {
    unpackWide(input, start, width, out, from, count);
    return;
  }
  const mask = (1 << width) - 1;
  let at = start;
  let buffer = 0;
  let bits = 0;
  for (let i = 0; i < count; i++) {
    while (bits < width) {
      buffer |= input[at++] << bits;
      bits += 8;
    }
    out[from + i] = buffer & mask;
    buffer >>>= width;
    bits -= width;
  }
}

function unpackWide(
  input: Uint8Array,
  start: number,
  width: number,
  out: Int32Array | Uint8Array,
  from: number,
  count: number,
): void {
  for (let i = 0; i < count; i++) {
    out[from + i] = Number(wideBits(input, start, i * width, width) & 0xffff_ffffn) | 0;
  }
}

/** `width` bits (up to 64) that begin `bit` bits after byte `start`, least significant first. */
export function wideBits(input: Uint8Array, start: number, bit: number, width: number): bigint {
  const end = bit + width;
  let value = 0n;
  for (let byte = (end - 1) >>> 3; byte >= bit >>> 3; byte--) {
    value = (value << 8n) | BigInt(input[start + byte] ?? 0);
  }
  return (value >> BigInt(bit & 7)) & ((1n << BigInt(width)) - 1n);
}

/**
 * The older level encoding BIT_PACKED: most significant bit first, no header. False if the input
 * is too short.
 */
export function decodeBitPackedLevels(input: Uint8Array, width: number, out: Uint8Array): boolean {
  if ((out.length * width + 7) >>> 3 > input.length) return false;
  for (let i = 0; i < out.length; i++) {
    let value = 0;
    for (let bit = i * width; bit < (i + 1) * width; bit++) {
      value = (value << 1) | ((input[bit >>> 3] >>> (7 - (bit & 7))) & 1);
    }
    out[i] = value;
  }
  return true;
}

function littleEndian(input: Uint8Array, at: number, bytes: number): number {
  let value = 0;
  for (let i = 0; i < bytes; i++) value |= input[at + i] << (8 * i);
  return value;
}
