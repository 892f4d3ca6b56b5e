/** The kernels of aggregations against a walk over single documents. */
import { describe, expect, it } from 'vitest';
import { plainArena } from '../../../../../test/support/plain-arena.ts';
import { doubleFromOrdered, orderedFromDouble } from '../../base/arrays/ordered-double.ts';
import { wordsOf } from '../../bitmap/bitmap.ts';
import type { Region } from '../../storage/directory.ts';
import { bucketOf } from '../histogram/bucket-line.ts';
import type { Codes } from './code-loops.ts';
import { loopsOf } from './compiled-loops.ts';
import { DoubleLanes } from './double-lanes.ts';
import { addDouble, addTimes, doubleSum } from './exact-sum.ts';
import type { BucketLine } from './loops.ts';

const SEED = Number(process.env.LHS_SEED ?? 20_261_121);
const arena = plainArena(16 * 2 ** 20);
const loops = loopsOf(arena);

let state = SEED;
const next = () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state;
};
const below = (n: number) => Math.floor((next() / 2 ** 32) * n);

/** Bits of some documents; every 40th run of words has all or none. */
function bitmap(docs: number, share: number): Int32Array {
  const region: Region = arena.allocate(4 * wordsOf(docs));
  const bits = new Int32Array(region.bytes.buffer, region.offset, wordsOf(docs));
  let all: boolean | null = null;
  for (let doc = 0; doc < docs; doc++) {
    if (doc % 640 === 0) all = below(4) === 0 ? below(2) === 0 : null;
    if (all ?? below(1000) < share * 1000) bits[doc >> 5] |= 1 << (doc & 31);
  }
  return bits;
}
const has = (bits: Int32Array, doc: number) => ((bits[doc >> 5] >>> (doc & 31)) & 1) === 1;
const MAKERS = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array } as const;

function codesOf(width: 1 | 2 | 4, docs: number, size: number): Codes {
  const { offset } = arena.allocate(width * docs);
  const codes = new MAKERS[width](arena.memory.buffer, offset, docs);
  const skewed = below(2) === 0;
  return codes.map(() => (skewed && below(3) > 0 ? size - 1 : below(size)));
}

/** A view of the arena again: `map` makes arrays elsewhere. */
function placed<A extends Codes | BigInt64Array>(values: A): A {
  const { bytes, offset, length } = arena.allocate(values.byteLength);
  bytes.set(new Uint8Array(values.buffer, values.byteOffset, length));
  const Maker = values.constructor as new (buffer: ArrayBufferLike, at: number, n: number) => A;
  return new Maker(bytes.buffer, offset, values.length);
}

const SIZES = [1, 63, 64, 65, 300, 5000, 66_000];
const SHARES = [0, 0.003, 0.1, 0.3, 0.9, 1];
const WIDTHS = [
  [1, 256],
  [2, 4000],
  [2, 65_536],
  [4, 2 ** 32],
] as const;
const CASES = WIDTHS.flatMap(([width, size]) =>
  SHARES.map((share) => [width, size, share] as const),
);

describe('counting and summing loops', () => {
  it.each(CASES)(
    `codes of %i bytes below %i, %f of documents (seed ${SEED})`,
    (width, size, share) => {
      for (const docs of SIZES) {
        const codes = placed(codesOf(width, docs, size));
        const [bits, present] = [bitmap(docs, share), bitmap(docs, 0.95)];
        const found = Array.from({ length: docs }, (_, doc) => doc)
          .filter((doc) => has(bits, doc) && has(present, doc))
          .map((doc) => codes[doc]);
        const counts = new Map<number, number>();
        for (const code of found) counts.set(code, (counts.get(code) ?? 0) + 1);
        const sums = loops.sumCodes(codes, bits, present);
        expect(sums.count).toBe(found.length);
        expect(sums.sum).toBe(found.reduce((sum, code) => sum + BigInt(code), 0n));
        if (found.length > 0) {
          expect(sums.min).toBe(found.reduce((a, b) => Math.min(a, b)));
          expect(sums.max).toBe(found.reduce((a, b) => Math.max(a, b)));
        }
        if (size > 65_536) continue;
        const table = loops.countCodes(codes, bits, present, size);
        expect(table.length).toBe(size);
        expect([...table.entries()].filter(([, n]) => n > 0)).toEqual(
          [...counts].sort(([a], [b]) => a - b),
        );
      }
    },
  );

  it('count without a presence bitmap, and with a bitmap outside of the arena', () => {
    const codes = placed(codesOf(1, 1000, 9));
    const bits = Int32Array.from(bitmap(1000, 0.5));
    const wanted = new Int32Array(9);
    codes.forEach((code, doc) => {
      if (has(bits, doc)) wanted[code]++;
    });
    expect(loops.countCodes(codes, bits, null, 9)).toEqual(wanted);
  });

  it('sum 64-bit values up to the ends of their range', () => {
    const ends = [-(2n ** 63n), 2n ** 63n - 1n, -1n, 0n, 1n, 2n ** 32n, -(2n ** 32n)];
    for (const [docs, share] of [
      [1, 1],
      [70, 1],
      [5000, 0.2],
      [70_000, 0.9],
    ]) {
      const values = placed(BigInt64Array.from({ length: docs }, () => ends[below(ends.length)]));
      const [bits, present] = [bitmap(docs, share), bitmap(docs, 1)];
      const found = [...values].filter((_, doc) => has(bits, doc) && has(present, doc));
      const sums = loops.sumWide(values, bits, present);
      expect(sums.count).toBe(found.length);
      expect(sums.sum).toBe(found.reduce((a, b) => a + b, 0n));
      if (found.length === 0) continue;
      expect(sums.min).toBe(found.reduce((a, b) => (a < b ? a : b)));
      expect(sums.max).toBe(found.reduce((a, b) => (a > b ? a : b)));
    }
  });

  it('sum doubles in lanes, to the last bit as lane by lane', () => {
    const some = [0.1, -0.1, 1e300, -1e300, 1e-300, 3, -7.25, 2 ** 60];
    const odd = [...some, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const [docs, share, pool] of [
      [1, 1, some],
      [64, 1, some],
      [777, 0.5, some],
      [70_000, 0.02, some],
      [70_001, 0.9, some],
      [100, 0.5, odd],
    ] as const) {
      const ordered = () => orderedFromDouble(pool[below(pool.length)]);
      const values = placed(BigInt64Array.from({ length: docs }, ordered));
      const [bits, present] = [bitmap(docs, share), bitmap(docs, 1)];
      const found = [...values].filter((_, doc) => has(bits, doc) && has(present, doc));
      const sums = loops.sumDoubles(values, bits, present);
      const lanes = new DoubleLanes();
      const expected = lanes.finish(lanes.add(values, bits, present));
      expect(doubleSum(sums.sum)).toBe(doubleSum(expected.sum));
      expect(sums.count).toBe(found.length);
      if (found.length === 0) continue;
      expect(sums.min).toBe(found.reduce((a, b) => (a < b ? a : b)));
      expect(sums.max).toBe(found.reduce((a, b) => (a > b ? a : b)));
      const one = { sum: 0, compensation: 0 };
      for (const value of found) addDouble(one, doubleFromOrdered(value));
      const [sum, wanted] = [doubleSum(sums.sum), doubleSum(one)];
      if (Number.isFinite(wanted)) expect(Math.abs(sum - wanted)).toBeLessThanOrEqual(1e290);
      else expect(sum).toBe(wanted);
    }
  });

  it('add a value many times without rounding the product', () => {
    for (const value of [0.1, -1e-40, 3, 1e300, 2 ** 53 + 2, Number.POSITIVE_INFINITY]) {
      const [once, many] = [0, 1].map(() => ({ sum: 0, compensation: 0 }));
      for (let i = 0; i < 1001; i++) addDouble(once, value);
      addTimes(many, value, 1001);
      expect(doubleSum(many)).toBe(doubleSum(once));
    }
  });

  it('count by bucket', () => {
    const docs = 70_000;
    const [bits, present] = [bitmap(docs, 0.4), bitmap(docs, 0.99)];
    const narrow: BucketLine = {
      ...{ first: 0n, shift: 2, cells: Int32Array.from([0, 0, 1, 2, 2]) },
      lasts: Uint32Array.of(6, 10, 0xffff_ffff),
    };
    const first = -(2n ** 62n);
    const wide: BucketLine = {
      ...narrow,
      first,
      lasts: BigUint64Array.of(6n, 10n, 2n ** 64n - 1n),
    };
    const codes = placed(codesOf(4, docs, 20)) as Uint32Array;
    const values = placed(BigInt64Array.from(codes, (code) => first + BigInt(code)));
    const wanted = [0, 0, 0];
    codes.forEach((code, doc) => {
      if (has(bits, doc) && has(present, doc)) wanted[code <= 6 ? 0 : code <= 10 ? 1 : 2]++;
      expect(bucketOf(narrow, code)).toBe(bucketOf(wide, values[doc]));
    });
    expect([...loops.countBuckets(codes, bits, present, narrow)]).toEqual(wanted);
    expect([...loops.countBuckets(values, bits, present, wide)]).toEqual(wanted);
  });

  it('keep no room that a full arena refused', () => {
    const small = plainArena(2 ** 20);
    const loops = loopsOf(small);
    const { buffer } = small.memory;
    const codes = new Uint32Array(buffer, buffer.byteLength - 1024, 256);
    const bits = new Int32Array(buffer, codes.byteOffset - 32, 8).fill(1);
    const count = (size: number) => loops.countCodes(codes, bits, null, size)[0];
    expect(count(9)).toBe(8);
    expect(() => count(2 ** 20)).toThrow('left');
    // What lies there now is not overwritten.
    const { bytes } = small.allocate(4 * 2 ** 16);
    bytes.fill(7);
    expect(count(9)).toBe(8);
    expect(bytes.every((byte) => byte === 7)).toBe(true);
  });
});
