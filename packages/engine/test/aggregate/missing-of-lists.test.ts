/** Terms with a key for rows without a value, over lists of a few values that most rows have. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const SCHEMA = schemaOf({
  id: 'long',
  k: { kind: 'list', elementId: 3, elementRequired: false, element: { kind: 'string' } },
});
const LISTS = [['a', 'b', 'c'], ['a', 'b'], ['b', 'c'], []];
const rows = Array.from({ length: 4000 }, (_, id) => ({ id, k: LISTS[id % LISTS.length] }));
const having = (value: string) => rows.filter(({ k }) => k.includes(value)).length;

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(SCHEMA, { rows });
  await lake.build('fields:\n  - { name: k, type: KEYWORD, fast: true }');
});
afterAll(() => lake.close());

describe('rows without a value beside lists', () => {
  test.each([
    ['none', { none: 1000 }],
    ['b', { b: having('b') + 1000 }],
  ])('count once under the key "%s"', async (missing, more) => {
    const aggs = { k: { terms: { field: 'k', missing, order: { _key: 'asc' } } } } as const;
    const { results } = await lake.backend.aggregate({ aggs });
    const counts = { a: having('a'), b: having('b'), c: having('c'), ...more };
    expect(results.k).toEqual({
      buckets: Object.entries(counts).map(([key, doc_count]) => ({ key, doc_count })),
      sum_other_doc_count: 0,
      doc_count_error_upper_bound: 0,
    });
  });
});
