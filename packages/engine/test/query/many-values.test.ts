/**
 * Rows with tens of thousands of values and words in one field: built, merged, asked, counted,
 * phrases to the last word.
 */

import type { SearchRequest } from '@lakehouse-search/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const listOf = (elementId: number, kind: 'string' | 'long') =>
  ({ kind: 'list', elementId, elementRequired: false, element: { kind } }) as const;
const SCHEMA = schemaOf({
  id: 'long',
  k: listOf(5, 'string'),
  n: listOf(6, 'long'),
  t: 'string',
});
const FIELDS = `fields:
  - { name: k, type: KEYWORD, fast: true, cached: true }
  - { name: n, type: LONG }
  - { name: t, type: TEXT, analyzer: simple }`;
/** How many values each row has: about the bounds of a byte, of codes and of 16 bits. */
const COUNTS = [0, 1, 239, 240, 241, 255, 256, 257, 4097, 65_535, 65_536, 65_537, 70_000];
const values = (count: number) => Array.from({ length: count }, (_, i) => `v${i}`);
const rows = COUNTS.map((count, id) => ({
  id,
  k: values(count),
  n: values(count).map((_, i) => i * 3 - 1000),
  t: values(count).join(' '),
}));

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(SCHEMA, { rows: rows.slice(0, 6) });
  await lake.build(FIELDS);
  await lake.append(rows.slice(6));
  await lake.backend.sync({});
});
afterAll(() => lake.close());

async function ids(request: SearchRequest): Promise<number[]> {
  const { hits } = await lake.backend.search({ limit: 100, fields: [], ...request });
  return hits.map((hit) => Number(hit.coordinates.identifier[0]!.value)).sort((a, b) => a - b);
}
const having = (count: number) => COUNTS.flatMap((own, id) => (own >= count ? [id] : []));

async function expectAnswers(): Promise<void> {
  for (const count of COUNTS.filter((own) => own > 1)) {
    const last = count - 1;
    expect(await ids({ query: `k:v${last}` }), `k ${count}`).toEqual(having(count));
    expect(await ids({ query: `n:${last * 3 - 1000}` }), `n ${count}`).toEqual(having(count));
    expect(await ids({ query: `t:v${last}` }), `t ${count}`).toEqual(having(count));
    expect(await ids({ query: `t:"v${last - 1} v${last}"` }), `t ${count}`).toEqual(having(count));
    expect(await ids({ query: `t:"v${last} v${last - 1}"` }), `t ${count}`).toEqual([]);
    expect(await ids({ query: `n:>=${last * 3 - 1000}` }), `n ${count}`).toEqual(having(count));
  }
  const total = COUNTS.reduce((sum, count) => sum + count, 0);
  const aggs = {
    n: { stats: { field: 'n' } },
    k: { cardinality: { field: 'k' } },
    top: { terms: { field: 'k', size: 1, order: { _key: 'asc' as const } } },
  };
  const { results } = await lake.backend.aggregate({ aggs });
  expect(results.n).toMatchObject({ count: total, min: -1000, max: 69_999 * 3 - 1000 });
  expect(results.top).toMatchObject({ buckets: [{ key: 'v0', doc_count: having(1).length }] });
  const { facets } = await lake.backend.facets({ fields: ['k'], size: 1 });
  expect(facets[0]!.buckets).toEqual([{ value: 'v0', count: having(1).length }]);
  const { hits } = await lake.backend.search({ sort: [{ field: 'n', desc: true }], limit: 1 });
  expect(hits[0]!.sort![0]).toBe(69_999 * 3 - 1000);
  expect(hits[0]!.fields!.k).toHaveLength(70_000);
}

describe('fields with many values', () => {
  test('give the same hits in several segments', expectAnswers);

  test('give the same hits in one segment', async () => {
    await lake.backend.compact({ segments: 1 });
    await expectAnswers();
    expect(await lake.backend.verify({})).toMatchObject({ equal: true, faults: [] });
  });
});
