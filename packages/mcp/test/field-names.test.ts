/** Names of fields in calls: other letters, unknown names, words in other fields. */
import { LhsError } from '@lakehouse-search/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../test/support/small-lake.ts';
import { TOOLS } from '../src/tools/all-tools.ts';
import { errorText } from '../src/tools/tool-error.ts';

const ROWS = Array.from({ length: 40 }, (_, id) => ({
  id,
  Title: `${['iron', 'stone', 'glass'][id % 3]} bridge`,
  remark: id % 5 === 0 ? 'iron and glass' : 'other',
  Rank: (id * 7) % 40,
}));

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(schemaOf({ id: 'long', Title: 'string', remark: 'string', Rank: 'long' }), {
    rows: ROWS,
  });
  await lake.build(`key: { identifier: [id] }
default_fields: [Title]
fields:
  - { name: Title, type: TEXT, cached: true }
  - { name: whole, source: Title, type: KEYWORD, fast: true }
  - { name: remark, type: TEXT }
  - { name: Rank, type: LONG, fast: true, cached: true }
  - { name: size, source: [Rank], type: LONG }
  - { name: Size, source: [Rank], type: LONG }`);
});
afterAll(() => lake.close());

async function ask(name: string, input: object) {
  const tool = TOOLS.find((one) => one.name === name)!;
  const answer = await tool.run(input, { backend: lake.library, call: {} });
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any tool's response
  return answer as { readonly text: string; readonly structured: any };
}
const countOf = (matches: (row: (typeof ROWS)[number]) => boolean) => ROWS.filter(matches).length;
const IRON = countOf(({ Title }) => Title.startsWith('iron'));

describe('names of fields in other letters', () => {
  it('are those of the only field, in all arguments of a search, and a note says so', async () => {
    const clauses = { query: 'title:iron AND rank:>=0', filter: 'TITLE:bridge' };
    const input = { ...clauses, sort: 'rank:desc', fields: ['title', 'RANK'], limit: 4 };
    const { structured, text } = await ask('search', input);
    const sorted = ROWS.filter(({ Title }) => Title.startsWith('iron')).map(({ Rank }) => Rank);
    const best = sorted.toSorted((a, b) => b - a).slice(0, 4);
    expect(structured.total).toBe(IRON);
    const shown = structured.hits.map(({ fields }: { fields: object }) => fields);
    expect(shown).toEqual(best.map((Rank) => ({ Title: 'iron bridge', Rank })));
    for (const name of ['title', 'TITLE']) {
      expect(text).toContain(`"${name}" was read as field "Title"`);
    }
    const next = await ask('search', { ...input, cursor: structured.continuation });
    expect(next.text).toContain('hits 5 to 8 of ');
  });

  it('are those of the only field in the arguments of an aggregation', async () => {
    const { structured } = await ask('aggregate', {
      ...{ query: 'title:iron', terms: 'Whole', stats: 'rank' },
    });
    expect(structured.total).toBe(IRON);
    expect(structured.results.terms.buckets).toMatchObject([{ doc_count: IRON }]);
    expect(structured.notes).toEqual([
      '"Whole" was read as field "whole"',
      '"rank" was read as field "Rank"',
      '"title" was read as field "Title"',
    ]);
  });

  it('are those of the only field in nested aggregations and their filters', async () => {
    const inner = { best: { max: { field: 'rank' } }, iron: { filter: { query: 'title:iron' } } };
    const aggs = { each: { terms: { field: 'WHOLE' }, aggs: inner } };
    const { structured } = await ask('aggregate', { aggs });
    const [glass, iron] = ['glass', 'iron'].map((word) => {
      const rows = ROWS.filter(({ Title }) => Title.startsWith(word));
      return { rows: rows.length, best: Math.max(...rows.map(({ Rank }) => Rank)) };
    });
    const buckets = Object.fromEntries(
      structured.results.each.buckets.map(({ key, ...bucket }: { key: string }) => [key, bucket]),
    );
    expect(buckets).toMatchObject({
      'iron bridge': { aggs: { best: { value: iron.best }, iron: { doc_count: iron.rows } } },
      'glass bridge': { aggs: { best: { value: glass.best }, iron: { doc_count: 0 } } },
    });
    expect(structured.notes).toContain('"title" was read as field "Title"');
    await expect(ask('aggregate', { aggs: { x: { max: { field: 'SIZE' } } } })).rejects.toThrow();
  });

  it.each(['SIZE:1', 'titel:iron'])('are an error if they are not unique: %s', async (query) => {
    await expect(ask('search', { query })).rejects.toMatchObject({ code: 'invalid_query' });
  });
});

describe('unknown names', () => {
  it('in "fields" are read as the name that they suggest, or left out', async () => {
    const { structured } = await ask('search', { query: 'iron', fields: ['remrak', 'xyzzy'] });
    expect(structured.hits).toHaveLength(10);
    expect(structured.hits[0].fields).toEqual({ remark: expect.anything() });
    expect(structured.notes.slice(0, 2)).toEqual([
      'no field "remrak": "remark" is shown',
      'no field "xyzzy"',
    ]);
  });

  it('in a clause have a query that works', async () => {
    const query = 'titel:iron AND Rank:>=0';
    const error: unknown = await ask('search', { query }).catch((reason: unknown) => reason);
    const text = await errorText(error as LhsError, { query }, { backend: lake.library, call: {} });
    expect(error).toBeInstanceOf(LhsError);
    const meant = /^suggested_query: (.*)$/m.exec(text)?.[1] ?? '""';
    expect(JSON.parse(meant)).toBe('Title:iron AND Rank:>=0');
    expect((await ask('search', { query: JSON.parse(meant) })).structured.total).toBe(IRON);
  });
});

describe('words that other fields have', () => {
  it('are counted each in any field, of several indexes together', async () => {
    for (const words of ['bridge glass', 'stone iron', 'glass  iron']) {
      const both = countOf(({ Title, remark }) => {
        return words.split(/ +/).every((word) => `${Title} ${remark}`.includes(word));
      });
      const { structured } = await ask('aggregate', { query: words });
      const note = structured.notes.find((one: string) => one.startsWith('words were searched'));
      const [, query = '""', total] = /query (".*") has (\d+)$/.exec(note) ?? [];
      expect(Number(total)).toBe(both);
      expect((await ask('aggregate', { query: JSON.parse(query) })).structured.total).toBe(both);
    }
    const { notes } = (await ask('aggregate', { query: 'bridge stone' })).structured;
    expect(notes).toBeUndefined();
  });

  it('have a query over all fields, and its count', async () => {
    const { structured } = await ask('search', { query: 'iron' });
    const note = structured.notes.find((one: string) => one.startsWith('words were searched'));
    const [, query, total] = /; in any of them: query (".*") has (\d+)$/.exec(note) ?? [];
    const any = countOf(({ Title, remark }) => `${Title} ${remark}`.includes('iron'));
    expect(Number(total)).toBe(any);
    expect((await ask('search', { query: JSON.parse(query) })).structured.total).toBe(any);
  });
});
