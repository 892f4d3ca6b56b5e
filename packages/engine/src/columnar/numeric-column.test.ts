import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { regionOf } from '../../../../test/support/field-blocks.ts';
import { filledBits } from '../../../../test/support/filled-bits.ts';
import { plainArena } from '../../../../test/support/plain-arena.ts';
import { orderedFromDouble } from '../base/arrays/ordered-double.ts';
import type { FieldBlock } from '../schema/field-block.ts';
import { NumericColumn } from './numeric-column.ts';
import { NumericWriter } from './numeric-writer.ts';

const seed = 20_260_303;
const arena = plainArena();

const open = (parts: readonly Uint8Array[]) => NumericColumn.open(regionOf(parts, arena), 'column');

function longBlock(docs: readonly (readonly bigint[])[]): FieldBlock {
  const starts = Int32Array.from([0, ...docs.map((values) => values.length)]);
  for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1];
  return { kind: 'long', starts, values: BigInt64Array.from(docs.flat()) };
}

function column(docs: readonly (readonly bigint[])[], cut: number): NumericColumn {
  const writer = new NumericWriter(false);
  for (const part of [docs.slice(0, cut), docs.slice(cut)]) {
    const empty = part.every((values) => values.length === 0);
    writer.add(part.length, empty ? null : longBlock(part));
  }
  return open(writer.finish());
}

const bitsOf = (docs: number, fill: (bits: Int32Array) => void) => filledBits(arena, docs, fill);

const value = fc.oneof(
  fc.bigInt(-3n, 3n),
  fc.bigInt(0n, 300n).map((n) => 1_700_000_000_000_000n + n * 1000n),
  fc.bigInt(0n, 70_000n),
  fc.bigInt(0n, 2n ** 40n),
  fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
);
/**
 * Columns of one range of values each, so that every width is met; few documents or more than a
 * zone.
 */
const columns = fc
  .tuple(
    fc.oneof(
      fc.constant(fc.bigInt(-3n, 3n)),
      fc.constant(fc.bigInt(0n, 300n).map((n) => 1_700_000_000_000_000n + n * 1000n)),
      fc.constant(fc.bigInt(0n, 70_000n)),
      fc.constant(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n)),
      fc.constant(value),
    ),
    fc.constantFrom(1, 3),
    fc.constantFrom(0, 1020, 2500),
  )
  .chain(([values, most, padding]) =>
    fc.tuple(
      fc.array(fc.array(values, { maxLength: most }), { maxLength: 60 }),
      fc.constant(padding),
    ),
  )
  .map(([docs, padding]) => [...docs.slice(0, 30), ...Array(padding).fill([]), ...docs.slice(30)]);

describe('a numeric column', () => {
  test('gives back every value, in order', () => {
    fc.assert(
      fc.property(columns, fc.nat(60), (docs: bigint[][], cut) => {
        const read = column(docs, cut);
        expect(read.docs).toBe(docs.length);
        docs.forEach((values, doc) => {
          expect(read.count(doc)).toBe(values.length);
          expect(read.has(doc)).toBe(values.length > 0);
          expect(values.map((_, i) => read.valueAt(doc, i))).toEqual(values);
          if (values.length === 0) return;
          const sorted = values.toSorted((a, b) => (a < b ? -1 : 1));
          expect([read.minAt(doc), read.maxAt(doc)]).toEqual([sorted[0], sorted.at(-1)]);
          expect([read.sortKey(doc), read.maxKey(doc)]).toEqual([
            Number(sorted[0]),
            Number(sorted.at(-1)),
          ]);
        });
      }),
      { seed, numRuns: 60 },
    );
  });

  test('finds what a scan finds for ranges, equality and presence', () => {
    const bound = fc.oneof(value, fc.bigInt(-(2n ** 64n), 2n ** 64n));
    fc.assert(
      fc.property(columns, bound, bound, fc.nat(), (docs: bigint[][], a, b, pick) => {
        const read = column(docs, 10);
        const all = docs.flat();
        const anchor = all.length > 0 ? all[pick % all.length] : 0n;
        for (const [lo, hi] of [
          [a, b].toSorted((x, y) => (x < y ? -1 : 1)),
          [anchor, b],
          [a, anchor],
        ]) {
          const expected = docs.flatMap((values, doc) =>
            values.some((v) => v >= lo && v <= hi) ? [doc] : [],
          );
          expect(bitsOf(docs.length, (bits) => read.fillRange(lo, hi, bits))).toEqual(expected);
        }
        const equal = docs.flatMap((values, doc) => (values.includes(anchor) ? [doc] : []));
        expect(bitsOf(docs.length, (bits) => read.fillEquals(anchor, bits))).toEqual(equal);
        const present = docs.flatMap((values, doc) => (values.length > 0 ? [doc] : []));
        expect(bitsOf(docs.length, (bits) => read.fillHas(bits))).toEqual(present);
        for (let zone = 0; zone < read.zones; zone++) {
          const keys = docs
            .slice(zone * 1024, (zone + 1) * 1024)
            .flat()
            .map(Number);
          const bounds =
            keys.length === 0 ? null : { lo: Math.min(...keys), hi: Math.max(...keys) };
          expect(read.zoneKeys(zone)).toEqual(bounds);
        }
      }),
      { seed, numRuns: 200 },
    );
  });

  test('keeps the value and the order of doubles', () => {
    const double = fc.double({ noDefaultInfinity: false, noNaN: false });
    fc.assert(
      fc.property(fc.array(double, { maxLength: 50 }), double, double, (values, a, b) => {
        const writer = new NumericWriter(true);
        const starts = Int32Array.from({ length: values.length + 1 }, (_, i) => i);
        writer.add(values.length, { kind: 'double', starts, values: Float64Array.from(values) });
        const read = open(writer.finish());
        const normal = values.map((v) => (v === 0 ? 0 : v));
        expect(normal.map((_, doc) => read.valueAt(doc, 0))).toEqual(normal);
        expect(normal.map((_, doc) => read.sortKey(doc))).toEqual(normal);
        const [lo, hi] = a <= b ? [a, b] : [b, a];
        if (Number.isNaN(a) || Number.isNaN(b)) return;
        const [from, to] = [orderedFromDouble(lo), orderedFromDouble(hi)];
        const expected = normal.flatMap((v, doc) => (v >= lo && v <= hi ? [doc] : []));
        expect(bitsOf(normal.length, (bits) => read.fillRange(from, to, bits))).toEqual(expected);
      }),
      { seed, numRuns: 300 },
    );
  });

  test('merges to the bytes of a column built of the live values', () => {
    fc.assert(
      fc.property(columns, columns, fc.nat(), (first: bigint[][], second: bigint[][], mask) => {
        const inputs = [first, second];
        const kept: bigint[][] = [];
        const writer = new NumericWriter(false);
        for (const docs of inputs) {
          const map = new Int32Array(docs.length);
          docs.forEach((values, doc) => {
            const gone = ((mask >> (doc % 7)) & 1) === 1;
            map[doc] = gone ? -1 : kept.push(values) - 1;
          });
          writer.merge(column(docs, 5), map);
        }
        const rebuilt = new NumericWriter(false);
        rebuilt.add(kept.length, longBlock(kept));
        expect(Buffer.concat(writer.finish())).toEqual(Buffer.concat(rebuilt.finish()));
      }),
      { seed, numRuns: 100 },
    );
  });

  test('finds nothing between two values that follow each other', () => {
    const docs = Array.from({ length: 70 }, (_, doc) => [BigInt(2 * doc + 1)]);
    const between = (lo: bigint, hi: bigint) =>
      bitsOf(docs.length, (bits) => column(docs, 0).fillRange(lo, hi, bits));
    expect(between(4n, 4n)).toEqual([]);
    expect(between(4n, 5n)).toEqual([2]);
  });

  test('finds ranges of many zones, in the arena and outside of it', () => {
    const docs = Array.from({ length: 70_001 }, (_, doc) => [BigInt((doc * 7919) % 1000)]);
    const found = bitsOf(docs.length, (bits) => column(docs, 0).fillRange(10n, 500n, bits));
    expect(found).toEqual(docs.flatMap(([n], doc) => (n >= 10n && n <= 500n ? [doc] : [])));
  });
});
