import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainArena } from '../../../../test/support/plain-arena.ts';
import { NumericColumn } from './numeric-column.ts';
import { NumericWriter } from './numeric-writer.ts';
import { valueNumbers } from './value-numbers.ts';

const arena = plainArena();

function columnOf(docs: readonly (readonly bigint[])[]): NumericColumn {
  const writer = new NumericWriter(false);
  const starts = Int32Array.from([0, ...docs.map((values) => values.length)]);
  for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1];
  writer.add(docs.length, { kind: 'long', starts, values: BigInt64Array.from(docs.flat()) });
  const bytes = Buffer.concat(writer.finish());
  const region = arena.allocate(bytes.length);
  region.bytes.set(bytes);
  return NumericColumn.open(region, 'column');
}

const narrow = fc.bigInt({ min: 0n, max: 2n ** 32n - 1n });
const wide = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

describe('valueNumbers', () => {
  it.each([
    ['32-bit codes, one value per document', narrow, 1],
    ['32-bit codes, several values', narrow, 3],
    ['64-bit values, one per document', wide, 1],
    ['64-bit values, several', wide, 3],
  ])('numbers the lowest values by rising value: %s', (_, value, most) => {
    const values = fc.array(fc.oneof(fc.constantFrom(1n, 2n, 3n), value), { maxLength: most });
    fc.assert(
      fc.property(fc.array(values, { minLength: 1, maxLength: 60 }), (docs) => {
        const column = columnOf(docs);
        const lowest = docs.map((own) => [...own].sort((a, b) => (a < b ? -1 : 1))[0]);
        const given = docs.flatMap((own, doc) => (own.length > 0 && doc % 3 > 0 ? [doc] : []));
        const distinct = [...new Set(given.map((doc) => lowest[doc]))];
        distinct.sort((a, b) => (a < b ? -1 : 1));
        const wanted = docs.map((_own, doc) =>
          given.includes(doc) ? distinct.indexOf(lowest[doc]) + 1 : 0,
        );
        const { numbers, count } = valueNumbers(column, Int32Array.from(given));
        expect([...numbers]).toEqual(wanted);
        expect(count).toBe(distinct.length);
      }),
    );
  });
});
