/**
 * Heavy requests for a server with the index `big` and the catalog `main`, by what they do. The
 * number of a run makes requests differ whose answers would else come from the cache of answers.
 */
import { EXPORTED_ROWS } from './exported-lake.ts';

/** Path, body, content type. */
export type HeavyRequest = (run: number) => readonly [path: string, body: string, type?: string];

const NDJSON = 'application/x-ndjson';
/** Most bytes of a body of the adapter. */
const BODY_BYTES = 8 * 2 ** 20;

const json = (value: unknown): string => JSON.stringify({ index: 'big', ...(value as object) });
const v1 =
  (operation: string, value: object): HeavyRequest =>
  (run) => [`/v1/${operation}`, json({ ...value, ...(operation === 'search' && { offset: run }) })];
/** A large body is made once: each run would else take the time of making it. */
const body = (path: string, text: string, type?: string): HeavyRequest => {
  const made = [path, text, type] as const;
  return () => made;
};
const search = (value: object): HeavyRequest => body('/big/_search', JSON.stringify(value));
const aggs = (a: object): HeavyRequest => search({ size: 0, aggs: { a } });
const range = (count: number) => Array.from({ length: count }, (_, n) => n);
const all = range(EXPORTED_ROWS);
const keyOf = (id: number) => ({ identifier: [{ name: 'id', value: String(id) }] });
const analyzed = (word: string, count: number) =>
  v1('index:analyze', { analyzer: 'english', text: word.repeat(count) });
const tool = (name: string, own: object): HeavyRequest => {
  const params = { name, arguments: { index: 'big', ...own } };
  return body('/mcp', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
};
const lines = (count: number, one: object): HeavyRequest =>
  body('/big/_msearch', `{}\n${JSON.stringify(one)}\n`.repeat(count), NDJSON);
const definition = (text: string): HeavyRequest =>
  body('/v1/definition:validate', JSON.stringify({ definition: text }));
const SOURCE = 'source: { catalog: main, table: a.b }\n';
const fields = (field: (n: number) => string) =>
  definition(`version: 1\nindex: t\n${SOURCE}fields:\n${range(1000).map(field).join('')}`);
const entries = (count: number) =>
  definition(
    SOURCE +
      range(count)
        .map((n) => `k${n}: 1\n`)
        .join(''),
  );
const maps = (count: number) => definition(`${SOURCE}a: [${'{a: 1},'.repeat(count)}]`);
/** A body of the adapter that is as long as it may be. */
const filled = (begin: string, part: string, end: string): HeavyRequest => {
  const count = Math.floor((BODY_BYTES - begin.length - end.length) / part.length);
  return body('/big/_search', `${begin}${part.repeat(count)}${end}`);
};

/** Requests that are answered. */
export const ANSWERED: Readonly<Record<string, HeavyRequest>> = {
  'an export of all rows': v1('index:export', {}),
  'an export of a query': v1('index:export', { query: 'title:row' }),
  'a page of many hits': v1('search', { query: 'title:text', limit: 3000 }),
  'a query of many terms': v1('search', {
    ast: { terms: { field: 'n', values: all.map(String) } },
  }),
  patterns: v1('search', { query: 'title:*e* title:/.*[a-z]+.*/', limit: 1 }),
  'nested aggregations': aggs({
    histogram: { field: 'n', interval: 1 },
    aggs: { t: { terms: { field: 'org', size: 1000 } } },
  }),
  facets: v1('facets', { fields: ['org', 'n'] }),
  'counts of clauses': v1('search:clauses', { query: 'title:row OR title:text OR n:>5' }),
  suggestions: v1('suggest', { field: 'title', text: 'r', limit: 100 }),
  'tokens of a text': analyzed('word ', 10_000),
  'an explanation': v1('explain', { query: 'title:row', coordinates: keyOf(7) }),
  'a check of 1,000 erased keys': body(
    '/v1/erasure:check',
    json({ keys: range(1000).map(keyOf), texts: range(1000).map((n) => `row ${n}`) }),
  ),
  'many searches in one request': lines(200, { size: 10, query: { match_all: {} } }),
  'searches of 8 MiB in one request': body(
    '/big/_msearch',
    `{}${' '.repeat(80_000)}\n{"size":1}\n`.repeat(100),
    NDJSON,
  ),
  'many patterns for the row of each hit': search({
    size: 1000,
    _source: range(1000).map((n) => `*a*b*c*${n}*`),
  }),
  'many aggregations in one request': lines(200, {
    ...{ size: 0, aggs: { a: { terms: { field: 'n', size: 1000 } } } },
  }),
  '60 searches with aggregations': lines(60, {
    ...{ size: 50, query: { match: { title: 'row text' } } },
    ...{ aggs: { a: { terms: { field: 'n', size: 1000 } } } },
  }),
  '10,000 keys': v1('keys:get', { keys: all.slice(0, 10_000).map(keyOf) }),
  '10,000 absent keys': v1('keys:get', { keys: range(10_000).map((id) => keyOf(id + 1e6)) }),
  '10,000 ids': search({ query: { ids: { values: range(10_000).map(String) } } }),
  '65,536 numbers': search({ query: { terms: { n: range(65_536) } } }),
  '65,536 texts': search({ query: { terms: { org: range(65_536).map(String) } } }),
  '65,536 numbers of 17 digits': search({
    query: { terms: { n: range(65_536).map((n) => `${n}`.padStart(17, '9')) } },
  }),
  'a page of 9,000 highlighted hits': (run) => [
    '/v1/search',
    json({
      ...{ query: 'title:(text OR fills OR buffers)', limit: 9000, offset: run },
      highlight: { fields: ['title'] },
    }),
  ],
  'a page of 9,000 hits': v1('search', { query: 'title:text', limit: 9000 }),
  '5,000 hits of the adapter': search({ size: 5000 }),
  '10,000 hits of the adapter': search({ size: 10_000 }),
  '10,000 hits of the adapter in lines': body('/big/_search?pretty', '{"size":10000}'),
  '5,000 hits with values of columns': search({
    ...{ size: 5000, sort: ['n'], docvalue_fields: ['n', 'org'] },
  }),
  'a scroll of 10,000 hits': body('/big/_search?scroll=1s', '{"size":10000}'),
  '1,000 documents': body('/big/_mget', JSON.stringify({ ids: range(1000).map(String) })),
  '65,000 empty buckets': aggs({
    histogram: {
      ...{ field: 'n', interval: 1, min_doc_count: 0 },
      extended_bounds: { min: 0, max: 65_000 },
    },
  }),
  'a search of agents': tool('search', { query: 'title:row', limit: 50 }),
  'a comparison with the table': v1('index:verify', {}),
  'a rebuild': v1('index:reindex', {}),
  'a compaction': v1('index:compact', {}),
  'a definition of 1,000 fields': fields(
    (n) => `  - { name: f_${n}, type: KEYWORD, fast: true }\n`,
  ),
  'a definition of 1,000 fields on five lines each': fields(
    (n) =>
      `  - name: f_${n}\n    type: KEYWORD\n    source: c_${n}\n    fast: true\n    cached: true\n`,
  ),
  'a definition of 2,000 entries': entries(2000),
  'a definition of 9,900 entries': entries(9900),
  'a definition of 2,000 maps': maps(2000),
  'a definition of 9,900 maps': maps(9900),
};

/** Requests that a check or a limit refuses. */
export const REFUSED: Readonly<Record<string, HeavyRequest>> = {
  'tokens of a long text': analyzed('word ', 200_000),
  'tokens of many short words': analyzed('x ', 30_000),
  'a definition of too many entries': entries(20_000),
  'a definition of too many maps': maps(32_000),
  'a definition of 2,000 aliases': definition(`a: &x 1\nb: [${'*x,'.repeat(2000)}]`),
  'a definition of many lines': definition('#\n'.repeat(120_000)),
  'a definition of many quotes': definition(`a: ${"'' ".repeat(80_000)}`),
  'a definition of many tags': definition(`a: ${'!a '.repeat(80_000)}`),
  'bounds of more buckets than there may be': aggs({
    histogram: { field: 'n', interval: 1, extended_bounds: { min: -1e15, max: 1e15 } },
  }),
  'a cursor of many values': search({ sort: ['n'], search_after: range(65_536) }),
  'a large object': body('/v1/search', `{${all.map((n) => `"field number ${n}":${n}`).join(',')}}`),
  'a large list': body('/v1/search', `{"query":[${'1,'.repeat(400_000)}1]}`),
  'a deep list': body('/v1/search', `{"query":${'['.repeat(400_000)}${']'.repeat(400_000)}}`),
  'a body of 8 MiB of lists': filled('{"query":', '[', ''),
  'a body of 8 MiB of objects': filled('{"query":[', '{"a":1},', '1]}'),
  'a body of 8 MiB of numbers': filled('{"query":[', '12345678901234567890,', '1]}'),
  'a body of 8 MiB of texts': filled('{"query":[', '"a",', '1]}'),
  'a body of 8 MiB of words': filled('{"query":{"match":{"title":"', 'a ', '"}}}'),
  'a body of 8 MiB of escapes': filled('{"query":{"match":{"title":"', '\\\\', '"}}}'),
  'a body of 8 MiB of lines': body('/big/_msearch', '{}\n'.repeat(BODY_BYTES / 3), NDJSON),
  'a body of 8 MiB of blank lines': body('/big/_msearch', '\n'.repeat(BODY_BYTES), NDJSON),
  'too many searches in one request': lines(1000, { size: 10_000, query: { match_all: {} } }),
};
