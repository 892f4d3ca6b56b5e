import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bytesBlock, regionOf } from '../../../../test/support/field-blocks.ts';
import { filledBits } from '../../../../test/support/filled-bits.ts';
import { plainArena } from '../../../../test/support/plain-arena.ts';
import { OrdinalColumn } from './ordinal-column.ts';
import { OrdinalWriter } from './ordinal-writer.ts';

const seed = 20_260_304;
const arena = plainArena();

const open = (parts: readonly Uint8Array[]) => OrdinalColumn.open(regionOf(parts, arena), 'column');

function column(docs: readonly (readonly Uint8Array[])[]): OrdinalColumn {
  const writer = new OrdinalWriter();
  const cut = docs.length >> 1;
  writer.add(cut, bytesBlock(docs.slice(0, cut)));
  writer.add(docs.length - cut, bytesBlock(docs.slice(cut)));
  return open(writer.finish());
}

const bitsOf = (docs: number, fill: (bits: Int32Array) => void) => filledBits(arena, docs, fill);

const bytes = fc.uint8Array({ maxLength: 4 }).map((b) => b.map((x) => (x < 250 ? x % 3 : x)));
const columns = fc
  .tuple(fc.constantFrom(1, 3), fc.constantFrom(0, 0, 1030))
  .chain(([most, padding]) =>
    fc
      .array(fc.array(bytes, { maxLength: most }), { maxLength: 80 })
      .map((docs) => [...docs.slice(0, 40), ...Array(padding).fill([]), ...docs.slice(40)]),
  );
const sortedOf = (docs: readonly Uint8Array[][]): Buffer[] =>
  [...new Set(docs.flat().map((b) => Buffer.from(b).toString('latin1')))]
    .map((text) => Buffer.from(text, 'latin1'))
    .sort(Buffer.compare);

describe('an ordinal column', () => {
  test('gives back every value and its dictionary in byte order', () => {
    fc.assert(
      fc.property(columns, bytes, (docs: Uint8Array[][], other) => {
        const read = column(docs);
        const sorted = sortedOf(docs);
        expect(read.size).toBe(sorted.length);
        const visited: Buffer[] = [];
        read.forEachValue((value, length) => visited.push(Buffer.from(value.slice(0, length))));
        expect(visited).toEqual(sorted);
        sorted.forEach((value, ord) => {
          expect(Buffer.from(read.bytesOf(ord))).toEqual(value);
          expect(read.find(value)).toBe(ord);
        });
        docs.forEach((values, doc) => {
          expect(read.count(doc)).toBe(values.length);
          const ords = values.map((v) => sorted.findIndex((s) => s.equals(v)));
          expect(values.map((_, i) => read.ordAt(doc, i))).toEqual(ords);
          expect(read.ord(doc)).toBe(ords.length === 0 ? -1 : Math.min(...ords));
          expect(read.maxOrd(doc)).toBe(ords.length === 0 ? -1 : Math.max(...ords));
        });
        expect(read.find(other)).toBe(sorted.findIndex((s) => s.equals(other)));
        const lower = sorted.findIndex((s) => Buffer.compare(s, other) >= 0);
        expect(read.lowerBound(other)).toBe(lower < 0 ? sorted.length : lower);
      }),
      { seed, numRuns: 80 },
    );
  });

  test('finds what a scan finds for ranges and presence', () => {
    fc.assert(
      fc.property(columns, fc.nat(90), fc.nat(90), (docs: Uint8Array[][], a, b) => {
        const read = column(docs);
        const [lo, hi] = [Math.min(a, b) - 5, Math.max(a, b) - 5];
        const within = (doc: number) =>
          docs[doc].some((_, i) => read.ordAt(doc, i) >= lo && read.ordAt(doc, i) <= hi);
        const all = docs.map((_, doc) => doc);
        expect(bitsOf(docs.length, (bits) => read.fillOrds(lo, hi, bits))).toEqual(
          all.filter(within),
        );
        const present = all.filter((doc) => docs[doc].length > 0);
        expect(bitsOf(docs.length, (bits) => read.fillHas(bits))).toEqual(present);
      }),
      { seed, numRuns: 200 },
    );
  });

  test('takes wider codes for many distinct values', () => {
    for (const size of [255, 256, 65_535, 65_536]) {
      const docs = Array.from({ length: size }, (_, i) => [Buffer.from(`v${(i * 7919) % size}`)]);
      const read = column(docs);
      expect(read.size).toBe(size);
      for (let doc = 0; doc < size; doc += 97) {
        expect(Buffer.from(read.valueAt(doc, 0)).toString()).toBe(`v${(doc * 7919) % size}`);
      }
    }
  });

  test('merges to the bytes of a column built of the live values', () => {
    fc.assert(
      fc.property(columns, columns, fc.nat(), (first: Uint8Array[][], second, mask) => {
        const kept: Uint8Array[][] = [];
        const writer = new OrdinalWriter();
        for (const docs of [first, second] as Uint8Array[][][]) {
          const map = new Int32Array(docs.length);
          docs.forEach((values, doc) => {
            const gone = ((mask >> (doc % 7)) & 1) === 1;
            map[doc] = gone ? -1 : kept.push(values) - 1;
          });
          writer.merge(column(docs), map);
        }
        const rebuilt = new OrdinalWriter();
        rebuilt.add(kept.length, bytesBlock(kept));
        expect(Buffer.concat(writer.finish())).toEqual(Buffer.concat(rebuilt.finish()));
      }),
      { seed, numRuns: 100 },
    );
  });
});
