import type {
  IndexDescription,
  ModeRequest,
  SearchRequest,
  SearchResponse,
} from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { describe, expect, it } from 'vitest';
import { styleFor } from '../../terminal/style.ts';
import { presentSearch } from '../run-search.ts';
import { resultLines } from './result-lines.ts';

const field = (name: string, type: string, cached: boolean) => ({
  ...{ name, type, cached, indexed: true, fast: type !== 'TEXT', source: [name] },
});
const index = {
  ...{ index: 'shop', status: 'live', num_docs: 2, snapshot: '7', index_generation: 1 },
  key: { partition: [], identifier: ['sku'] },
  fields: [
    field('name', 'TEXT', true),
    field('sku', 'KEYWORD', true),
    field('brand', 'KEYWORD', true),
    field('price', 'DOUBLE', true),
    field('at', 'DATE', false),
  ],
} as unknown as IndexDescription;
const style = styleFor({ color: false });
const page = { index, rowTexts: [], style, columns: 100 };
const hit = {
  coordinates: { identifier: [{ name: 'sku', value: 'A1' }] },
  score: 1.2345,
  fields: { name: 'a tent', sku: 'A1', brand: 'Zephyr', price: 6.67 },
};
const answer = (more: object = {}, of: object = {}) =>
  ({
    ...{ hits: [{ ...hit, ...of }], total: 1, took_ms: 1, snapshot: '7' },
    ...{ lag_snapshots: 0, lag_checked_ms: 0, ...more },
  }) as unknown as SearchResponse;
const search = (request: object): ModeRequest => ({
  mode: 'lexical',
  request: { index: 'shop', query: 'tent', ...request },
});

describe('the lines of a search answer', () => {
  it('begin a hit with its score, and do not repeat the key', () => {
    const lines = resultLines(answer(), search({}), page);
    expect(lines[2]).toBe(' 1  1.23  sku=A1                 brand Zephyr · price 6.67');
  });

  it('end with what was probably meant, with the same flags, then the next page', () => {
    const more = { total: 3, suggested_query: '-tent', suggested_total: 2 };
    const lines = resultLines(answer(more), search({ limit: 1, filter: 'a' }), page);
    expect(lines.slice(-3)).toEqual([
      '',
      'next: lhs search shop --filter a --limit 1 -- -tent',
      'next: lhs search shop tent --filter a --limit 1 --offset 1',
    ]);
    const none = resultLines(answer({ ...more, suggested_total: 0 }), search({}), page);
    expect(none.slice(-2)).toEqual(['', 'next: lhs search shop tent --offset 1']);
  });

  it('begin a sorted hit with the values that it is sorted by', () => {
    const sort = [{ field: 'price' }, { field: 'at', desc: true }];
    const values = [6.67, '2024-05-05T04:03:02.000000Z', 'A1'];
    const lines = resultLines(answer({}, { sort: values }), search({ sort }), page);
    expect(lines[2]).toMatch(
      /^ 1 {2}price 6\.67 · at 2024-05-05 04:03\S* {2}sku=A1 +brand Zephyr$/,
    );
  });

  it('have the values of sorts as they are written', () => {
    const sort = [{ field: 'brand' }];
    const lines = resultLines(answer({}, { sort: ['zephyr', 'A1'] }), search({ sort }), page);
    expect(lines[2]).toMatch(/^ 1 {2}brand Zephyr {2}sku=A1 /);
  });

  it('have no score where every row matches alike', () => {
    const lines = resultLines(answer(), search({ query: '*:*' }), page);
    expect(lines[2]).toMatch(/^ 1 {2}sku=A1 +brand Zephyr/);
  });

  it('name at most six values, those that matched first, and none twice', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const own = names.map((name) => field(name, 'KEYWORD', true));
    const exact = { ...field('name_exact', 'KEYWORD', true), source: ['name'] };
    const twin = { ...field('c_exact', 'KEYWORD', true), source: ['c'] };
    const [name] = index.fields;
    const wide = { ...page, index: { ...index, fields: [name, exact, ...own, twin] } };
    const values = { ...Object.fromEntries(names.map((one) => [one, one])), c_exact: 'c' };
    const fields = { name: 'a tent', name_exact: 'a tent', ...values };
    const highlight = { g: [[{ text: 'g', marked: true }]] };
    const lines = resultLines(answer({}, { fields, highlight }), search({}), wide);
    expect(lines[2]).toBe(' 1  1.23  sku=A1                 g g · a a · b b · c c · d d · e e');
    expect(lines[3]).toContain('a tent');
    expect(lines).toHaveLength(4);
  });

  it('name numbers that matched and are not cached, and none that the hits are sorted by', () => {
    const bare = index.fields.map((one) => ({ ...one, cached: one.type === 'TEXT' }));
    const view = { ...page, index: { ...index, fields: bare } };
    const highlight = { price: [[{ text: '6.67', marked: true }]] };
    const found = answer({}, { fields: { name: 'a tent' }, highlight, sort: [6.67, 'A1'] });
    const lines = resultLines(found, search({}), view);
    expect(lines.slice(2)).toEqual([' 1  1.23  sku=A1                 price 6.67', '    a tent']);
    const sorted = resultLines(found, search({ sort: [{ field: 'price' }] }), view);
    expect(sorted.slice(2)).toEqual([' 1  price 6.67  sku=A1', '    a tent']);
  });

  it('have all values of a title that is a list, those that matched with marks', () => {
    const fields = { name: ['a tent', 'a big tent', 'x'] };
    const marked = [
      { text: 'a big ', marked: false },
      { text: 'tent', marked: true },
    ];
    const linesOf = (highlight: object) =>
      resultLines(answer({}, { fields, highlight }), search({}), page).slice(3);
    expect(linesOf({ name: [marked] })).toEqual(['    a tent, a big «tent», x']);
    expect(linesOf({ name: [marked.slice(1)] })).toEqual(['    «tent», a tent, a big tent, x']);
    expect(linesOf({})).toEqual(['    a tent, a big tent, x']);
  });

  it('have a title inside of a struct once, with the marks of the struct', () => {
    const place = { ...field('at.place', 'TEXT', true), source: ['at'], path: 'place' };
    const inner = [field('id', 'KEYWORD', false), place];
    const view = { ...page, index: { ...index, fields: inner } };
    const highlight = {
      at: [
        [
          { text: 'near ', marked: false },
          { text: 'Bern', marked: true },
        ],
      ],
    };
    const found = answer({}, { fields: { 'at.place': 'near Bern' }, highlight });
    expect(resultLines(found, search({}), view).slice(2)).toEqual([
      ' 1  1.23  sku=A1',
      '    near «Bern»',
    ]);
  });

  it('have the first text with a value as title, and short other texts beside the key', () => {
    const texts = ['kind', 'note'].map((name) => field(name, 'TEXT', true));
    const view = { ...page, index: { ...index, fields: [...index.fields, ...texts] } };
    const linesOf = (fields: object, highlight: object = {}) =>
      resultLines(answer({}, { fields, highlight }), search({}), view).slice(2);
    const note = 'a text that is too long to be shown beside the key';
    expect(linesOf({ name: 'a tent', kind: 'Camping', note, price: 3 })).toEqual([
      ' 1  1.23  sku=A1                 price 3 · kind Camping',
      '    a tent',
    ]);
    expect(linesOf({ name: null, kind: 'Camping', note })).toEqual([
      ' 1  1.23  sku=A1',
      '    Camping',
    ]);
    const kind = [[{ text: 'Camping', marked: true }]];
    expect(linesOf({ name: 'a tent', kind: 'Camping' }, { kind })).toEqual([
      ' 1  1.23  sku=A1',
      '    a tent',
      '    kind: «Camping»',
    ]);
  });

  it('name the fields of fragments, the short ones first', () => {
    const marked = { text: 'red', marked: true };
    const highlight = { note: [[{ text: 'runs over ', marked: false }, marked]], hue: [[marked]] };
    const lines = resultLines(answer({}, { highlight }), search({}), page);
    expect(lines[4]).toBe('    hue: «red» · note: runs over «red»');
  });

  it('tell a table that was not looked at yet from one that cannot be reached', () => {
    const lag_checked_ms = undefined;
    const [first] = resultLines(answer({ lag_snapshots: null, lag_checked_ms }), search({}), page);
    expect(first).toBe('1 hit in shop · 1.0 ms · not yet compared with the table (snapshot 7)');
    const [later] = resultLines(answer({ lag_snapshots: null }), search({}), page);
    expect(later).toContain('the table cannot be reached');
  });
});

describe('a search with --fix', () => {
  it('says which query it answers, and keeps the order and facets of the request', async () => {
    const asked: SearchRequest[] = [];
    const backend = {
      search: async (request: SearchRequest) => {
        asked.push(request);
        const meant = { hits: [], total: 0, suggested_query: 'tents', suggested_total: 1 };
        return request.query === 'tnet' ? answer(meant) : answer({ notes: ['a note'] });
      },
    } as unknown as BackendApi;
    const more = { sort: [{ field: 'price' }], facets: { fields: ['brand'] } };
    const wanted = search({ query: 'tnet', suggest: true, ...more });
    const place = { format: 'json' as const, style, width: 80, readsRows: false, err: () => {} };
    const found = (await presentSearch(backend, wanted, place).wire()) as SearchResponse;
    expect(found.notes).toEqual(['0 hits for tnet: searched for tents', 'a note']);
    expect(asked).toEqual(['tnet', 'tents'].map((query) => ({ ...wanted.request, query })));
  });
});

describe('a search of an index that caches no text', () => {
  const bare = { ...index, fields: index.fields.map((one) => ({ ...one, cached: false })) };
  const row = { name: 'a waterproof tent' };
  const asked: SearchRequest[] = [];
  const backend = {
    describeIndex: async () => bare,
    search: async (request: SearchRequest) => {
      asked.push(request);
      return answer({}, { fields: {}, ...(request.hydrate === true ? { row } : {}) });
    },
  } as unknown as BackendApi;
  const shown = async (readsRows: boolean) => {
    const place = { format: 'table' as const, style, width: 80, readsRows, err: () => {} };
    return (await presentSearch(backend, search({}), place).lines()) as string[];
  };

  it('shows the first texts of the rows to a person', async () => {
    expect((await shown(true)).slice(2)).toEqual([' 1  1.23  sku=A1', '    a waterproof tent']);
    expect(asked.at(-1)).toMatchObject({ hydrate: true, hydrate_columns: ['name'] });
  });

  it('attaches no rows for a pipe', async () => {
    expect((await shown(false)).slice(2)).toEqual([' 1  1.23  sku=A1']);
    expect(asked.at(-1)?.hydrate).toBeUndefined();
  });
});
