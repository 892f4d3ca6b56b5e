/** Requests of every form that the adapter serves, each by both methods. */
import type { JsonObject } from '@lakehouse-search/contract';

/** A request to both engines. */
export interface PeerRequest {
  readonly method: 'GET' | 'POST';
  /** Behind the name of the index. */
  readonly path: string;
  readonly body: JsonObject;
  /** The row of the page that says how and why the answers differ. */
  readonly differs?: string;
}

type Query = JsonObject;
const text = (name: string, value: string, more: JsonObject = {}): Query => ({
  [name]: { title: { query: value, ...more } },
});

/** One of each form; `search` of `COUNT` rows compares sets of ids. */
const QUERIES: readonly Query[] = [
  { match_all: {} },
  { match_none: {} },
  text('match', 'quick fox'),
  text('match', 'quick fox', { operator: 'and' }),
  text('match', 'quick fox dog', { minimum_should_match: '75%' }),
  text('match', 'quik', { fuzziness: 'AUTO' }),
  text('match', '', { zero_terms_query: 'all' }),
  text('match_phrase', 'quick brown'),
  text('match_phrase', 'quick fox', { slop: 3 }),
  text('match_phrase_prefix', 'quick bro'),
  text('match_bool_prefix', 'fox ti'),
  { match: { n: 17 } },
  { match: { n: { query: 'abc', lenient: true } } },
  { match: { kind: 'Alpha' } },
  { multi_match: { query: 'time', fields: ['title', 'body^2'] } },
  { multi_match: { query: 'time' } },
  { multi_match: { query: 'time dog', type: 'most_fields', fields: ['t*', 'body'] } },
  { multi_match: { query: 'lazy dog', type: 'phrase', fields: ['title', 'body'] } },
  { multi_match: { query: 'alpha', type: 'best_fields', lenient: true } },
  { term: { kind: 'Alpha' } },
  { term: { kind: { value: 'ALPHA', case_insensitive: true } } },
  { term: { n: 17 } },
  { term: { n: 1.5 } },
  { term: { ok: true } },
  { term: { price: 12.5 } },
  { term: { host: '10.0.0.0/16' } },
  { term: { host: '10.0.3.3' } },
  { terms: { kind: ['alpha', 'été', 'nope'] } },
  { terms: { n: [1, 2, 3, '4'] } },
  { range: { n: { gte: -5, lt: 30 } } },
  { range: { n: { gt: 1.5, lte: 20.5 } } },
  { range: { price: { gte: 10 } } },
  { range: { kind: { gte: 'a', lt: 'c' } } },
  { range: { at: { gte: '2024-03-31', lt: '2024-04-01' } } },
  { range: { at: { gte: '2024-03-31', lte: '2024-03-31', time_zone: 'Europe/Berlin' } } },
  { range: { at: { gte: '2024-10-27||-1d/d', lt: '2024-10-27||/M' } } },
  { range: { at: { lte: '31/03/2024', format: 'dd/MM/yyyy' } } },
  { range: { at: { gt: 1_711_846_800_000 } } },
  { range: { at: { lt: 'now-1d/d' } } },
  { prefix: { kind: 'al' } },
  { prefix: { kind: { value: 'AL', case_insensitive: true } } },
  { prefix: { title: 'ti' } },
  { wildcard: { kind: 'a*a' } },
  { wildcard: { kind: { value: '*ET?', case_insensitive: true } } },
  { wildcard: { title: 'f?x' } },
  { regexp: { kind: '[a-b].*a' } },
  { regexp: { kind: 'a$b' } },
  { regexp: { kind: { value: 'ALPH[A-B]', case_insensitive: true } } },
  { fuzzy: { kind: 'alpa' } },
  { fuzzy: { title: { value: 'quik', fuzziness: 1 } } },
  { exists: { field: 'n' } },
  { exists: { field: 'title' } },
  { exists: { field: 'p*' } },
  { bool: { must_not: { exists: { field: 'title' } } } },
  { bool: { must: { exists: { field: 'title' } }, filter: { term: { ok: true } } } },
  { exists: { field: 'nope' } },
  { ids: { values: ['1', '2', '500'] } },
  { query_string: { query: 'quick AND fox' } },
  { query_string: { query: 'title:(quick OR dog) -kind:alpha', default_operator: 'and' } },
  { query_string: { query: 'n:[1 TO 20} +_exists_:price' } },
  { query_string: { query: '"lazy dog"~2', fields: ['title', 'body'] } },
  { query_string: { query: 'time*', fields: ['title'] } },
  { query_string: { query: '17' } },
  { simple_query_string: { query: 'quick + fox | dog', fields: ['title'] } },
  { simple_query_string: { query: '"lazy dog" -red' } },
  { bool: { must: [{ match: { title: 'fox' } }], must_not: { term: { kind: 'beta' } } } },
  {
    bool: {
      filter: [{ range: { n: { gt: 0 } } }],
      should: [{ match: { title: 'fox' } }, { match: { title: 'dog' } }, { term: { ok: true } }],
      minimum_should_match: 2,
    },
  },
  { bool: { should: [{ match: { title: 'fox' } }, { term: { kind: 'alpha' } }] } },
  { constant_score: { filter: { term: { ok: false } }, boost: 2 } },
  { dis_max: { queries: [{ match: { title: 'fox' } }, { match: { body: 'fox' } }] } },
  {
    boosting: {
      ...{ positive: { match: { title: 'fox' } }, negative: { term: { ok: true } } },
      negative_boost: 0.5,
    },
  },
  { match: { nope: 'fox' } },
  { bogus: {} },
  { match: { title: { query: 'fox', bogus: 1 } } },
  { range: { at: { gte: 'soon' } } },
  { terms: { kind: 'alpha' } },
];

const AT = { field: 'at' };
const MONTHS = { date_histogram: { ...AT, calendar_interval: 'month' } };
const AVERAGE = { m: { avg: { field: 'price' } } };
const AGGREGATIONS: readonly JsonObject[] = [
  { terms: { field: 'kind' } },
  { terms: { field: 'kind', size: 2, order: { _key: 'desc' } } },
  { terms: { field: 'kind', min_doc_count: 30 } },
  { terms: { field: 'kind', order: { m: 'desc' } }, aggs: AVERAGE },
  { terms: { field: 'kind', include: 'a.*' } },
  { terms: { field: 'kind', missing: 'none' } },
  { terms: { field: 'n', size: 200, order: { _key: 'asc' }, format: '000' } },
  { terms: { field: 'ok' } },
  { terms: { field: 'host', size: 3, order: { _key: 'asc' } } },
  { terms: { field: 'nope' } },
  MONTHS,
  { ...MONTHS, aggs: { k: { terms: { field: 'kind', size: 3 } } } },
  ...['20m', '30m', '43m', '1h', '90m', '12h', '1d', '36h'].flatMap((fixed_interval) =>
    ['CET', 'Asia/Kolkata', 'America/Sao_Paulo'].map((time_zone) => ({
      date_histogram: { ...AT, fixed_interval, time_zone, min_doc_count: 1 },
      aggs: AVERAGE,
    })),
  ),
  ...['hour', 'day', 'week', 'month', 'quarter', 'year'].map((calendar_interval) => ({
    date_histogram: { ...AT, calendar_interval, time_zone: 'Europe/Berlin', min_doc_count: 1 },
  })),
  { date_histogram: { ...AT, calendar_interval: '1d', offset: '+6h', min_doc_count: 1 } },
  { date_histogram: { ...AT, fixed_interval: '1d', offset: '-3h', min_doc_count: 1 } },
  { date_histogram: { ...AT, calendar_interval: 'year', format: 'yyyy', keyed: true } },
  { date_histogram: { ...AT, calendar_interval: 'year', missing: '2020-01-01' } },
  { histogram: { field: 'price', interval: 12.5 } },
  { histogram: { field: 'n', interval: 10, offset: 3, min_doc_count: 1 } },
  { histogram: { field: 'price', interval: 20, format: '0.0', min_doc_count: 1 } },
  { range: { field: 'price', ranges: [{ to: 20 }, { from: 20, to: 50 }, { from: 50 }] } },
  { range: { field: 'price', keyed: true, format: '0.0', ranges: [{ to: 20 }, { from: 20 }] } },
  { range: { field: 'n', ranges: [{ key: 'low', to: 10.5 }, { from: 10.5 }] } },
  { date_range: { ...AT, format: 'yyyy-MM', ranges: [{ to: '2024-01' }, { from: '2024-01' }] } },
  { filter: { term: { ok: true } }, aggs: AVERAGE },
  { filters: { filters: { a: { term: { ok: true } }, b: { match: { title: 'fox' } } } } },
  { filters: { other_bucket: true, filters: [{ term: { ok: true } }] } },
  { missing: { field: 'price' }, aggs: AVERAGE },
  { missing: { field: 'nope' } },
  ...['avg', 'min', 'max', 'sum', 'stats', 'value_count', 'cardinality'].flatMap((kind) => [
    { [kind]: { field: 'price' } },
    { [kind]: { field: 'nope' } },
  ]),
  ...['avg', 'min', 'max', 'stats'].map((kind) => ({ [kind]: AT })),
  { avg: { field: 'price', missing: 7 } },
  { max: { field: 'price', format: '#,##0.00' } },
  { cardinality: { field: 'kind' } },
  { composite: { size: 5, sources: [{ k: { terms: { field: 'kind' } } }] } },
  {
    composite: {
      size: 100,
      sources: [
        { d: { date_histogram: { ...AT, calendar_interval: 'month', format: 'yyyy-MM' } } },
        { k: { terms: { field: 'kind', order: 'desc' } } },
      ],
    },
  },
  { composite: { after: { k: 'beta' }, sources: [{ k: { terms: { field: 'kind' } } }] } },
  { bogus: {} },
  { terms: {} },
];

/** Queries of values that are marked as a whole. */
const KEYWORDS: readonly Query[] = [
  { term: { kind: 'alpha' } },
  { terms: { kind: ['alpha', 'beta'] } },
  { prefix: { kind: 'al' } },
  { wildcard: { kind: 'a*a' } },
  { term: { kind: { value: 'ALPHA', case_insensitive: true } } },
  { bool: { filter: { term: { kind: 'été' } }, must_not: { term: { kind: 'beta' } } } },
  { multi_match: { query: 'a$b', fields: ['title', 'kind'] } },
  { query_string: { query: 'kind:gamma' } },
];

const PAGES: readonly JsonObject[] = [
  { sort: [{ n: 'asc' }, { id: 'asc' }] },
  { sort: [{ n: { order: 'desc', missing: '_first' } }, { id: 'desc' }] },
  { sort: [{ at: 'desc' }, { id: 'asc' }], from: 20 },
  { sort: [{ at: { order: 'asc', format: 'yyyy-MM-dd' } }, 'id'] },
  { sort: ['kind', 'id'], search_after: ['beta', 5] },
  { sort: [{ id: 'asc' }], search_after: [230] },
  { sort: [{ id: 'desc' }], search_after: [3] },
  { sort: [{ nope: { order: 'asc', unmapped_type: 'long' } }, 'id'] },
  { sort: ['nope'] },
  { sort: ['id'], size: 3, track_total_hits: false },
  { sort: ['id'], size: 3, track_total_hits: 5 },
  { sort: ['id'], size: 3, _source: ['k*', 'n'] },
  { sort: ['id'], size: 3, _source: false, docvalue_fields: ['n', 'kind'] },
  { sort: ['id'], size: 3, stored_fields: '_none_', _source: false },
  { sort: ['id'], size: 3, fields: ['kind', { field: 'at', format: 'yyyy' }], _source: false },
  { sort: ['id'], size: 3, version: true, track_scores: true, query: { match_all: {} } },
  { sort: ['id'], post_filter: { term: { ok: true } }, aggs: { k: { terms: { field: 'ok' } } } },
  { sort: ['id'], collapse: { field: 'kind' } },
  { sort: ['id'], query: { match: { body: 'fox' } }, highlight: { fields: { body: {} } } },
  ...KEYWORDS.map((query) => ({ sort: ['id'], query, highlight: { fields: { 'k*': {} } } })),
  { sort: ['id'], size: 2, query: { match: { title: 'fox' } }, explain: true },
  { sort: ['id'], query: { term: { n: 'abc' } } },
  { size: -1 },
  { from: 10_000, size: 10 },
  { bogus: 1 },
];

const METHODS = ['POST', 'GET'] as const;
const both = (path: string, body: JsonObject): readonly PeerRequest[] =>
  METHODS.map((method) => ({ method, path, body }));

/** All of them. */
export const FIXED: readonly PeerRequest[] = [
  ...QUERIES.flatMap((query) => [
    ...both('_search', { query, size: 240 }),
    ...both('_count', { query }),
    { method: 'POST', path: '_search', body: { size: 0, aggs: { f: { filter: query } } } } as const,
  ]),
  ...AGGREGATIONS.flatMap((agg) => both('_search', { size: 0, aggs: { x: agg } })),
  ...PAGES.flatMap((page) => both('_search', { size: 10, ...page })),
];
