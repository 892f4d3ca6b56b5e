/**
 * What compiles, and what does not: each `@ts-expect-error` stands before a typo. The house test
 * `types` compiles it as the strictest programs are.
 */
import {
  type Backend,
  defineIndex,
  type QueryTree,
  q,
  type SearchRequest,
  typed,
} from '@lakehouse-search/engine';

const incidents = defineIndex(
  {
    version: 1,
    index: 'incidents',
    source: { catalog: { type: 'filesystem', warehouse: './warehouse' }, table: 'ops.incidents' },
    key: { identifier: ['id'] },
    fields: [
      { name: 'title', type: 'TEXT', analyzer: 'english', cached: true },
      { name: 'body', type: 'TEXT' },
      { name: 'service', type: 'KEYWORD', fast: true, cached: true },
      { name: 'labels', type: 'KEYWORD', fast: true, cached: true },
      { name: 'severity', type: 'LONG', cached: true },
      { name: 'opened_at', type: 'DATE', cached: true },
      { name: 'open', type: 'BOOL', cached: true },
      { name: 'load', type: 'DOUBLE', fast: false, cached: true },
      { name: 'meaning', source: ['title', 'body'], type: 'VECTOR' },
    ],
    variants: [{ column: 'meta', flatten: true }],
  },
  { lists: ['labels'] },
);
const people = defineIndex({
  version: 1,
  index: 'people',
  source: { path: './people' },
  fields: [
    { name: 'name', type: 'TEXT', cached: true },
    { name: 'born', type: 'LONG' },
  ],
});

declare const local: Backend;
const backend = typed(local, incidents);
const both = typed(local, incidents, people);
const index = 'incidents';

/** Right programs. */
export async function right(limit: number | undefined): Promise<unknown[]> {
  const found = await backend.search({
    index,
    query: 'timeout',
    filter: q.and(q.term('service', 'billing'), q.range('meta.user.age', { gte: 3 })),
    fields: ['title', 'labels'],
    sort: [{ field: 'severity', desc: true }, { field: 'meta.user' }, { field: '_key' }],
    facets: { fields: ['service'] },
    aggs: {
      by: {
        terms: { field: 'service', order: { _key: 'asc' } },
        aggs: { worst: { max: { field: 'severity' } }, days: { stats: { field: 'severity' } } },
      },
      per: {
        date_histogram: { field: 'opened_at', calendar_interval: 'day' },
        aggs: { more: { change: { of: '_count' } } },
      },
      hours: {
        date_part: { field: 'opened_at', part: 'hour_of_day' },
        aggs: { n: { filter: 'open:true' }, share: { ratio: { of: 'n', to: '_count' } } },
      },
      some: { filter: q.term('service', 'x'), aggs: { n: { cardinality: { field: 'labels' } } } },
    },
    limit,
  });
  const hit = found.hits[0];
  const title: string | undefined = hit?.fields.title;
  const labels: readonly string[] | undefined = hit?.fields.labels;
  const key: string | undefined = hit?.key;
  const id: string | undefined = hit?.id;
  const service: string | undefined = found.aggs.by.buckets[0]?.key;
  const worst: number | string | null | undefined = found.aggs.by.buckets[0]?.aggs.worst.value;
  const mean = found.aggs.by.buckets[0]?.aggs.days.avg;
  const day: number | string | undefined = found.aggs.per.buckets[0]?.key;
  const more: number | string | null | undefined = found.aggs.per.buckets[0]?.aggs.more.value;
  const hour: number | string | undefined = found.aggs.hours.buckets[0]?.key;
  const share = found.aggs.hours.buckets[0]?.aggs.share.value;
  const distinct: number = found.aggs.some.aggs.n.value;
  const facet: 'service' | undefined = found.facets[0]?.field;
  const all = await backend.search({ index });
  const open: boolean | undefined = all.hits[0]?.fields.open;
  const load: number | 'NaN' | 'Infinity' | '-Infinity' | undefined = all.hits[0]?.fields.load;
  const near = await backend.hybrid({ index, query_text: 'x', vector_field: 'meaning' });
  const other = await both.search({ index: 'people', query: 'ruth', fields: ['name'] });
  const name: string | undefined = other.hits[0]?.fields.name;
  const counts = await both.aggregate({ index: 'people', aggs: { a: { avg: { field: 'born' } } } });
  const average: number | string | null = counts.results.a.value;
  const { facets } = await backend.facets({ index, fields: ['labels'], query: undefined });
  const tree: QueryTree = q.not(q.or(q.phrase('title', 'a b', { slop: 1 }), q.exists('body')));
  const untyped: SearchRequest = { ast: tree, filter: undefined, aggs: undefined };
  const values = [
    title,
    labels,
    key,
    id,
    service,
    worst,
    mean,
    day,
    more,
    hour,
    share,
    distinct,
    facet,
    open,
    load,
  ];
  return [...values, near, name, average, facets, untyped];
}

/** Wrong programs: a typo in each. */
export function typos(): void {
  const { search, aggregate } = backend;
  // Requests
  // @ts-expect-error
  void search({ index: 'incident' });
  // @ts-expect-error
  void search({ query: 'no index' });
  // @ts-expect-error
  void search({ index, qurey: 'x' });
  // @ts-expect-error
  void search({ index, limt: 3 });
  // @ts-expect-error
  void search({ index, limit: '3' });
  // @ts-expect-error
  void search({ index, fields: ['titel'] });
  // @ts-expect-error
  void search({ index, fields: ['body'] });
  // @ts-expect-error
  void search({ index, fields: 'title' });
  // @ts-expect-error
  void search({ index, sort: 'severity' });
  // @ts-expect-error
  void search({ index, sort: [{ field: 'title' }] });
  // @ts-expect-error
  void search({ index, sort: [{ field: 'load' }] });
  // @ts-expect-error
  void search({ index, sort: [{ field: 'severity', order: 'desc' }] });
  // @ts-expect-error
  void search({ index, sort: [{ field: '_scores' }] });
  // @ts-expect-error
  void search({ index, syntax: 'lucene' });
  // @ts-expect-error
  void search({ index, default_operator: 'AND' });
  // @ts-expect-error
  void search({ index, collapse: 'body' });
  // @ts-expect-error
  void search({ index, highlight: { fields: ['titles'] } });
  // @ts-expect-error
  void search({ index, highlight: { fragments: 3 } });
  // @ts-expect-error
  void search({ index, facets: { fields: ['title'] } });
  // @ts-expect-error
  void search({ index, facets: ['service'] });
  // @ts-expect-error
  void search({ index, facets: { fields: ['service'], sise: 3 } });
  // @ts-expect-error
  void search({ index, search_after: 'x' });
  // Trees
  // @ts-expect-error
  void search({ index, ast: { term: 'x' } });
  // @ts-expect-error
  void search({ index, ast: { type: 'wat' } });
  // @ts-expect-error
  void search({ index, ast: { trem: { field: 'service', value: 'x' } } });
  // @ts-expect-error
  void search({ index, ast: { term: { feild: 'service', value: 'x' } } });
  // @ts-expect-error
  void search({ index, ast: { term: { field: 'servise', value: 'x' } } });
  // @ts-expect-error
  void search({ index, ast: { term: { field: 'service' } } });
  // @ts-expect-error
  void search({ index, ast: { term: { field: 'service', value: null } } });
  // @ts-expect-error
  void search({ index, ast: { match: { field: 'title', value: 'a', operator: 'AND' } } });
  // @ts-expect-error
  void search({ index, ast: { match: { field: 'title', value: 'a', fuzziness: 'auto' } } });
  // @ts-expect-error
  void search({ index, ast: { range: { field: 'severity', from: 3 } } });
  // @ts-expect-error
  void search({ index, ast: { bool: { must: { match_all: {} } } } });
  // @ts-expect-error
  void search({ index, ast: { bool: { should_not: [] } } });
  // @ts-expect-error
  void search({ index, ast: { bool: { must: [{ exists: 'title' }] } } });
  // @ts-expect-error
  void search({ index, ast: { boost: { query: { match_all: {} }, boost: 2 } } });
  // @ts-expect-error
  void search({ index, filter: { terms: { field: 'service', value: ['a'] } } });
  // @ts-expect-error
  void search({ index, ast: [{ match_all: {} }] });
  // @ts-expect-error
  void search({ index, filter: q.term('servise', 'x') });
  // @ts-expect-error
  void search({ index, filter: q.and(q.term('service', 'x'), q.exists('titel')) });
  // @ts-expect-error
  void q.term('service', null);
  // @ts-expect-error
  void q.range('severity', { from: 3 });
  // @ts-expect-error
  void q.match('title', 'a', { operater: 'and' });
  // @ts-expect-error
  void q.and('service:billing');
  // Aggregations
  // @ts-expect-error
  void search({ index, aggs: { a: { terms: { feild: 'service' } } } });
  // @ts-expect-error
  void search({ index, aggs: { a: { trems: { field: 'service' } } } });
  // @ts-expect-error
  void search({ index, aggs: { a: { terms: { field: 'servise' } } } });
  // @ts-expect-error
  void search({ index, aggs: { a: { terms: { field: 'service', sise: 3 } } } });
  // @ts-expect-error
  void search({ index, aggs: { a: { terms: { field: 'service', order: 'asc' } } } });
  // @ts-expect-error
  void search({ index, aggs: { a: { terms: { field: 'service', order: { _key: 'up' } } } } });
  // @ts-expect-error
  void search({ index, aggs: { a: { date_histogram: { field: 'opened_at', interval: '1d' } } } });
  // @ts-expect-error
  void search({ index, aggs: { a: { histogram: { field: 'severity' } } } });
  // @ts-expect-error
  void search({ index, aggs: { a: { range: { field: 'severity', ranges: { to: 3 } } } } });
  // @ts-expect-error
  void search({ index, aggs: { a: { avg: 'severity' } } });
  // @ts-expect-error
  void search({ index, aggs: { a: { terms: { field: 'service' }, agg: {} } } });
  // @ts-expect-error
  void search({ index, aggs: { a: { terms: { field: 'service' }, aggs: { b: { sum: 1 } } } } });
  // @ts-expect-error
  void aggregate({ index, aggs: { a: { percentiles: { field: 'severity', percent: 3 } } } });
  // @ts-expect-error
  void aggregate({ index, aggs: { a: { date_part: { field: 'opened_at', parts: 'hour' } } } });
  // @ts-expect-error
  void aggregate({ index, aggs: { a: { ratio: { of: 'n', by: 'm' } } } });
  // @ts-expect-error
  void aggregate({ index });
  // @ts-expect-error
  void backend.facets({ index, fields: ['servise'] });
  // @ts-expect-error
  void backend.hybrid({ index, query: 'x' });
  // @ts-expect-error
  void backend.semantic({ index, query_text: 'x', vector_field: 'title' });
  // @ts-expect-error
  void both.search({ index: 'people', fields: ['title'] });
  // @ts-expect-error
  void both.search({ index: 'persons' });
}

/** Wrong readings of answers, and wrong definitions. */
export async function wrongReadings(): Promise<void> {
  const found = await backend.search({ index, fields: ['title'] });
  const hit = found.hits[0]!;
  // @ts-expect-error
  void hit.fields.titel;
  // @ts-expect-error
  void hit.fields.service;
  // @ts-expect-error
  void hit.fields.title.length;
  // @ts-expect-error
  void found.hits[0].score;
  // @ts-expect-error
  void found.aggs.by;
  // @ts-expect-error
  void found.facets.length;
  // @ts-expect-error
  void hit.fields.title?.toFixed();
  const { results } = await backend.aggregate({
    index,
    aggs: { a: { terms: { field: 'service' } }, b: { max: { field: 'severity' } } },
  });
  // @ts-expect-error
  void results.a.value;
  // @ts-expect-error
  void results.b.buckets;
  // @ts-expect-error
  void results.c;
  // @ts-expect-error
  void results.a.buckets[0]?.aggs.x;
  const head = { version: 1, index: 'a', source: { path: './a' } } as const;
  // @ts-expect-error
  defineIndex({ ...head, fields: [{ name: 'a', type: 'TEXTS' }] });
  // @ts-expect-error
  defineIndex({ ...head, fields: [{ name: 'a', type: 'LONG', cachd: true }] });
  // @ts-expect-error
  defineIndex({ ...head, fields: [{ nam: 'a', type: 'LONG' }] });
  // @ts-expect-error
  defineIndex({ ...head, feilds: [] });
  // @ts-expect-error
  defineIndex({ ...head, on_bad_row: 'ignore' });
  // @ts-expect-error
  defineIndex({ ...head, version: 2 });
  // @ts-expect-error
  defineIndex({ ...head, fields: [{ name: 'a', type: 'LONG' }] }, { lists: ['b'] });
}
