/** What an error says of the definition is true: done as it says, the request is answered. */

import { LhsError } from '@lakehouse-search/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const SCHEMA = schemaOf({ id: 'long', n: 'long', k: 'string', meta: 'variant' });
const fields = (n: string, k: string, shapes = '') => `fields:
  - { name: n, type: LONG, ${n} }
  - { name: k, type: KEYWORD, ${k} }
variants:
  - { column: meta${shapes} }`;
const WITHOUT = fields('indexed: true, fast: false', 'indexed: false, fast: false');
const WITH = fields(
  'indexed: true, fast: true',
  'indexed: true, fast: true',
  ', shapes: [ { name: all, fields: [ { path: size, type: LONG, fast: true } ] } ]',
);

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(SCHEMA, {
    formatVersion: 3,
    rows: [1, 2, 3].map((id) => ({ id, n: id, k: `v${id}`, meta: { size: id } })),
  });
});
afterAll(() => lake.close());

/**
 * What is requested, the setting that it needs, the request, and its response with that setting.
 */
const ASKED: readonly [string, string, () => Promise<unknown>, object][] = [
  [
    'a sort',
    'set "fast: true" on "n"',
    () => lake.backend.search({ sort: [{ field: 'n' }] }),
    { total: 3 },
  ],
  [
    'a sort by values',
    'set "fast: true" on "k"',
    () => lake.backend.search({ sort: [{ field: 'k' }] }),
    { total: 3 },
  ],
  [
    'a collapse',
    'set "fast: true" on "k"',
    () => lake.backend.search({ collapse: 'k' }),
    { total: 3 },
  ],
  [
    'a range',
    'set "fast: true" on "n"',
    () => lake.backend.search({ query: 'n:[1 TO 2]' }),
    { total: 2 },
  ],
  [
    'an aggregation',
    'set "fast: true" on "n"',
    () => lake.backend.aggregate({ aggs: { a: { stats: { field: 'n' } } } }),
    { results: { a: { count: 3, sum: 6 } } },
  ],
  [
    'a value',
    'set "indexed: true" on "k"',
    () => lake.backend.search({ query: 'k:v1' }),
    { total: 1 },
  ],
  [
    'a suggestion',
    'set "indexed: true" on "k"',
    () => lake.backend.suggest({ field: 'k', text: 'v' }),
    { suggestions: [{ text: 'v1' }, { text: 'v2' }, { text: 'v3' }] },
  ],
  [
    'a range on a path',
    'declare "size" as a field',
    () => lake.backend.search({ query: 'meta.size:>1' }),
    { total: 2 },
  ],
  [
    'an aggregation of a path',
    'declare "meta.size" as a fast field',
    () => lake.backend.aggregate({ aggs: { a: { stats: { field: 'meta.size' } } } }),
    { results: { a: { count: 3, sum: 6 } } },
  ],
];

describe('hints to change the definition', () => {
  test('name the setting that makes the request work', async () => {
    await lake.build(WITHOUT);
    for (const [what, setting, ask] of ASKED) {
      const error = await ask().catch((reason: unknown) => reason);
      expect(error, what).toBeInstanceOf(LhsError);
      const { hint } = error as LhsError;
      expect(hint, what).toContain(`${setting}`);
      expect(hint, what).toContain(`in the definition, then alter index "t" with it`);
    }
    await lake.backend.dropIndex({ index: 't' });
    await lake.build(WITH);
    for (const [what, , ask, response] of ASKED) {
      expect(await ask(), what).toMatchObject(response);
    }
  });

  test('are not given of a text whose whole values another field has', async () => {
    const index = 'exact';
    const definition = `version: 1
index: exact
source: { catalog: ${JSON.stringify(lake.source.catalog)}, table: a.t }
fields:
  - { name: k, type: TEXT }
  - { name: k_all, source: k, type: KEYWORD, fast: true }`;
    await lake.backend.createIndex({ definition });
    await lake.backend.reindex({ index });
    const requests: readonly ((field: string) => Promise<object>)[] = [
      (field) => lake.backend.search({ index, sort: [{ field }] }),
      (field) => lake.backend.search({ index, collapse: field }),
      (field) => lake.backend.search({ index, query: `${field}:[v1 TO v2]` }),
      (field) => lake.backend.aggregate({ index, aggs: { a: { terms: { field } } } }),
    ];
    for (const request of requests) {
      const [words, whole] = await Promise.all([request('k'), request('k_all')]);
      expect({ ...words, took_ms: 0 }).toEqual({ ...whole, took_ms: 0 });
    }
    const { facets } = await lake.backend.search({ index, facets: { fields: ['k', 'k_all'] } });
    expect(facets?.[0]).toEqual({ ...facets?.[1], field: 'k' });
  });
});
