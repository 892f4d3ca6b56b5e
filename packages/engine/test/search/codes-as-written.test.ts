/** Codes as other systems write them, and lists and ranges of codes. */
import { appendRows } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const schema = schemaOf({ code: 'string', part: 'string', text: 'string', n: 'long' });
const ROWS = Array.from({ length: 300 }, (_, i) => ({
  code: `E${10 + Math.floor(i / 10)}.${i % 10}`,
  part: `${1000 + i}-AB/${i % 7}`,
  text: `disease ${i} type ${i % 3}`,
  n: i,
}));

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(schema);
  await appendRows(lake.source, { kind: 'rows', rows: ROWS });
  await lake.define(`key: { identifier: [code] }
default_fields: [text, code]
fields:
  - { name: text, type: TEXT }
  - { name: code, type: KEYWORD, folded: true }
  - { name: part, type: KEYWORD }
  - { name: n, type: LONG }`);
  await lake.backend.reindex({});
});
afterAll(() => lake.close());

const search = (query: string) => lake.backend.search({ query, suggest: true, limit: 1 });
const total = async (query: string) => (await lake.backend.search({ query })).total;

describe('a query is meant as', () => {
  it.each([
    ['e119', 'E11.9', 1],
    ['E-11-9', 'E11.9', 1],
    ['code:E119', 'code:E11.9', 1],
    ['part:1013ab6', 'part:1013-AB/6', 1],
    ['1013ab6', 'part:1013-AB/6', 1],
    ['E11.9,E12.0', '(E11.9 OR E12.0)', 2],
    ['e11.9|e12.0', '(e11.9 OR e12.0)', 2],
    ['E999', undefined, 0],
  ])('%s: %s', async (query, meant, count) => {
    const { suggested_query, suggested_total } = await search(query);
    expect(suggested_query).toBe(meant);
    if (meant === undefined) return;
    expect([suggested_total, await total(meant)]).toEqual([count, count]);
  });
});
