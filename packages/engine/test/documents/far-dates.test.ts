/**
 * Dates at the ends of what microseconds can say, and texts that are no dates: built, asked, paged,
 * refused.
 */

import type { SearchRequest } from '@lakehouse-search/contract';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const SCHEMA = schemaOf({ id: 'long', s: 'string' });
let lake: SmallLake;
beforeEach(async () => {
  lake = await openSmallLake();
  await lake.create(SCHEMA);
  await lake.define('fields:\n  - { name: s, type: DATE, cached: true }');
});
afterEach(() => lake.close());

const append = (texts: readonly string[]) => lake.append(texts.map((s, id) => ({ id, s })));
async function found(request: SearchRequest) {
  const { hits } = await lake.backend.search({ sort: [{ field: 's' }], ...request });
  return hits.map(({ fields }) => fields?.s);
}

/** Texts of a column, and what they are shown as, in order. */
const DATES: readonly (readonly [string, string])[] = [
  ['-9223372036854775808', '-290308-12-21T19:59:05.224192Z'],
  ['0000-01-01', '0000-01-01T00:00:00.000000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000000Z'],
  ['1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999999Z'],
  ['0', '1970-01-01T00:00:00.000000Z'],
  ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
  ['253402300800000000', '+010000-01-01T00:00:00.000000Z'],
  ['9223372036854775807', '+294247-01-10T04:00:54.775807Z'],
];

describe('dates far from today', () => {
  test('are found by column text and by shown text, and paged past', async () => {
    await append(DATES.map(([text]) => text));
    await lake.backend.reindex({});
    const shown = DATES.map(([, text]) => text);
    expect(await found({})).toEqual(shown);
    for (const [text, wanted] of DATES) {
      for (const value of [text, wanted]) {
        expect(await found({ ast: { term: { field: 's', value } } }), value).toEqual([wanted]);
      }
    }
    const above = { range: { field: 's', gt: shown[5]! } };
    expect(await found({ ast: above })).toEqual(shown.slice(6));
    for (const desc of [false, true]) {
      const paged: unknown[] = [];
      for (let after: SearchRequest['search_after']; ; ) {
        const sort = [{ field: 's', desc }];
        const { hits } = await lake.backend.search({ sort, limit: 1, search_after: after });
        if (hits.length === 0) break;
        paged.push(hits[0]!.fields?.s);
        after = JSON.parse(JSON.stringify(hits[0]!.sort));
      }
      expect(paged).toEqual(desc ? shown.toReversed() : shown);
    }
  });

  test.each([
    '2016-12-31T23:59:60Z',
    '2024-02-30',
    '2024-13-01',
    '2024-01-01T24:00:00Z',
    '2024-01-01T00:00:00+25:00',
    '10000-01-01',
    '-0001-01-01',
    '9223372036854775808',
    '-9223372036854775809',
    'NaN',
    'Infinity',
    '',
    ' 2024-01-01',
  ])('stop a build and a sync with key and row location: %j', async (text) => {
    await append(['2024-01-01']);
    await lake.backend.reindex({});
    await lake.append([{ id: 7, s: text }]);
    for (const work of [() => lake.backend.sync({}), () => lake.backend.reindex({})]) {
      const error = await work().catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'source_invalid' });
      expect(String(error)).toContain(`id=7: column "s" holds ${JSON.stringify(text)}`);
      expect(String(error)).toMatch(/row 0 of .*\.parquet/);
    }
    expect(await found({})).toEqual(['2024-01-01T00:00:00.000000Z']);
    const ast = { term: { field: 's', value: text } };
    await expect(lake.backend.search({ ast })).rejects.toMatchObject({ code: 'invalid_query' });
  });
});
