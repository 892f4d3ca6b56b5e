/** Codes as other systems write them, and lists and ranges of codes. */
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
  await lake.create(schema, { rows: ROWS });
  await lake.build(`key: { identifier: [code] }
default_fields: [text, code]
fields:
  - { name: text, type: TEXT }
  - { name: code, type: KEYWORD, folded: true }
  - { name: part, type: KEYWORD }
  - { name: n, type: LONG }`);
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
    ['E11-E13', 'code:(E11* OR E12* OR E13*)', 30],
    ['E11-13', 'code:(E11* OR E12* OR E13*)', 30],
    ['E13-E11', undefined, 0],
    ['E70-E74', undefined, 0],
  ])('%s: %s', async (query, meant, count) => {
    const { suggested_query, suggested_total } = await search(query);
    expect(suggested_query).toBe(meant);
    if (meant === undefined) return;
    expect([suggested_total, await total(meant)]).toEqual([count, count]);
  });
});

describe('a range of codes without an order', () => {
  const beginnings = 'code:(E11* OR E12* OR E13*)';
  const fails = 'a range needs a fast field: "code" is KEYWORD without fast';

  it('is suggested as its beginnings', async () => {
    const { notes, suggested_query } = await search('code BETWEEN E11 AND E13');
    const written = '"code BETWEEN E11 AND E13" is searched as words';
    expect(notes).toEqual([`${written}: perhaps you mean ${beginnings} (30 hits)`]);
    expect(suggested_query).toBe(beginnings);
    const error = await search('code:[E11 TO E13]').catch((fault) => fault);
    expect(error.message).toBe(fails);
    expect(error.hint).toMatch(/^set "fast: true" on "code" in the definition/);
    expect(error.hint.endsWith(`perhaps you mean ${beginnings} (30 hits)`)).toBe(true);
    expect(await total(beginnings)).toBe(30);
  });

  it.each([
    ['code BETWEEN E11 AND F13', `fails: ${fails}; set "fast: true" on "code"`],
    ['n:$5 AND code:[E11 TO F13]', `n:5 AND code:[E11 TO F13] fails: ${fails}`],
    ['code >= E11 AND text:disease', 'set "fast: true" on "code"'],
    ['text:disease code > E11', 'set "fast: true" on "code"'],
  ])('is no suggestion that fails: %s', async (query, note) => {
    const found = await search(query).catch((fault) => fault);
    const said = `${found.notes ?? found.hint}`;
    expect(said).toContain(note);
    expect(said).not.toContain('perhaps');
    expect(found.suggested_query ?? found.details?.suggested_query).toBeUndefined();
  });
});

describe('an explanation', () => {
  it('names the field of each part of a bare word', async () => {
    const coordinates = { identifier: [{ name: 'code', value: 'E10.2' }] };
    const { detail } = await lake.backend.explain({ query: 'E10.2 disease', coordinates });
    const parts = detail?.details.flatMap(({ details }) => details.map(({ clause }) => clause));
    expect(detail?.details.map(({ clause }) => clause)).toEqual(['E10.2', 'disease']);
    expect(parts).toEqual(['code:E10.2', 'text:disease']);
  });
});
