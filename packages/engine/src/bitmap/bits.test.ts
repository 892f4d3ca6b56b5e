import { describe, expect, it } from 'vitest';
import { plainArena } from '../../../../test/support/plain-arena.ts';
import { seededNumbers } from '../../../../test/support/random.ts';
import { bitKernelsOf, simdFor } from './bit-kernels.ts';
import { and, andNot, countBits, hasBit, or, wordsOf } from './bitmap.ts';
import { Bitmaps, copyBitmap } from './bitmaps.ts';

const SEED = Number(process.env.LHS_SEED ?? 20261121);
const DOCS = [1, 31, 256, 257, 4000, 5000, 12_345];

function randomBits(bits: Int32Array, docs: number, share: number, next: () => number): Int32Array {
  bits.fill(0);
  for (let doc = 0; doc < docs; doc++) if (next() < share) bits[doc >> 5] |= 1 << doc;
  return bits;
}

const bitsWhere = (docs: number, is: (doc: number) => boolean): Int32Array => {
  const bits = new Int32Array(wordsOf(docs));
  for (let doc = 0; doc < docs; doc++) if (is(doc)) bits[doc >> 5] |= 1 << doc;
  return bits;
};

describe(`kernels of bitmaps, seed ${SEED}`, () => {
  const arena = plainArena();
  const kernels = bitKernelsOf(arena);

  it.each(DOCS)('count and combine bitmaps of %i documents as single documents say', (docs) => {
    const next = seededNumbers(SEED + docs);
    const pool = new Bitmaps(arena, docs);
    for (const share of [0.001, 0.2, 1]) {
      const all = Array.from({ length: 6 }, () => randomBits(pool.take(), docs, share, next));
      const at = all.map(({ byteOffset }) => byteOffset);
      const bytes = all[0].byteLength;
      for (let n = 1; n <= 5; n++) {
        for (const blocked of [0, at[5]]) {
          const some = at.slice(0, n);
          const out = (doc: number) => blocked !== 0 && hasBit(all[5], doc);
          const every = bitsWhere(
            docs,
            (doc) => !out(doc) && all.slice(0, n).every((b) => hasBit(b, doc)),
          );
          const any = bitsWhere(
            docs,
            (doc) => !out(doc) && all.slice(0, n).some((b) => hasBit(b, doc)),
          );
          expect(kernels.countAll(some, blocked, bytes)).toBe(countBits(every));
          expect(kernels.countAny(some, blocked, bytes)).toBe(countBits(any));
        }
        const each = all.slice(0, n).map((b) => {
          return countBits(bitsWhere(docs, (doc) => hasBit(b, doc) && hasBit(all[5], doc)));
        });
        expect([...kernels.countEach(at.slice(0, n), at[5], bytes)]).toEqual(each);
      }
      for (const [name, loop] of [
        ['or', or],
        ['and', and],
        ['andNot', andNot],
      ] as const) {
        const expected = all[0].slice();
        loop(expected, all[1].slice());
        const into = pool.takeDirty();
        into.set(all[0]);
        pool[name](into, all[1]);
        expect(into).toEqual(expected);
        pool.give(into);
      }
      const set = Array.from({ length: docs }, (_, doc) => doc).filter((d) => hasBit(all[0], d));
      const found = pool.documents(all[0]);
      if (set.length > all[0].length) expect(found).toBeNull();
      else expect([...found!.docs.subarray(0, found!.count)]).toEqual(set);
      if (found !== null) pool.give(found.docs);
      for (const bits of all) pool.give(bits);
    }
  });

  it('compare codes with bounds as unsigned numbers, wide ones as signed', () => {
    const next = seededNumbers(SEED);
    const simd = simdFor(arena, new Int32Array(arena.memory.buffer, 1 << 20, 8))!;
    const docs = 1024;
    const words = docs >> 5;
    const room = arena.allocate(8 * docs + 4 * words * 3).offset;
    const present = new Int32Array(arena.memory.buffer, room + 8 * docs, words);
    const into = new Int32Array(arena.memory.buffer, room + 8 * docs + 4 * words, words);
    for (const width of [1, 2, 4, 8] as const) {
      const bytes = new Uint8Array(arena.memory.buffer, room, width * docs);
      for (let i = 0; i < bytes.length; i++) bytes[i] = next() < 0.3 ? 0 : 256 * next();
      const view = new DataView(bytes.buffer, room, bytes.length);
      const codeAt = (doc: number): bigint => {
        if (width === 1) return BigInt(view.getUint8(doc));
        if (width === 2) return BigInt(view.getUint16(2 * doc, true));
        return width === 4
          ? BigInt(view.getUint32(4 * doc, true))
          : view.getBigInt64(8 * doc, true);
      };
      for (let round = 0; round < 40; round++) {
        randomBits(present, docs, 0.7, next);
        randomBits(into, docs, 0.1, next);
        const [a, b] = [codeAt((docs * next()) | 0), codeAt((docs * next()) | 0)];
        const [lo, hi] = a < b ? [a, b] : [b, a];
        const given = round % 2 === 0 ? present : null;
        const before = into.slice();
        const expected = bitsWhere(docs, (doc) => {
          const fits = codeAt(doc) >= lo && codeAt(doc) <= hi;
          return hasBit(before, doc) || (fits && (given === null || hasBit(given, doc)));
        });
        const places = [room, given?.byteOffset ?? 0, into.byteOffset, words] as const;
        if (width === 8) simd.betweenWide(...places, lo, hi);
        else simd.between[width](...places, Number(lo), Number(hi - lo));
        expect(into).toEqual(expected.subarray(0, words));
      }
    }
  });

  it('mark deltas of every width, and stop at documents that are not there', () => {
    const next = seededNumbers(SEED);
    for (let width = 0; width <= 24; width++) {
      const n = 1 + Math.floor(127 * next());
      const data = arena.allocate(4 * 128 + 64).offset;
      const deltas = Array.from({ length: n }, () => Math.floor(next() * 2 ** Math.min(width, 12)));
      let doc = 16;
      const docs = deltas.map((delta) => (doc += delta + 1));
      deltas.forEach((delta, i) => {
        for (let bit = 0; bit < width; bit++) {
          const at = i * width + bit;
          if ((delta >> bit) & 1) arena.i32[(data >> 2) + (at >> 5)] |= 1 << at;
        }
      });
      const pool = new Bitmaps(arena, doc + 1);
      const expected = bitsWhere(doc + 1, (d) => docs.includes(d));
      const bits = pool.take();
      expect(kernels.mark(data, n, width, 16, bits.byteOffset, doc + 1)).toBe(doc);
      expect(bits).toEqual(expected);
      expect(() => kernels.mark(data, n, width, 16, bits.byteOffset, doc)).toThrow();
    }
  });
});

describe('bitmaps of small segments', () => {
  it('stay out of the arena before their pages fill it', () => {
    const arena = plainArena();
    const copies = Array.from({ length: 20_000 }, () => copyBitmap(arena, new Int32Array(8)));
    const near = copies.filter(({ buffer }) => buffer === arena.memory.buffer).length;
    // 64 MiB of pages, which are what an arena gives.
    expect(near).toBe(2 ** 26 / 4096);
  });
});
