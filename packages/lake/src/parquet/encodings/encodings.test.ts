import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LakeError } from '../../base/errors.ts';
import type { LeafNode, Physical } from '../schema-tree.ts';
import { decompress } from './codecs.ts';
import { decodeDelta32, decodeDelta64, decodeDeltaLengths, decodeDeltaStrings } from './delta.ts';
import { decodeValues } from './encodings.ts';
import { lz4Decompress, lz4HadoopDecompress } from './lz4.ts';
import { decodeBitPackedLevels, decodeHybrid, singleRun } from './rle.ts';
import { numberAt, readThrift } from './thrift.ts';

const SEED = 20261121;
const place = { path: 'f.parquet', role: 'data' } as const;
const bytes = (...values: number[]) => Uint8Array.from(values);
const text = (value: string) => new TextEncoder().encode(value);
const leafOf = (physical: Physical, length = 0): LeafNode => ({
  kind: 'leaf',
  name: 'c',
  path: 'c',
  fieldId: 1,
  repetition: 'required',
  definition: 0,
  repeat: 0,
  logical: { kind: 'none' },
  column: 0,
  physical,
  length,
});

describe('RLE and bit-packing', () => {
  it('reads the example of the format: 0 to 7 in three bits', () => {
    const out = new Uint8Array(8);
    // Encodings.md: bytes 10001000 11000110 11111010 hold 0 1 2 3 4 5 6 7
    expect(decodeHybrid(bytes(3, 0b10001000, 0b11000110, 0b11111010), 3, out)).toBe(true);
    expect([...out]).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(decodeBitPackedLevels(bytes(0b00000101, 0b00111001, 0b01110111), 3, out)).toBe(true);
    expect([...out]).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('knows a single run, and refuses input that ends too early', () => {
    expect(singleRun(bytes(200, 1, 1), 1, 100)).toBe(1);
    expect(singleRun(bytes(200, 1, 1), 1, 101)).toBe(-1);
    expect(decodeHybrid(bytes(), 3, new Uint8Array(1))).toBe(false);
    expect(decodeHybrid(bytes(3, 1), 3, new Uint8Array(8))).toBe(false);
    expect(decodeHybrid(bytes(0, 1), 3, new Uint8Array(8))).toBe(false);
  });

  it('reads back any values of any width', () => {
    const cases = fc
      .integer({ min: 1, max: 32 })
      .chain((width) =>
        fc.tuple(
          fc.constant(width),
          fc.array(fc.integer({ min: 0, max: 2 ** Math.min(width, 31) - 1 }), { maxLength: 40 }),
        ),
      );
    fc.assert(
      fc.property(cases, ([width, values]) => {
        const out = new Int32Array(values.length);
        expect(decodeHybrid(packed(values, width), width, out)).toBe(true);
        expect([...out]).toEqual(values);
      }),
      { seed: SEED },
    );
  });
});

/** One bit-packed run, written bit by bit. */
function packed(values: readonly number[], width: number): Uint8Array {
  const groups = Math.ceil(values.length / 8);
  const out = new Uint8Array(1 + groups * width);
  out[0] = (groups << 1) | 1;
  values.forEach((value, i) => {
    for (let bit = 0; bit < width; bit++) {
      const at = i * width + bit;
      if ((value / 2 ** bit) & 1) out[1 + (at >>> 3)] |= 1 << (at & 7);
    }
  });
  return out;
}

describe('DELTA encodings', () => {
  it('read the examples of the format', () => {
    // Encodings.md: 1 2 3 4 5 = header 8 values a block, 1 miniblock, 5 values, first 1; delta 1
    const ramp = bytes(8, 1, 5, 2, 2, 0);
    expect([...decodeDelta32(ramp, 0, 5)!.values]).toEqual([1, 2, 3, 4, 5]);
    expect([...decodeDelta64(ramp, 0, 5)!.values]).toEqual([1n, 2n, 3n, 4n, 5n]);
    // 7 5 3 1 2 3 4 5: least delta -2, relative deltas 0 0 0 3 3 3 3 in two bits
    const steps = bytes(8, 1, 8, 14, 3, 2, 0b11000000, 0b00111111);
    expect([...decodeDelta32(steps, 0, 8)!.values]).toEqual([7, 5, 3, 1, 2, 3, 4, 5]);
  });

  it('read lengths and shared prefixes', () => {
    const lengths = [8, 1, 3, 10, 2, 0];
    const plain = decodeDeltaLengths(bytes(...lengths, ...text('helloworld!parquet')), 0, 3)!;
    expect([0, 1, 2].map((i) => plain.texts?.text(i))).toEqual(['hello', 'world!', 'parquet']);
    // prefixes 0 2 4 are a ramp of 2; suffix lengths 4 2 1 have deltas -2 -1: least -2, then 0 1
    const prefixes = [8, 1, 3, 0, 4, 0];
    const suffixes = [8, 1, 3, 8, 3, 1, 0b00000010];
    const strings = decodeDeltaStrings(bytes(...prefixes, ...suffixes, ...text('axisler')), 3)!;
    expect([0, 1, 2].map((i) => strings.texts?.text(i))).toEqual(['axis', 'axle', 'axler']);
  });

  it('refuse counts and widths that cannot be', () => {
    expect(decodeDelta32(bytes(8, 1, 6, 2, 2, 0), 0, 5)).toBeNull();
    expect(decodeDelta32(bytes(8, 1, 5, 2, 2, 40), 0, 5)).toBeNull();
    expect(decodeDelta32(bytes(7, 1, 5, 2, 2, 0), 0, 5)).toBeNull();
    expect(decodeDelta64(bytes(8, 1, 200, 1, 2, 2, 3), 0, 200)).toBeNull();
    expect(decodeDeltaStrings(bytes(8, 1, 1, 4, 8, 1, 1, 0), 1)).toBeNull();
  });
});

describe('values of Parquet pages', () => {
  it('in BYTE_STREAM_SPLIT stand byte by byte', () => {
    const input = bytes(0xaa, 0x00, 0xbb, 0x11, 0xcc, 0x22, 0xdd, 0x33);
    const values = decodeValues(leafOf('fixed', 4), 9, input, 2, null, place);
    expect(values.get(0)).toEqual(bytes(0xaa, 0xbb, 0xcc, 0xdd));
    expect(values.get(1)).toEqual(bytes(0x00, 0x11, 0x22, 0x33));
  });

  it('of INT96 are nanoseconds since 1970', () => {
    const input = new Uint8Array(12);
    new DataView(input.buffer).setBigInt64(0, 1_000n, true);
    new DataView(input.buffer).setInt32(8, 2_440_589, true);
    const values = decodeValues(leafOf('int96'), 0, input, 1, null, place);
    expect(values.get(0)).toBe(86_400_000_001_000n);
  });

  it('are refused when the page is too short, the index too large, the encoding unknown', () => {
    const int = leafOf('int32');
    expect(() => decodeValues(int, 0, bytes(1, 2, 3), 1, null, place)).toThrow(LakeError);
    const dictionary = decodeValues(int, 0, bytes(1, 0, 0, 0), 1, null, place);
    const outside = decodeValues(int, 8, bytes(1, 2, 1), 1, dictionary, place);
    expect(() => outside.get(0)).toThrow(/value 1 of a dictionary of 1/);
    expect(() => decodeValues(int, 8, bytes(1, 2), 1, dictionary, place)).toThrow(/encoding 8/);
    expect(() => decodeValues(int, 8, bytes(1, 2, 0), 1, null, place)).toThrow(/encoding 8/);
    expect(() => decodeValues(int, 77, bytes(), 1, null, place)).toThrow(/encoding 77/);
  });
});

describe('codecs', () => {
  const plain = text('abcabcabcabcabcabcabcabcabcabcabc, and so on '.repeat(40));

  it('give back what was compressed, and nothing of another size', async () => {
    const stored: [number, Uint8Array][] = [
      [0, plain],
      [2, gzipSync(plain)],
      [4, brotliCompressSync(plain)],
      [6, zstdCompressSync(plain)],
    ];
    for (const [codec, input] of stored) {
      expect([...(await decompress(codec, input, plain.length, place))]).toEqual([...plain]);
      for (const size of [plain.length - 1, plain.length + 1]) {
        await expect(decompress(codec, input, size, place)).rejects.toThrow(LakeError);
      }
    }
    await expect(decompress(3, plain, 1, place)).rejects.toMatchObject({ code: 'unsupported' });
  });

  it('read LZ4 blocks bare and as Hadoop frames them', () => {
    // token: 3 literals, match of 4 + 4 at offset 3; then 2 literals
    const block = bytes(0x34, 0x61, 0x62, 0x63, 3, 0, 0x20, 0x78, 0x79);
    const expected = 'abcabcabcabxy';
    expect(Buffer.from(lz4Decompress(block, 13)!).toString()).toBe(expected);
    const framed = bytes(0, 0, 0, 13, 0, 0, 0, block.length, ...block);
    const twice = bytes(...framed, ...framed);
    expect(Buffer.from(lz4HadoopDecompress(twice, 26)!).toString()).toBe(expected + expected);
    expect(Buffer.from(lz4HadoopDecompress(block, 13)!).toString()).toBe(expected);
    expect(lz4Decompress(block, 12)).toBeNull();
    expect(lz4Decompress(bytes(0x14, 0x61, 2, 0), 9)).toBeNull();
    expect(lz4Decompress(bytes(0xff), 10)).toBeNull();
  });
});

describe('thrift', () => {
  it('reads fields by id and refuses lists that cannot fit', () => {
    const { struct, end } = readThrift(bytes(0x15, 0x54, 0x18, 1, 0x61, 0x11, 0, 9), 0, place);
    expect(numberAt(struct, 1)).toBe(42);
    expect(struct.get(3)).toBe(true);
    expect(end).toBe(7);
    expect(() => readThrift(bytes(0x19, 0xf5, 0xff, 0xff, 0x03, 0), 0, place)).toThrow(/a list/);
    expect(() => readThrift(bytes(0x15), 0, place)).toThrow(/too early/);
    const deep = new Uint8Array(200).fill(0x1c);
    expect(() => readThrift(deep, 0, place)).toThrow(/deeply/);
  });
});

describe('decompression bombs', () => {
  const zeros = new Uint8Array(4 * 1024 * 1024);

  it('stop at the size that the page header says', async () => {
    for (const [codec, input] of [
      [2, gzipSync(zeros)],
      [4, brotliCompressSync(zeros)],
      [6, zstdCompressSync(zeros)],
    ] as const) {
      await expect(decompress(codec, input, 1000, place)).rejects.toThrow(/not 1000 bytes/);
    }
  });

  it('are refused unread where the codec cannot make so many bytes', async () => {
    const claim = 200 * 1024 * 1024;
    const before = process.memoryUsage().arrayBuffers;
    for (const codec of [1, 5, 7]) {
      await expect(decompress(codec, bytes(1, 2, 3), claim, place)).rejects.toThrow(LakeError);
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(claim / 2);
  });
});
