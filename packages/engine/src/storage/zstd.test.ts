import { constants, createZstdCompress, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { libraryUnpack, type Unpack, unpackFrame, zlibUnpack } from './zstd.ts';

const MOST = 2 ** 22;
const textOf = (length: number): Buffer => {
  const bytes = Buffer.alloc(length);
  let state = 42;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[at] = 97 + ((state >>> 16) % (at % 7 === 0 ? 26 : 3));
  }
  return bytes;
};
/** A frame whose head has no size. */
const streamed = async (bytes: Buffer): Promise<Buffer> => {
  const packer = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } });
  packer.write(bytes.subarray(0, 10));
  packer.flush(() => packer.end(bytes.subarray(10)));
  return Buffer.concat(await packer.toArray());
};
const library = libraryUnpack();

describe.each<[string, Unpack]>([
  ['of this process', unpackFrame],
  ['of node:zlib', zlibUnpack],
  ...(library === null ? [] : ([['of the library', library]] as [string, Unpack][])),
])('the zstd decoder %s', (_, unpack) => {
  it.each([0, 1, 255, 256, 300, 8191, 65_791, 65_792, 200_000])('unpacks %i bytes', (length) => {
    const bytes = textOf(length);
    const found = unpack(zstdCompressSync(bytes), MOST);
    expect(Buffer.from(found).equals(bytes)).toBe(true);
    expect(found.byteOffset).toBe(0);
  });

  it('unpacks a frame that does not declare its size', async () => {
    const bytes = textOf(50_000);
    const frame = await streamed(bytes);
    expect(Buffer.from(unpack(frame, MOST)).equals(bytes)).toBe(true);
  });

  it('refuses a frame with more bytes than allowed, also if its head lies', () => {
    expect(() => unpack(zstdCompressSync(textOf(5000)), 4999)).toThrow();
    const lying = zstdCompressSync(textOf(5000));
    lying.writeUInt16LE(100, 5);
    expect(() => unpack(lying, 4999)).toThrow();
  });

  it('throws for each frame that is cut, and never returns wrong lengths for flipped bits', () => {
    const bytes = textOf(3000);
    const frame = zstdCompressSync(bytes);
    for (let cut = 0; cut < frame.length; cut += 7) {
      expect(() => unpack(frame.subarray(0, cut), MOST)).toThrow();
    }
    for (let at = 0; at < frame.length; at++) {
      const damaged = Buffer.from(frame);
      damaged[at] ^= 1 << (at % 8);
      let found: Uint8Array | undefined;
      try {
        found = unpack(damaged, MOST);
      } catch {
        continue;
      }
      expect(found.length).toBeLessThanOrEqual(MOST);
    }
    expect(Buffer.from(unpack(frame, MOST)).equals(bytes)).toBe(true);
  });
});
