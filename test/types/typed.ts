/**
 * What compiles, and what does not: each `@ts-expect-error` stands before a typo. The house test
 * `types` compiles it as the strictest programs are.
 */
import {
  type Backend,
  type DefinedIndex,
  defineIndex,
  type LocalBackend,
  type QueryTree,
  type QueryTreeOf,
  q,
  type SearchRequest,
  type Service,
  type TypedHit,
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
    variants: [{ column: 'meta', flatten: true, analyzer: 'folded' }],
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
    { name: 'height', type: 'DOUBLE' },
  ],
});

declare const local: Backend;
declare const engine: LocalBackend;
declare const service: Service;
const backend = typed(local, incidents);
const both = typed(local, incidents, people);
const index = 'incidents';
const defined: readonly DefinedIndex[] = [incidents, people];
type Title = TypedHit<typeof incidents, 'title'>;
const titleOf = (hit: Title): string => hit.fields.title ?? hit.key;
const titleOfTypes = (hit: TypedHit<NonNullable<typeof incidents.types>, 'title'>): string =>
  titleOf(hit);

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
      rare: { significant_terms: { field: 'service', background_filter: 'open:true' } },
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
  const mean: number | null | undefined = found.aggs.by.buckets[0]?.aggs.days.avg;
  const days = found.aggs.by.buckets[0]!.aggs.days;
  const bounds: readonly (number | string | null)[] = [days.min, days.max];
  const total: number | string = days.sum;
  const day: number | string | undefined = found.aggs.per.buckets[0]?.key;
  const more: number | string | null | undefined = found.aggs.per.buckets[0]?.aggs.more.value;
  const hour: number | string | undefined = found.aggs.hours.buckets[0]?.key;
  const share = found.aggs.hours.buckets[0]?.aggs.share.value;
  const distinct: number = found.aggs.some.aggs.n.value;
  const rare: readonly [string, number, number] | undefined = found.aggs.rare.buckets
    .map(({ key, score, bg_count }) => [key, score, bg_count] as const)
    .at(0);
  const facet: 'service' | undefined = found.facets[0]?.field;
  const all = await backend.search({ index });
  const open: boolean | undefined = all.hits[0]?.fields.open;
  const load: string | undefined = all.hits[0]?.fields.load?.toFixed(1);
  const near = await backend.hybrid({ index, query_text: 'x', vector_field: 'meaning' });
  const other = await both.search({ index: 'people', query: 'ruth', fields: ['name'] });
  const name: string | readonly string[] | undefined = other.hits[0]?.fields.name;
  const counts = await both.aggregate({ index: 'people', aggs: { a: { avg: { field: 'born' } } } });
  const average: number | null = counts.results.a.value;
  const born = await both.aggregate({ index: 'people', aggs: { a: { sum: { field: 'born' } } } });
  const years: number | string = born.results.a.value;
  const field = 'height';
  const { results: tall } = await both.aggregate({
    index: 'people',
    aggs: {
      sum: { sum: { field } },
      max: { max: { field } },
      stats: { stats: { field } },
      middle: { percentiles: { field, percents: [50] } },
      most: { terms: { field } },
      rows: { filter: 'name:x', aggs: { share: { ratio: { of: '_count', to: '_count' } } } },
    },
  });
  const heights: (number | null | undefined)[] = [
    tall.sum.value,
    tall.stats.sum,
    tall.max.value,
    tall.stats.min,
    tall.middle.values[0]?.value,
    tall.most.buckets[0]?.key,
    tall.rows.aggs?.share.value,
  ];
  const { facets } = await backend.facets({ index, fields: ['labels'], query: undefined });
  const parts: QueryTreeOf<typeof incidents>[] = [q.term('service', 'billing')];
  if (limit !== undefined) parts.push(q.range('severity', { lte: limit }));
  let step: QueryTreeOf<typeof incidents> = q.all();
  step = q.and(step, ...parts, q.range('opened_at', { gte: undefined, lt: new Date() }));
  const ends = { ...(limit === undefined ? {} : { gte: limit }) };
  await backend.search({ index, filter: q.and(...parts), ast: q.or(step, q.and()) });
  await backend.search({ index, filter: q.range('severity', ends), ast: q.not() });
  const arms: number | undefined = near.hits[0]?.arms.lexical?.rank;
  const plain = await local.hybrid({ index, query_text: 'x' });
  const plainArms: number | undefined = plain.hits[0]?.arms.semantic?.score;
  const unsaid = typed(local, people);
  const ruth = await unsaid.search({ index: 'people', fields: ['name'] });
  const names: string | readonly string[] | undefined = ruth.hits[0]?.fields.name;
  const tree: QueryTree = q.not(q.or(q.phrase('title', 'a b', { slop: 1 }), q.exists('body')));
  const untyped: SearchRequest = { ast: tree, filter: undefined, aggs: undefined };
  // What a request may leave out, its answer may lack
  const some = await backend.search({
    index,
    facets: limit === 3 ? { fields: ['service'] } : undefined,
    aggs: limit === 3 ? { n: { max: { field: 'severity' } } } : undefined,
  });
  const someValue: string | undefined = some.facets?.[0]?.buckets[0]?.value;
  const someFigure = some.aggs?.n.value;
  const wide: { readonly facets?: { readonly fields: readonly 'service'[] } } = {};
  const wider = await backend.search({ index, ...wide });
  const widerField: 'service' | undefined = wider.facets?.[0]?.field;
  const maybe = await backend.aggregate({
    index,
    aggs: {
      ...(limit === 3 ? { one: { avg: { field: 'severity' } } } : {}),
      two: limit === 3 ? { min: { field: 'severity' } } : { filter: 'open:true' },
    },
  });
  const one: number | string | null | undefined = maybe.results.one?.value;
  const two = 'value' in maybe.results.two ? maybe.results.two.value : maybe.results.two.doc_count;
  await backend.aggregate({
    index,
    aggs: {
      by: {
        terms: {
          field: 'service',
          order: { 'days.avg': 'desc' },
          having: { _count: { gte: 2 }, 'load.95': { lt: 3 }, n: { gt: 1 } },
        },
        aggs: {
          days: { stats: { field: 'severity' } },
          load: { percentiles: { field: 'severity', percents: [95] } },
          n: { filter: 'open:true' },
          share: { ratio: { of: 'n', to: 'days.sum' } },
        },
      },
    },
  });
  const request = { index, fields: ['title'], sort: [{ field: 'severity' }] } as const;
  const varied = await backend.search({
    ...request,
    ...(limit === 3 ? { filter: q.term('service', 'x') } : {}),
    ast: limit === 3 ? q.exists('body') : undefined,
  });
  const listed: (string | undefined)[] = [varied.hits[0]?.fields.title];
  for await (const next of backend.hits({ index, fields: ['title'], sort: [{ field: '_key' }] })) {
    listed.push(next.fields.title);
  }
  const terms = await backend.suggest({ index, field: 'title', text: 'time', limit: 3 });
  const coordinates = found.hits[0]!.coordinates;
  const why = await backend.explain({ index, ast: q.exists('body'), coordinates });
  const rows = await backend.getKeys({ index, keys: [coordinates] });
  for await (const document of backend.exportDocuments({ index })) listed.push(String(document));
  const values = [
    someValue,
    someFigure,
    widerField,
    one,
    two,
    terms.suggestions[0]?.text,
    why.rank,
    rows.rows[0]?.fields,
    title,
    labels,
    key,
    id,
    service,
    worst,
    mean,
    bounds,
    total,
    day,
    more,
    hour,
    share,
    distinct,
    rare,
    facet,
    open,
    load,
    years,
    heights,
    ...all.hits.map(titleOfTypes),
    ...found.hits.map(titleOf),
    ...defined.map(({ name }) => name),
  ];
  return [...values, arms, plainArms, names, near, name, average, facets, untyped];
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
  void q.range('severity', { gte: 3, from: 3 });
  // @ts-expect-error
  void q.range('severity', {});
  // @ts-expect-error
  void q.range('severity', { gte: undefined });
  // @ts-expect-error
  void search({ index, filter: q.and(...([] as QueryTree[])) });
  const parts: QueryTreeOf<typeof incidents>[] = [];
  // @ts-expect-error
  parts.push(q.term('servise', 'x'));
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
  void aggregate({ index, aggs: { a: { significant_terms: { field: 'service', least: 1 } } } });
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
  // @ts-expect-error
  void search({ index, highlight: { fields: ['severity'] } });
  // @ts-expect-error
  void backend.hybrid({ index, query_text: 'x', lexical_fields: ['service'] });
  const by = { terms: { field: 'service' } } as const;
  // @ts-expect-error
  void aggregate({ index, aggs: { a: { terms: { field: 'service', order: { _cuont: 'asc' } } } } });
  const order = { n: 'asc' } as const;
  // @ts-expect-error
  void aggregate({ index, aggs: { a: { terms: { field: 'service', order }, aggs: { m: by } } } });
  const having = { _key: { gt: 3 } } as const;
  // @ts-expect-error
  void aggregate({ index, aggs: { a: { terms: { field: 'service', having } } } });
  // @ts-expect-error
  void aggregate({ index, aggs: { a: { terms: { field: 'service', having: { _count: 3 } } } } });
  // @ts-expect-error
  void aggregate({ index, aggs: { a: { ...by, aggs: { b: { change: { of: '_cuont' } } } } } });
  // @ts-expect-error
  void aggregate({ index, aggs: { a: { ...by, aggs: { b: { ratio: { of: 'n', to: 'm' } } } } } });
  // @ts-expect-error
  void aggregate({ index, aggs: { a: { avg: { field: 'service' } } } });
  // @ts-expect-error
  void aggregate({ index, aggs: { a: { histogram: { field: 'opened_at', interval: 3 } } } });
  const field = 'opened_at';
  // @ts-expect-error
  void aggregate({ index, aggs: { a: { date_histogram: { field, calendar_interval: 'days' } } } });
  // @ts-expect-error
  void aggregate({ index, aggs: { a: { date_part: { field, part: 'hour' } } } });
  // @ts-expect-error
  void aggregate({ index, aggs: { a: { date_part: { field: 'severity', part: 'day_of_week' } } } });
  // Other reads
  // @ts-expect-error
  void backend.hits({ index, fields: ['titel'] });
  // @ts-expect-error
  void backend.hits({ index, facets: { fields: ['service'] } });
  // @ts-expect-error
  void backend.hits({ index, sort: [{ field: 'title' }] });
  // @ts-expect-error
  void backend.suggest({ index, field: 'titel' });
  // @ts-expect-error
  void backend.suggest({ index, field: 'severity' });
  // @ts-expect-error
  void backend.suggest({ index, field: 'title', fuzy: true });
  const coordinates = { identifier: [{ name: 'id', value: '1' }] };
  // @ts-expect-error
  void backend.explain({ index, coordinates, ast: q.exists('titel') });
  // @ts-expect-error
  void backend.explain({ index, coordinates, sort: [{ field: 'body' }] });
  // @ts-expect-error
  void backend.getKeys({ index: 'incident', keys: [coordinates] });
  // @ts-expect-error
  void backend.exportDocuments({ index: 'incident' });
  // @ts-expect-error
  void backend.diffHits({ index, from: 'pit:x', filter: q.exists('titel') });
  // Definitions as objects
  const definition = { version: 1, index, source: { path: './rows' } } as const;
  void engine.indexes.create({ definition: incidents });
  const named = { ...definition, source: { catalog: 'main', table: 'ops.incidents' } } as const;
  void engine.indexes.create({ definition: named });
  const below = { ...definition, source: { root: 'lake', path: 'ops/incidents' } } as const;
  void engine.indexes.create({ definition: below });
  void engine.indexes.alter({ definition_yaml: definition, apply: true });
  // @ts-expect-error
  void engine.indexes.create({ definition: { ...definition, feilds: [] } });
  // @ts-expect-error
  void engine.indexes.create({ definition: { ...definition, fields: [{ name: 'a', type: 'T' }] } });
  // @ts-expect-error
  void engine.indexes.alter({ definition: incidents });
  // Groups
  void engine.jobs.list();
  // @ts-expect-error
  void engine.indexes.creat({ definition: incidents });
  // @ts-expect-error
  void engine.createIndex({ definition: incidents });
  // @ts-expect-error
  void engine.accounts.listUsers();
  // @ts-expect-error
  void service.accounts.logni({ username: 'a', password: 'b' });
  // @ts-expect-error
  void service.accounts.deleteToken({ id: 'x' });
  // @ts-expect-error
  const member: keyof typeof service.indexes = 'whatever';
  void member;
  // @ts-expect-error
  void engine.jobs.get({ id: 'x' });
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
  const unsaid = await typed(local, people).search({ index: 'people', fields: ['name'] });
  // @ts-expect-error
  void unsaid.hits[0]?.fields.name?.toUpperCase();
  const meaning = await backend.search({ index });
  // @ts-expect-error
  void meaning.hits[0]?.arms.lexical;
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
  const isWide = hit.score > 1;
  const some = await backend.search({
    index,
    facets: isWide ? { fields: ['service'] } : undefined,
    aggs: isWide ? { n: { max: { field: 'severity' } } } : undefined,
  });
  // @ts-expect-error
  void some.facets.length;
  // @ts-expect-error
  void some.aggs.n;
  const asked: { readonly facets?: { readonly fields: readonly 'service'[] } } = {};
  // @ts-expect-error
  void (await backend.search({ index, ...asked })).facets.length;
  const n = { max: { field: 'severity' } } as const;
  const maybe = await backend.aggregate({ index, aggs: isWide ? { n } : {} });
  // @ts-expect-error
  void maybe.results.n.value;
  for await (const next of backend.hits({ index, fields: ['title'] })) {
    // @ts-expect-error
    void next.fields.service;
  }
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
