/** Random requests: trees of queries, sorts, aggregations. */
import type { JsonObject } from '@lakehouse-search/contract';
import fc from 'fast-check';
import type { PeerRequest } from './fixed-requests.ts';
import { COUNT, KINDS, WORDS } from './rows.ts';

const word = fc.constantFrom(...WORDS);
const phrase = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '));
const kind = fc.constantFrom(...KINDS, 'nope');
const textField = fc.constantFrom('title', 'body');
const whole = fc.integer({ min: -30, max: 90 });
const date = fc
  .integer({ min: Date.UTC(2023, 0, 1), max: Date.UTC(2024, 11, 31) })
  .map((millis) => new Date(millis).toISOString().slice(0, 10));
const zone = fc.constantFrom('UTC', 'CET', 'Asia/Kolkata', 'America/New_York', '+05:45');
const object = (entries: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(entries) as fc.Arbitrary<JsonObject>;
const one = (name: string, body: fc.Arbitrary<unknown>) => object({ [name]: body });
const bounds = (value: fc.Arbitrary<unknown>) =>
  fc
    .record({ gte: value, gt: value, lte: value, lt: value }, { requiredKeys: [] })
    .map(({ gte, gt, lte, lt }) => ({
      ...(gte === undefined ? (gt === undefined ? {} : { gt }) : { gte }),
      ...(lte === undefined ? (lt === undefined ? {} : { lt }) : { lte }),
    }));

const leaf = fc.oneof(
  fc.tuple(textField, phrase).map(([f, query]) => ({ match: { [f]: query } })),
  fc.tuple(textField, phrase).map(([f, query]) => ({ match: { [f]: { query, operator: 'and' } } })),
  fc.tuple(textField, phrase).map(([f, query]) => ({ match_phrase: { [f]: query } })),
  one('multi_match', object({ query: phrase, fields: fc.constant(['title', 'body']) })),
  one('term', one('kind', kind)),
  one('terms', one('kind', fc.array(kind, { maxLength: 3 }))),
  one('term', one('n', whole)),
  one('term', one('ok', fc.boolean())),
  one('range', one('n', bounds(fc.oneof(whole, fc.double({ min: -9, max: 50, noNaN: true }))))),
  one('range', one('price', bounds(whole))),
  fc
    .tuple(bounds(date), zone)
    .map(([range, time_zone]) => ({ range: { at: { ...range, time_zone } } })),
  one('prefix', one('kind', fc.constantFrom('a', 'A', 'be', ''))),
  one('wildcard', one('kind', fc.constantFrom('*a', 'a?p*', '*'))),
  one('exists', one('field', fc.constantFrom('n', 'price', 'kind', 'nope', 'title'))),
  one('query_string', object({ query: word, fields: fc.constant(['title']) })),
) as fc.Arbitrary<JsonObject>;

const clauses = (query: fc.Arbitrary<JsonObject>) => fc.array(query, { maxLength: 3 });
const { query } = fc.letrec<{ query: JsonObject }>((tie) => ({
  query: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    leaf,
    one(
      'bool',
      object({
        must: clauses(tie('query')),
        should: clauses(tie('query')),
        filter: clauses(tie('query')),
        must_not: clauses(tie('query')),
      }),
    ),
    one('constant_score', one('filter', tie('query'))),
  ),
}));

const metric = fc
  .tuple(fc.constantFrom('avg', 'sum', 'min', 'max', 'stats', 'value_count'), fc.constant('price'))
  .map(([name, field]) => ({ m: { [name]: { field } } }));
const aggregation = fc.oneof(
  fc
    .tuple(fc.constantFrom('kind', 'n', 'ok'), fc.integer({ min: 1, max: 20 }))
    .map(([field, size]) => ({ terms: { field, size, order: { _key: 'asc' } } })),
  fc
    .tuple(fc.constantFrom('15m', '50m', '2h', '5h', '1d', '100h'), zone)
    .map(([fixed_interval, time_zone]) => ({
      date_histogram: { field: 'at', fixed_interval, time_zone, min_doc_count: 1 },
    })),
  fc
    .tuple(fc.constantFrom('hour', 'day', 'week', 'month', 'quarter', 'year'), zone)
    .map(([calendar_interval, time_zone]) => ({
      date_histogram: { field: 'at', calendar_interval, time_zone, min_doc_count: 1 },
    })),
  fc.integer({ min: 1, max: 40 }).map((interval) => ({
    histogram: { field: 'price', interval, min_doc_count: 1 },
  })),
  leaf.map((filter) => ({ filter })),
) as fc.Arbitrary<JsonObject>;

const sort = fc.constantFrom(
  ...['n', 'price', 'kind', 'at', 'ok'].flatMap((field) =>
    ['asc', 'desc'].flatMap((order) =>
      ['_first', '_last'].map((missing) => [{ [field]: { order, missing } }, { id: order }]),
    ),
  ),
);

const body = fc.oneof(
  object({ query, size: fc.constant(COUNT) }),
  fc
    .tuple(query, sort, fc.nat(50), fc.integer({ min: 1, max: 60 }))
    .map(([tree, keys, from, size]) => ({ query: tree, sort: keys, from, size })),
  fc
    .tuple(query, aggregation, metric)
    .map(([tree, agg, aggs]) => ({ query: tree, size: 0, aggs: { x: { ...agg, aggs } } })),
) as fc.Arbitrary<JsonObject>;

/** So many requests of a seed. */
export function randomRequests(count: number, seed: number): readonly PeerRequest[] {
  const one = fc.record({
    method: fc.constantFrom('GET' as const, 'POST' as const),
    path: fc.constant('_search'),
    body,
  });
  return fc.sample(one, { seed, numRuns: count });
}
