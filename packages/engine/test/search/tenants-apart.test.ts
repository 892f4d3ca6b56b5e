/**
 * Responses to a tenant's caller do not depend on the rows of other tenants: indexes that differ in
 * those alone respond with the same bytes, scores included, except for times and random ids. One of
 * the indexes has no other rows, one has three shards.
 */
import { type Coordinates, LhsError, type SearchRequest } from '@lakehouse-search/engine';
import { upsertRows } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asTenant, type TenantReads } from '../../../../test/support/as-tenant.ts';
import { FLOATS, schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const schema = schemaOf({
  ...{ id: 'string', org: 'string', title: 'string', state: 'string', size: 'long', v: FLOATS },
});
const DEFINITION = `tenant_field: org
freshness_ms: 0
key: { identifier: [id] }
fields:
  - { name: title, type: TEXT, analyzer: simple, cached: true }
  - { name: org, type: KEYWORD, fast: true, cached: true }
  - { name: state, type: KEYWORD, fast: true }
  - { name: size, type: LONG, cached: true }
  - { name: v, type: VECTOR, dims: 2 }`;

const own = (n: number) => ({
  id: `a${n}`,
  org: 'acme',
  title: `disk ${n % 3 === 0 ? 'full' : 'quiet'} ${n}`,
  state: n % 2 === 0 ? 'open' : 'closed',
  size: n,
  v: [1, n],
});
/** Rows of another tenant: words near to what the caller writes, keys and values of their own. */
const foreign = (n: number, word: string) => ({
  id: `b${n}`,
  org: 'rival',
  title: `${word} ${word} diks quiett ${'long '.repeat(n)}`,
  state: `${word}-state`,
  size: 1000 * n,
  v: [n, 1],
});

const lakes: SmallLake[] = [];
let doors: readonly TenantReads[];
/** Only the rows of the tenant; the rows of others as well, in three shards. */
let alone: TenantReads;
let sharded: TenantReads;
beforeAll(async () => {
  for (const [others, word, more] of [
    [1, 'papagei', ''],
    [60, 'fulll', ''],
    [0, '', ''],
    [60, 'fulll', 'sharding: { shards: 3 }\n'],
  ] as const) {
    const lake = await openSmallLake();
    lakes.push(lake);
    const rows = Array.from({ length: 30 }, (_, n) => own(n));
    const foreigners = Array.from({ length: others }, (_, n) => foreign(n, word));
    await lake.create(schema, { rows: [...foreigners.slice(1), ...rows] });
    await lake.define(`${more}${DEFINITION}`);
    const [first] = foreigners;
    if (first !== undefined) await lake.append([first]);
    await lake.backend.reindex({});
    // Deleted documents remain in a segment until a merge, except where there is no other row.
    await upsertRows(lake.source, { kind: 'rows', rows: [own(3), { ...own(4), title: 'disk' }] });
    await lake.backend.sync({});
    // The table goes on: the index does not know these rows.
    const later = { ...own(90), id: 'a90' };
    await upsertRows(lake.source, { kind: 'rows', rows: [foreign(90, word), later] });
  }
  const [few, many, none, cut] = lakes.map(({ backend }) => asTenant(backend, 'acme'));
  [doors, alone, sharded] = [[few!, many!], none!, cut!];
});
afterAll(() => Promise.all(lakes.map((lake) => lake.close())));

/** Ids that are random, and times. */
const PASSING: ReadonlySet<string> = new Set([
  ...['took_ms', 'timings', 'lag_checked_ms', 'snapshot', 'pit_id', 'expires_at'],
]);
const scrubbed = (answer: unknown): string =>
  JSON.stringify(answer, (name, value) => (PASSING.has(name) ? undefined : value));

async function said(work: () => Promise<unknown>): Promise<string> {
  try {
    return scrubbed(await work());
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
    return scrubbed([error.code, error.message, error.hint, error.details]);
  }
}

/** Both answers, which have to be the same; one of them parsed. */
async function same(ask: (door: TenantReads) => Promise<unknown>): Promise<never> {
  const [one, other] = [await said(() => ask(doors[0]!)), await said(() => ask(doors[1]!))];
  expect(one).toBe(other);
  return JSON.parse(one) as never;
}

const keyOf = (id: string): Coordinates => ({ identifier: [{ name: 'id', value: id }] });
const QUERIES = [
  '*:*',
  'disk',
  'papagei',
  'fulll',
  'ful',
  'diks',
  'quiett',
  'disk~2',
  'f*',
  'nope',
];
const FILTERS = [undefined, 'state:open', 'org:rival', 'size:[0 TO 100000]', 'papagei-state'];

describe('two indexes that differ in the rows of another tenant', () => {
  it('give the same hits, counts, facets and aggregations', async () => {
    const aggs = {
      orgs: { terms: { field: 'org' } },
      states: { terms: { field: 'state' }, aggs: { sizes: { stats: { field: 'size' } } } },
      distinct: { cardinality: { field: 'state' } },
      middle: { percentiles: { field: 'size' } },
      without: { missing: { field: 'state' } },
    };
    for (const query of QUERIES) {
      for (const filter of FILTERS) {
        const match = { query, ...(filter === undefined ? {} : { filter }) };
        const page: SearchRequest = { ...match, sort: [{ field: '_key' }], limit: 20 };
        await same((door) => door.search({ ...page, highlight: {}, collapse: 'state' }));
        await same((door) => door.search({ ...match, limit: 5 }));
        await same((door) => door.search({ ...page, hydrate: true, facets: { fields: ['org'] } }));
        await same((door) => door.clauseCounts(page));
        await same((door) => door.facets({ ...match, fields: ['org', 'state', 'size', 'title'] }));
        await same((door) => door.aggregate({ ...match, aggs }));
        await same((door) => Array.fromAsync(door.exportDocuments({ query })));
      }
    }
    const { total } = (await same((door) => door.search({ query: 'disk' }))) as { total: number };
    expect(total).toBe(30);
  });

  it('give the same nearest rows', async () => {
    const near = { query_vector: [1, 3], k: 5 };
    const { hits } = (await same((door) => door.semantic(near))) as { hits: unknown[] };
    expect(hits).toHaveLength(5);
    await same((door) => door.hybrid({ ...near, query_text: 'disk full' }));
    for (const id of ['a3', 'a29', 'b0', 'none']) {
      const coordinates = keyOf(id);
      await same((door) => door.explain({ ...near, mode: 'semantic', coordinates }));
      const hybrid = { ...near, mode: 'hybrid', query_text: 'disk full', coordinates } as const;
      await same((door) => door.explain(hybrid));
    }
  });

  it('explain alike, without a number of the whole index', async () => {
    for (const query of QUERIES) {
      for (const id of ['a0', 'a1', 'a90', 'b0', 'b7', 'b90', 'none']) {
        const answer = await same((door) => door.explain({ query, coordinates: keyOf(id) }));
        const text = JSON.stringify(answer);
        expect(text).not.toMatch(/"(df|docs|idf|tf|average_length)"/);
        expect(text).not.toMatch(/\b(df|idf|on average)\b/);
      }
    }
    const { detail } = (await same((door) =>
      door.explain({ query: 'disk', coordinates: keyOf('a1') }),
    )) as { detail: object };
    expect(detail).toMatchObject({
      description: expect.stringMatching(/^disk: score \d\.\d+, 1 time in 3 words$/),
      details: [],
      clause: 'disk',
    });
  });

  it('have the same rows, and the same cost of those that are not the tenant’s', async () => {
    const ids = ['a1', 'b0', 'b7', 'b90', 'a90', 'none', 'a2'];
    const { rows, missing } = (await same((door) => door.getKeys({ keys: ids.map(keyOf) }))) as {
      rows: { key: Coordinates }[];
      missing: Coordinates[];
    };
    expect(rows.map(({ key }) => key.identifier[0]!.value)).toEqual(['a1', 'a2']);
    expect(missing.map((key) => key.identifier[0]!.value)).toEqual(ids.slice(1, 6));
  });

  it('describe the index without a count of the whole of it', async () => {
    const described = (await same((door) => door.describeIndex({}))) as object;
    expect(described).toMatchObject({ index: 't', num_docs: 30 });
    for (const whole of ['bytes', 'segments', 'deleted_docs', 'checkpoint', 'source']) {
      expect(described).not.toHaveProperty(whole);
    }
  });
});

describe('a key of another tenant', () => {
  it('costs what an absent one costs: the table is not read', async () => {
    for (const ids of [['b0'], ['b7', 'b8'], ['b90'], ['none'], ['zzz', 'b0']]) {
      for (const door of doors) {
        const { rows, missing, ...rest } = await door.getKeys({ keys: ids.map(keyOf) });
        expect([rows, missing]).toEqual([
          [],
          ids.map((id) => ({ ...keyOf(id), coordinates: keyOf(id), id })),
        ]);
        expect(rest).not.toHaveProperty('bytes_read');
      }
    }
    // Without a tenant the same look-ups read the table.
    const { bytes_read } = await lakes[1]!.backend.getKeys({ keys: [keyOf('b0')] });
    expect(bytes_read).toBeGreaterThan(0);
  });

  it('is answered without a look at the table by explain as well', async () => {
    const door = doors[1]!;
    const [there, absent] = [await why(door, 'b90'), await why(door, 'none')];
    expect(there).toEqual({ reason: 'absent', message: 'id=none is not in the index' });
    expect(there).toEqual(absent);
  });
  const why = async (door: TenantReads, id: string) => {
    const { why_not } = await door.explain({ query: 'disk', coordinates: keyOf(id) });
    return JSON.parse(JSON.stringify(why_not).replaceAll(id, 'none')) as object;
  };
});

describe('an index without a tenant_field', () => {
  it('is closed to the callers of every tenant', async () => {
    const [{ backend, source }] = lakes as [SmallLake];
    const at = `source: { catalog: ${JSON.stringify(source.catalog)}, table: a.t }`;
    const fields = 'fields: [{ name: title, type: TEXT }, { name: v, type: VECTOR, dims: 2 }]';
    await backend.createIndex({ definition: `version: 1\nindex: open\n${at}\n${fields}\n` });
    const door = asTenant(backend, 'acme');
    const index = 'open';
    const near = { index, query_vector: [1, 0], query_text: 'disk' };
    const calls: Readonly<Record<keyof TenantReads, () => Promise<unknown>>> = {
      search: () => door.search({ index }),
      semantic: () => door.semantic(near),
      hybrid: () => door.hybrid(near),
      aggregate: () => door.aggregate({ index, aggs: {} }),
      facets: () => door.facets({ index, fields: [] }),
      clauseCounts: () => door.clauseCounts({ index }),
      explain: () => door.explain({ index, coordinates: keyOf('a1') }),
      getKeys: () => door.getKeys({ index, keys: [keyOf('a1')] }),
      exportDocuments: () => Array.fromAsync(door.exportDocuments({ index })),
      describeIndex: () => door.describeIndex({ index }),
      suggest: () => door.suggest({ index, field: 'title' }),
      openPit: () => door.openPit({ index }),
      closePit: () => door.closePit({ index, pit_id: 'x' }),
    };
    for (const built of [false, true]) {
      if (built) await backend.reindex({ index });
      for (const [name, call] of Object.entries(calls)) {
        const error = await call().then(
          () => null,
          (thrown: unknown) => thrown,
        );
        expect(error, name).toMatchObject({ code: 'permission_denied' });
      }
    }
    expect((await backend.search({ index })).total).toBeGreaterThan(0);
    await backend.dropIndex({ index });
  });
});

describe('suggestions', () => {
  it('have the terms and counts of the caller’s rows alone', async () => {
    for (const field of ['title', 'state', 'org']) {
      for (const text of ['', 'd', 'f', 'fulll', 'papagei', 'long', 'diks', 'riv']) {
        for (const fuzzy of [false, true]) {
          const request = { field, text, fuzzy, limit: 40 };
          const answer = await same((door) => door.suggest(request));
          const { suggestions } = answer as { suggestions: readonly object[] };
          expect((await alone.suggest(request)).suggestions).toEqual(suggestions);
          expect((await sharded.suggest(request)).suggestions).toEqual(suggestions);
        }
      }
    }
    const { suggestions } = await doors[1]!.suggest({ field: 'title', text: 'f' });
    expect(suggestions).toEqual([{ text: 'full', doc_count: 10, distance: 0 }]);
  });
});

describe('scores of a tenant', () => {
  it('are those of an index with the tenant’s rows alone, in any number of shards', async () => {
    const more = ['disk OR full', '"disk quiet"', 'state:open disk', 'title:qui* disk^2', 'disk 4'];
    for (const query of [...QUERIES, ...more]) {
      const hitsOf = async (door: TenantReads) =>
        (await door.search({ query, limit: 12 })).hits.map(({ coordinates, score }) => {
          return [coordinates.identifier[0]!.value, score];
        });
      const hits = await hitsOf(alone);
      for (const door of [...doors, sharded]) expect(await hitsOf(door), query).toEqual(hits);
    }
  });
});
