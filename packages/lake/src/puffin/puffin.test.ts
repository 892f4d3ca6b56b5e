import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { puffinBlobs } from '../../test/puffin-blobs.ts';
import { LakeError } from '../base/errors.ts';
import { decodeDeletionVector, encodeDeletionVector } from './deletion-vector.ts';
import { NO_POSITIONS, PositionSet, positionSet, unionPositions } from './position-set.ts';
import { encodeVectorFile } from './puffin-file.ts';
import { decodeRoaring64, encodeRoaring64 } from './roaring.ts';

const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));
const SEED = 20261121;

describe('roaring bitmaps', () => {
  it('reads the portable form byte by byte', () => {
    // one array container {1, 3}: count 1, key 0, cookie 12346, 1 container, key 0 card 2, offset
    // 16
    const bytes = hex('0100000000000000 00000000 3a300000 01000000 0000 0100 10000000 0100 0300');
    expect([...decodeRoaring64(bytes).positions]).toEqual([1, 3]);
    // run container 5..9 in the second 65,536: cookie 12347 | 0 << 16, flags 1, key 1 card 5
    const runs = hex('0100000000000000 00000000 3b300000 01 0100 0400 0100 0500 0400');
    expect([...decodeRoaring64(runs).positions]).toEqual([65541, 65542, 65543, 65544, 65545]);
  });

  it('round-trips every kind of container', () => {
    const dense = Int32Array.from({ length: 30_000 }, (_, i) => i * 2);
    const run = Int32Array.from({ length: 70_000 }, (_, i) => i + 100_000);
    const sparse = Int32Array.of(0, 65_535, 65_536, 2_147_483_646);
    for (const positions of [dense, run, sparse, new Int32Array(0)]) {
      expect(decodeRoaring64(encodeRoaring64(positions)).positions).toEqual(positions);
    }
    const clusters = fc
      .array(fc.tuple(fc.nat(5_000_000), fc.integer({ min: 1, max: 300 })), { maxLength: 60 })
      .map((runs) =>
        positionSet(runs.flatMap(([from, n]) => Array.from({ length: n }, (_, i) => from + i))),
      );
    fc.assert(
      fc.property(clusters, (set) => {
        expect(decodeRoaring64(encodeRoaring64(set.positions)).positions).toEqual(
          Int32Array.from(set.positions),
        );
      }),
      { seed: SEED, numRuns: 100 },
    );
  });

  it('refuses damaged bitmaps by name', () => {
    const good = encodeRoaring64(Int32Array.from({ length: 9000 }, (_, i) => i * 3));
    for (let cut = 0; cut < good.length; cut += 97) {
      expect(() => decodeRoaring64(good.subarray(0, cut))).toThrow(LakeError);
    }
    expect(() => decodeRoaring64(Uint8Array.of(...good, 0))).toThrow(/bytes after/);
  });

  it('counts positions of 2^31 and more, which no file has, and leaves them out', () => {
    // {1, 3} under high key 0; key 0x8000 is position 2^31; high key 2 is 2^33
    const low = '3a300000 02000000 0000 0100 0080 0000 18000000 1c000000 0100 0300 0000';
    const high = '02000000 3a300000 01000000 0000 0000 10000000 0000';
    const bytes = hex(`0200000000000000 00000000 ${low} ${high}`);
    const { positions, cardinality } = decodeRoaring64(bytes);
    expect([...positions]).toEqual([1, 3]);
    expect(cardinality).toBe(4);
    const twice = hex(`0200000000000000 ${high} ${high}`);
    expect(() => decodeRoaring64(twice)).toThrow(/high keys are not ascending/);
  });
});

describe('a deletion vector', () => {
  const set = positionSet([9, 3, 3, 70_000]);

  it('round-trips and knows its members', () => {
    const read = decodeDeletionVector(encodeDeletionVector(set));
    expect([...read.positions]).toEqual([3, 9, 70_000]);
    expect([2, 3, 9, 10, 70_000].map((p) => read.has(p))).toEqual([false, true, true, false, true]);
  });

  it('detects every flipped byte', () => {
    const blob = encodeDeletionVector(set);
    for (let i = 0; i < blob.length; i++) {
      const bad = blob.slice();
      bad[i] ^= 0x40;
      expect(() => decodeDeletionVector(bad), `byte ${i}`).toThrow(LakeError);
    }
  });

  it('unites sets', () => {
    expect(unionPositions([])).toBe(NO_POSITIONS);
    const other = new PositionSet(Int32Array.of(3, 4));
    expect([...unionPositions([set, other]).positions]).toEqual([3, 4, 9, 70_000]);
  });
});

describe('a puffin file', () => {
  it('lists what was written', async () => {
    const { bytes, entries } = encodeVectorFile(
      [
        { dataFile: 'file:/a.parquet', positions: positionSet([1]) },
        { dataFile: 'file:/b.parquet', positions: positionSet([2, 5]) },
      ],
      'test',
    );
    const blobs = puffinBlobs(bytes);
    expect(blobs.map((blob) => blob.properties)).toEqual([
      { 'referenced-data-file': 'file:/a.parquet', cardinality: '1' },
      { 'referenced-data-file': 'file:/b.parquet', cardinality: '2' },
    ]);
    expect(entries[0].contentOffset).toBe(4);
    const second = blobs[1];
    const blob = bytes.subarray(second.offset, second.offset + second.length);
    expect([...decodeDeletionVector(blob).positions]).toEqual([2, 5]);
  });
});
