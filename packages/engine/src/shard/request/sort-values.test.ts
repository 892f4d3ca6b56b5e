import type { Json } from '@lakehouse-search/contract';
import { describe, expect, test } from 'vitest';
import { orderedFromDouble } from '../../base/arrays/ordered-double.ts';
import { compareRanked, type SortKey, type SortValue } from '../../collect/order.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { encodeKey } from '../../schema/keys/key.ts';
import { readSearchAfter, sortToJson } from './sort-values.ts';

const by = (type: FieldPlan['type']): SortKey => ({
  kind: 'field',
  desc: false,
  field: {
    id: 0,
    name: type.toLowerCase(),
    type,
    inverted: null,
    column: 'numeric',
    stored: false,
  },
});
const order: readonly SortKey[] = [
  { kind: 'score', desc: true },
  by('LONG'),
  by('LONG'),
  by('DOUBLE'),
  by('DOUBLE'),
  by('DATE'),
  by('BOOL'),
  by('KEYWORD'),
  by('KEYWORD'),
];
const values: readonly SortValue[] = [
  6.98,
  12n,
  -9_007_199_254_740_993n,
  orderedFromDouble(-0.5),
  orderedFromDouble(Number.NaN),
  1_577_836_800_000_001n,
  1n,
  Buffer.from('zoë'),
  null,
];

describe('sort values of a hit', () => {
  test('are encoded and decoded without loss', () => {
    const spec = { partition: ['repo'], identifier: ['sha'] };
    const key = encodeKey(['git', '1\u0000a']);
    const json = JSON.parse(JSON.stringify(sortToJson(order, values, key))) as Json[];
    expect(json).toEqual([
      6.98,
      12,
      '-9007199254740993',
      -0.5,
      'NaN',
      '2020-01-01T00:00:00.000001Z',
      true,
      'zoë',
      null,
      ['git', '1\u0000a'],
    ]);
    const after = readSearchAfter(json, order, spec);
    expect(
      after.values.map((v) => (v instanceof Uint8Array ? Buffer.from(v).toString() : v)),
    ).toEqual(values.map((v) => (v instanceof Uint8Array ? Buffer.from(v).toString() : v)));
    expect(Buffer.compare(after.key, key)).toBe(0);
  });

  test('are refused as search_after with the offending position if they do not fit', () => {
    const spec = { partition: [], identifier: ['id'] };
    const scores: readonly SortKey[] = [{ kind: 'score', desc: true }];
    expect(() => readSearchAfter([1, 'a', 'b'], scores, spec)).toThrow(
      '"search_after" has 3 values: expected 2 (_score, the key)',
    );
    expect(() => readSearchAfter([], scores, spec)).toThrow('"search_after" has 0 values');
    expect(() => readSearchAfter(['a', '1'], scores, spec)).toThrow('"search_after[0]" is "a"');
    expect(() => readSearchAfter([1, 2], scores, spec)).toThrow('"search_after[1]" is 2');
  });

  const KEYS = ['-12', '0', '3', '\u{10FFFF}', 'é', 'a'];
  test.each([{ numbers: [0] }, {}])('without a key are behind all keys: %j', (own) => {
    const spec = { partition: [], identifier: ['id'], ...own };
    const { key } = readSearchAfter([5], [by('LONG')], spec);
    for (const text of KEYS) {
      expect(Buffer.compare(key, encodeKey([text], spec.numbers))).toBe(1);
    }
    const before = readSearchAfter([5, null], [by('LONG')], spec);
    for (const text of KEYS) {
      expect(Buffer.compare(before.key, encodeKey([text], spec.numbers))).toBe(-1);
    }
  });

  test.each([true, false])('end before a key that is sorted by, falling: %s', (desc) => {
    const spec = { partition: [], identifier: ['id'] };
    const keys: readonly SortKey[] = [by('LONG'), { kind: 'key', desc }, by('LONG')];
    const key = encodeKey(['7']);
    const document = { values: [5n, key, 1n], key };
    expect(compareRanked(document, readSearchAfter([5], keys, spec), keys)).toBe(-1);
    expect(compareRanked(document, readSearchAfter([4], keys, spec), keys)).toBe(1);
    const atStart = readSearchAfter([5, null, null, null], keys, spec);
    expect(compareRanked(document, atStart, keys)).toBe(1);
  });
});
