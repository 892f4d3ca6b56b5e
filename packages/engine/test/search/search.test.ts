/** Requests and answers of the embedded engine over the six tickets of docs/query.md. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Hit, LhsError, type SearchRequest } from '@lakehouse-search/engine';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { deleteRows, importFiles, upsertRows } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const tickets = fileURLToPath(new URL('../../../../fixtures/query-docs.ndjson', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'lhs-search-'));
const warehouse = join(folder, 'warehouse');
const catalog = { type: 'filesystem', warehouse } as const;
const table = 'docs.tickets';
const definition = `version: 1
index: tickets
source: { catalog: { type: filesystem, warehouse: ${JSON.stringify(warehouse)} }, table: ${table} }
key: { identifier: [id] }
fields:
  - { name: subject, type: TEXT, cached: true }
  - { name: body, type: TEXT, analyzer: english, cached: true }
  - { name: author, type: KEYWORD, fast: true, cached: true }
  - { name: state, type: KEYWORD }
  - { name: words, type: LONG, cached: true }
  - { name: rating, type: DOUBLE }
  - { name: opened_at, type: DATE, cached: true }
  - { name: labels, type: KEYWORD, cached: true }
`;
let backend: LocalEngine;

beforeAll(async () => {
  await importFiles({ catalog, table, files: [tickets], key: ['id'], formatVersion: 3 });
  backend = await openEngine(join(folder, 'data'), { create: true, threads: 0, freshnessMs: 0 });
  await backend.createIndex({ definition });
  await backend.reindex({});
});
afterAll(async () => {
  await backend.close();
  rmSync(folder, { recursive: true, force: true });
});

const idOf = (hit: Hit): string => hit.coordinates.identifier[0]!.value;
const ids = async (request: SearchRequest): Promise<string> =>
  (await backend.search(request)).hits.map(idOf).join(' ');

async function refusal(request: SearchRequest): Promise<string> {
  try {
    await backend.search(request);
  } catch (error) {
    if (error instanceof LhsError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'accepted';
}

describe('a search', () => {
  it('returns total, freshness and cached fields', async () => {
    const answer = await backend.search({ query: 'roaming' });
    expect(answer).toMatchObject({
      total: 1,
      shards_scanned: 1,
      shards_total: 1,
      index_generation: 1,
    });
    expect(answer.snapshot).toMatch(/^\d+$/);
    expect(answer.lag_snapshots).toBe(0);
    expect(answer.hits[0]).toEqual({
      coordinates: { identifier: [{ name: 'id', value: '4' }] },
      key: 'id=4',
      id: '4',
      score: expect.closeTo(0.79, 1),
      fields: {
        subject: 'Timeout while roaming between networks',
        body: 'The client roams and then times out',
        author: 'Cy',
        words: 5,
        opened_at: '2024-02-29T23:59:59.999999Z',
        labels: ['net'],
      },
    });
    const [only] = (await backend.search({ query: 'roaming', fields: ['author'] })).hits;
    expect(only!.fields).toEqual({ author: 'Cy' });
  });

  it('sorts with missing values last in both directions, and pages in every order', async () => {
    const rising = { query: '*:*', sort: [{ field: 'rating' }] };
    expect(await ids(rising)).toBe('4 3 2 1 6 5');
    expect(await ids({ ...rising, sort: [{ field: 'rating', desc: true }] })).toBe('6 1 2 3 4 5');
    const scrolled: string[] = [];
    let after: SearchRequest['search_after'];
    for (let page = 0; page < 6; page++) {
      const { hits } = await backend.search({ ...rising, limit: 1, search_after: after });
      scrolled.push(...hits.map(idOf));
      after = hits[0]!.sort;
    }
    expect(scrolled.join(' ')).toBe('4 3 2 1 6 5');
    expect(after).toEqual([null, '5']);
    expect(await ids({ ...rising, search_after: after })).toBe('');
  });

  it('collapses, counting documents', async () => {
    const answer = await backend.search({
      query: '*:*',
      sort: [{ field: 'words', desc: true }],
      collapse: 'author',
    });
    expect(answer.total).toBe(6);
    expect(answer.hits.map((hit) => [idOf(hit), hit.collapse])).toEqual([
      ['1', { value: 'Ada', count: 1 }],
      ['5', { value: 'Bo', count: 2 }],
      ['3', { value: 'Ada Lovelace', count: 1 }],
      ['6', { value: 'Cy', count: 2 }],
    ]);
  });

  it('highlights matches per field', async () => {
    const { hits } = await backend.search({
      query: '"quick brown" body:run',
      sort: [{ field: '_key' }],
      highlight: {},
    });
    const shown = hits.map((hit) =>
      Object.entries(hit.highlight ?? {}).map(([field, fragments]) => {
        const text = fragments.map((f) =>
          f.map((s) => (s.marked ? `«${s.text}»` : s.text)).join(''),
        );
        return `${field}: ${text.join(' … ')}`;
      }),
    );
    expect(shown).toEqual([
      [
        'subject: The «quick brown» fox jumps over the lazy dog',
        'body: Foxes were «running» across the yard',
      ],
      ['body: How to «run» the server in a minute'],
    ]);
  });

  it('filters without scoring', async () => {
    const [free, kept] = await Promise.all([
      backend.search({ query: 'quick' }),
      backend.search({ query: 'quick', filter: 'author:A*' }),
    ]);
    expect(kept.total).toBe(2);
    const scores = new Map(free.hits.map((hit) => [idOf(hit), hit.score]));
    for (const hit of kept.hits) expect(hit.score).toBe(scores.get(idOf(hit)));
  });

  it('joins the clauses of a filter with AND, unless the operator is given', async () => {
    const filter = 'author:Bo state:open';
    const found = await backend.search({ filter });
    expect(found.hits.map(idOf)).toEqual(['2']);
    expect((await backend.search({ filter, default_operator: 'or' })).total).toBe(4);
    expect((await backend.search({ query: filter })).total).toBe(4);
  });

  it('reads now as the time of the request in every part of it', async () => {
    const now = Date.parse('2024-03-10T12:00:00Z');
    const ids = async (request: SearchRequest) =>
      (await backend.search({ now, ...request })).hits.map(idOf).sort();
    expect(await ids({ query: 'opened_at:>=now-10d/d' })).toEqual(['4', '6']);
    expect(await ids({ filter: 'opened_at:now/d' })).toEqual(['6']);
    expect(await ids({ ast: { range: { field: 'opened_at', lt: 'now-2M/M' } } })).toEqual(['5']);
    expect(await ids({ filter: 'opened_at:now/d', now: Date.parse('2024-02-01') })).toEqual(['3']);
    const aggs = { young: { filter: 'opened_at:>now-30d' } };
    expect((await backend.aggregate({ aggs, now })).results).toMatchObject({
      young: { doc_count: 2 },
    });
    expect((await backend.search({ query: 'opened_at:>now' })).total).toBe(0);
  });

  it.each([
    ['rating>=3', 'rating:>=3'],
    ['words=9', 'words:9'],
    ['words!=9', '-words:9'],
    ['wrods>3', 'words:>3'],
  ])('names what was meant by %s', async (query, suggestion) => {
    const { total } = await backend.search({ query: suggestion });
    expect(total).toBeGreaterThan(0);
    expect(await backend.clauseCounts({ query })).toEqual([
      { clause: query, total: 0, suggestion, suggestion_total: total },
    ]);
  });

  it('suggests no clause of a field that the index lacks', async () => {
    expect(await backend.clauseCounts({ query: 'nothing.like.it>=3' })).toEqual([
      { clause: 'nothing.like.it>=3', total: 0 },
    ]);
  });

  it('counts each clause of a query without hits and names the nearest term', async () => {
    const query = 'timeout AND author:Boo AND NOT quick';
    expect((await backend.search({ query })).total).toBe(0);
    expect(await backend.clauseCounts({ query })).toEqual([
      { clause: 'timeout', total: 1 },
      { clause: 'author:Boo', total: 0, suggestion: 'author:Bo', suggestion_total: 2 },
    ]);
  });

  it('measures queries', async () => {
    const queries = ['quick fox', 'start'];
    const found = await backend.bench({ index: 'tickets', queries, operator: 'and', repeat: 3 });
    expect(found.queries.map(({ query, total }) => [query, total])).toEqual([
      ['quick fox', 2],
      ['start', 2],
    ]);
    expect(found).toMatchObject({ engine: 'lhs', index: 'tickets', operator: 'and' });
  });

  it.each<[SearchRequest, string]>([
    [
      { query: 'a', sort: [{ field: 'state' }] },
      '"sort" needs a fast field: "state" is KEYWORD without fast',
    ],
    [
      { query: 'a', sort: [{ field: 'wrods' }] },
      '"sort" names field "wrods", which is not in index "tickets"',
    ],
    [
      { query: 'a', collapse: 'subject' },
      '"collapse" needs a fast field: "subject" is TEXT without fast',
    ],
    [{ query: 'a', fields: ['state'] }, '"fields" names "state", which is not cached'],
    [
      { query: 'a', highlight: { fields: ['subjct'] } },
      '"highlight.fields" names field "subjct", which is not in index "tickets"',
    ],
  ])('refuses %j', async (request, message) => {
    expect(await refusal(request)).toBe(`invalid_argument: ${message}`);
  });

  it.each([
    ['words:[5 TO 1]', 'words:[5 TO 1]'],
    ['fox AND words:{5 TO 5}', 'words:{5 TO 5}'],
    ['rating:[2.5 TO 2.4]', 'rating:[2.5 TO 2.4]'],
    ['opened_at:[2025-12 TO 2025-01]', 'opened_at:[2025-12 TO 2025-01]'],
    ['author:[m TO a]', 'author:[m TO a]'],
    ['author:{a TO a]', 'author:{a TO a]'],
  ])('notes that a range of %s is empty', async (query, range) => {
    const note = `the range ${range} is empty: no value is between its bounds`;
    const empty = await backend.search({ query });
    expect([empty.total, empty.notes]).toEqual([0, [note]]);
    const filter = await backend.search({ query: 'fox', filter: query });
    expect([filter.total, filter.notes]).toEqual([0, [note]]);
  });

  it('notes that a range of numbers compares the texts of a KEYWORD', async () => {
    const notes = async (query: string) => (await backend.search({ query })).notes ?? [];
    for (const range of ['author:[5 TO 40]', 'author:[60 TO *]', 'author:[* TO -1.5}'])
      expect(await notes(range)).toEqual([
        expect.stringMatching(
          / is a KEYWORD, in which "10" is before "9"; .* column "author" .* as double$/,
        ),
      ]);
    for (const range of ['author:[01000 TO 02000]', 'author:[a TO *]', 'words:[5 TO 40]'])
      expect(await notes(range)).toEqual([]);
  });

  it('notes an empty range of a tree, and none of a range with values', async () => {
    const range = { field: 'words', gte: '5', lte: '1' };
    const { notes } = await backend.search({ ast: { range } });
    expect(notes).toEqual(['the range words:[5 TO 1] is empty: no value is between its bounds']);
    for (const query of [
      'words:[1 TO 1]',
      'words:[1 TO *]',
      'author:[a TO a]',
      'words:[9999 TO *]',
    ])
      expect((await backend.search({ query })).notes).toBe(undefined);
  });

  it('reads rows from the current table and lists those that are gone', async () => {
    const before = await backend.search({ query: '*:*', sort: [{ field: '_key' }], hydrate: true });
    expect(before.hits.map((hit) => hit.row?.id)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(before.hydrate_bytes).toBeGreaterThan(0);
    await upsertRows(
      { catalog, table },
      { kind: 'rows', rows: [{ id: 2n, subject: 'Slow start' }] },
    );
    await deleteRows({ catalog, table }, 'id = 3');
    const request: SearchRequest = {
      query: 'quick',
      sort: [{ field: '_key' }],
      hydrate: true,
      hydrate_columns: ['subject'],
    };
    const { hits, lag_snapshots } = await backend.search(request);
    expect(hits.map((hit) => hit.row ?? hit.hydrate_error)).toEqual([
      { subject: 'The quick brown fox jumps over the lazy dog' },
      { subject: 'Slow start' },
      'row id=3 is no longer in the table: a sync would drop it',
    ]);
    expect(lag_snapshots).toBe(2);
    expect(hits.map((hit) => hit.row_newer)).toEqual([undefined, true, undefined]);
    const keys = hits.map(({ coordinates }) => coordinates);
    const read = async () => (await backend.getKeys({ keys })).rows.map(({ newer }) => newer);
    expect(await read()).toEqual([undefined, true]);
    await backend.sync({});
    expect(await read()).toEqual([undefined, undefined]);
  });

  it('does not wait for a snapshot that the index does not hold', async () => {
    const { snapshot } = await backend.search({ query: '*:*' });
    expect(await refusal({ query: '*:*', min_snapshot: snapshot! })).toBe('accepted');
    expect(await refusal({ query: '*:*', min_snapshot: '12345' })).toMatch(
      /^snapshot_not_reached: /,
    );
  });
});
