import type { Batch, Value } from '@lakehouse-search/lake';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../../test/support/schema.ts';
import { createMapping } from '../../schema/mapping.ts';
import { requireDefinition } from '../../schema/parse/parse-definition.ts';
import { vectorsOfColumn } from './vectors-of-column.ts';

const SCHEMA = schemaOf({
  id: 'string',
  v: { kind: 'list', elementId: 3, elementRequired: false, element: { kind: 'float' } },
});

function mappingOf(similarity: string) {
  const text =
    'version: 1\nindex: t\nsource: { path: x }\nfields: [{ name: v, type: VECTOR, dims: 3, ' +
    `similarity: ${similarity} }]`;
  const catalog = { names: [], tokenizers: [], filters: [], check: () => null };
  const analyzerOf = () => ({ name: '', analyze: () => 0, normalize: (word: string) => word });
  return createMapping(requireDefinition(text, catalog), SCHEMA, 'a.t', analyzerOf);
}

function vectors(similarity: string, lists: readonly (readonly Value[] | null)[]) {
  const ids = lists.map((_, i) => `row ${i}`);
  const offsets = Int32Array.from([0, ...ids.map((_, i) => ids.slice(0, i + 1).join('').length)]);
  const batch: Batch = {
    rows: lists.length,
    file: 'f',
    positions: Int32Array.from(lists.keys()),
    columns: [
      { kind: 'utf8', nulls: null, offsets, bytes: Buffer.from(ids.join('')) },
      { kind: 'values', values: lists },
    ],
  };
  const mapping = mappingOf(similarity);
  return vectorsOfColumn(mapping, mapping.fields[0].plan.vector!, batch, 1);
}

/** Vectors by row as the block gives them back. */
function read(block: ReturnType<typeof vectors>): (number[] | null)[] {
  return Array.from({ length: block.starts.length - 1 }, (_, row) => {
    const at = block.starts[row];
    if (at === block.starts[row + 1]) return null;
    const codes = block.codes.subarray(at * 3, (at + 1) * 3);
    return [...codes].map((code) => block.scales[at] * code);
  });
}

const number = fc.float({ noNaN: true, noDefaultInfinity: true, min: -(2 ** 100), max: 2 ** 100 });
const list = fc.oneof(
  fc.tuple(number, number, number),
  fc.constantFrom<readonly number[] | null>(null, [], [0, 0, 0], [-0, 0, 0]),
);

describe('vectors of a column', () => {
  it('equal the values of the rows to half a code', () => {
    fc.assert(
      fc.property(fc.array(list, { minLength: 1, maxLength: 9 }), (lists) => {
        const dot = read(vectors('dot', lists));
        const cosine = read(vectors('cosine', lists));
        lists.forEach((row, i) => {
          const largest = Math.max(0, ...(row ?? []).map(Math.abs));
          if (Math.fround(largest / 32_767) === 0) {
            expect(dot[i]).toBeNull();
            if (largest === 0) expect(cosine[i]).toBeNull();
            return;
          }
          // A scale below 2 ** -126 is a multiple of 2 ** -149: off by half of that, times the
          // code.
          const step = (largest / 32_767) * 0.501 + 32_767 * 2 ** -150;
          row!.forEach((value, c) => {
            expect(Math.abs(dot[i]![c] - value)).toBeLessThanOrEqual(step);
          });
          expect(Math.hypot(...cosine[i]!)).toBeCloseTo(1, 4);
        });
      }),
    );
  });

  it.each<[readonly Value[], string]>([
    [[1, 2], 'a vector of 3 numbers (it has 2)'],
    [[1, Number.NaN, 2], 'a vector of finite 32-bit numbers (number 2 is NaN)'],
    [[1, 2, Number.POSITIVE_INFINITY], 'a vector of finite 32-bit numbers (number 3 is Infinity)'],
    [[1e39, 0, 0], 'a vector of finite 32-bit numbers (number 1 is 1e+39)'],
    [[null, 0, 0], 'a vector of finite 32-bit numbers (number 1 is null)'],
  ])('refuses %s', (bad, expected) => {
    for (const similarity of ['cosine', 'dot', 'l2']) {
      expect(() => vectors(similarity, [[1, 1, 1], bad])).toThrow(
        expect.objectContaining({
          code: 'source_invalid',
          message: expect.stringContaining(`is not ${expected} (row 1 of f)`),
          details: expect.objectContaining({ key: 'id=row 1', column: 'v' }),
        }),
      );
    }
  });
});
