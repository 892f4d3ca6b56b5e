/**
 * Snappy's raw format (google/snappy, format_description.txt): a varint with the uncompressed
 * length, then elements. The low two bits of an element's tag say: 0 a literal, 1 to 3 a copy with
 * an offset of 1, 2 or 4 bytes.
 */

/**
 * The uncompressed bytes of a raw Snappy block. Throws an Error on a broken block or one of more
 * than `maxBytes`.
 */
export function snappyDecompress(input: Uint8Array, maxBytes: number): Uint8Array {
  const header = readLength(input);
  if (header.value > maxBytes) throw new Error(`a snappy block claims ${header.value} bytes`);
  const output = new Uint8Array(header.value);
  let at = header.next;
  let out = 0;
  while (at < input.length) {
    const tag = input[at++]!;
    if ((tag & 3) === 0) {
      const literal = literalLength(input, tag, at);
      at = literal.next;
      if (at + literal.value > input.length || out + literal.value > output.length) fault();
      output.set(input.subarray(at, at + literal.value), out);
      at += literal.value;
      out += literal.value;
    } else {
      const width = [1, 2, 4][(tag & 3) - 1]!;
      if (at + width > input.length) fault();
      const length = width === 1 ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1;
      const offset = littleEndian(input, at, width) + (width === 1 ? (tag >>> 5) * 256 : 0);
      at += width;
      out = copy(output, out, offset, length);
    }
  }
  if (out !== output.length) fault();
  return output;
}

function fault(): never {
  throw new Error('a snappy block is damaged');
}

function readLength(input: Uint8Array): { value: number; next: number } {
  let value = 0;
  for (let i = 0; i < 5; i++) {
    const byte = input[i];
    if (byte === undefined) fault();
    value += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return { value, next: i + 1 };
  }
  return fault();
}

function literalLength(
  input: Uint8Array,
  tag: number,
  at: number,
): { value: number; next: number } {
  const code = tag >>> 2;
  if (code < 60) return { value: code + 1, next: at };
  const width = code - 59;
  if (at + width > input.length) fault();
  return { value: littleEndian(input, at, width) + 1, next: at + width };
}

function littleEndian(input: Uint8Array, at: number, width: number): number {
  let value = 0;
  for (let i = width - 1; i >= 0; i--) value = value * 256 + input[at + i]!;
  return value;
}

function copy(output: Uint8Array, out: number, offset: number, length: number): number {
  if (offset === 0 || offset > out || out + length > output.length) fault();
  if (offset >= length) output.copyWithin(out, out - offset, out - offset + length);
  else for (let i = 0; i < length; i++) output[out + i] = output[out + i - offset]!;
  return out + length;
}
