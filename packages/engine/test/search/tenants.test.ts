// @module-tag campaign
/**
 * Two tenants in one index, each with a canary in every text of its rows: whatever a caller of one
 * asks, no byte of the answer is of the other. LHS_TENANT_CASES sets the number of random requests
 * (default 1,500), LHS_SEED the seed.
 */
import {
  type Coordinates,
  LhsError,
  type QueryTree,
  type SearchRequest,
} from '@lakehouse-search/engine';
import { upsertRows } from '@lakehouse-search/lake';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asTenant, type TenantReads } from '../../../../test/support/as-tenant.ts';
import { byEffort } from '../../../../test/support/effort.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const CASES = Number(process.env.LHS_TENANT_CASES ?? byEffort(500, 1500));
const SEED = Number(process.env.LHS_SEED ?? 20_261_121);

const schema = schemaOf({
  id: 'string',
  org: 'string',
  title: 'string',
  state: 'string',
  size: 'long',
});
const DEFINITION = `tenant_field: org
fields:
  - { name: title, type: TEXT, analyzer: simple, cached: true }
  - { name: org, type: KEYWORD, fast: true, cached: true }
  - { name: state, type: KEYWORD, fast: true, cached: true }
  - { name: size, type: LONG, cached: true }`;

/** What only a tenant's rows have, in key, text and keyword alike. */
const CANARIES = { acme: 'kanarek', 'rival OR *': 'papagei' } as const;
type Tenant = keyof typeof CANARIES;
const TENANTS = Object.keys(CANARIES) as Tenant[];
const other = (tenant: Tenant): Tenant => (tenant === TENANTS[0] ? TENANTS[1] : TENANTS[0]);

const rowOf = (org: Tenant, n: number) => ({
  id: `${CANARIES[org]}-${n}`,
  org,
  title: `disk ${n % 3 === 0 ? 'full' : 'quiet'} ${CANARIES[org]} ${CANARIES[org]}${n}`,
  state: n % 2 === 0 ? 'open' : `${CANARIES[org]}-state`,
  size: n,
});

let lake: SmallLake;
let doors: Readonly<Record<Tenant, TenantReads>>;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(schema, { formatVersion: 3 });
  await lake.define(DEFINITION);
  const [acme, rival] = TENANTS;
  for (const from of [0, 60]) {
    const rows = Array.from({ length: 60 }, (_, i) => rowOf(TENANTS[i % 2], from + i));
    await lake.append(rows);
  }
  await lake.backend.reindex({});
  // The table goes on: a row changes hands, and one comes that the index does not know.
  await upsertRows(lake.source, {
    kind: 'rows',
    rows: [{ ...rowOf(acme, 0), org: rival, title: `now ${CANARIES[rival]}` }, rowOf(rival, 999)],
  });
  doors = {
    [acme]: asTenant(lake.backend, acme),
    [rival]: asTenant(lake.backend, rival),
  } as Record<Tenant, TenantReads>;
});
afterAll(() => lake.close());

const word = fc.constantFrom(
  ...['disk', 'full', 'quiet', 'open', 'kanarek', 'papagei', 'papagei-state', 'kanarek4'],
  ...['acme', 'rival OR *', 'papagej', 'p', ''],
);
const field = fc.constantFrom('title', 'org', 'state');
const clause = fc.oneof(
  fc.constant({ match_all: {} }),
  fc.record({ term: fc.record({ field, value: word }) }),
  fc.record({ prefix: fc.record({ field, value: word }) }),
  fc.record({ fuzzy: fc.record({ field, value: word, edits: fc.constantFrom(1, 2) }) }),
  fc.record({ regex: fc.record({ field, value: fc.constantFrom('.*', 'p.*', '[^k]+') }) }),
  fc.record({ terms: fc.record({ field, values: fc.array(word, { maxLength: 3 }) }) }),
  fc.record({ exists: fc.record({ field }) }),
);
const clauses = fc.array(clause, { maxLength: 3 });
const tree = fc.oneof(
  clause,
  fc.record({
    bool: fc.record({ must: clauses, should: clauses, must_not: clauses, filter: clauses }),
  }),
);
const sort = fc.array(
  fc.record({
    field: fc.constantFrom('_score', '_key', 'org', 'state', 'size'),
    desc: fc.boolean(),
  }),
  { maxLength: 3 },
);
const requests = fc.record(
  {
    ast: tree,
    filter: fc.oneof(tree, fc.constantFrom('*:*', 'org:"rival OR *" OR *:*', 'NOT org:acme')),
    sort,
    limit: fc.constantFrom(1, 10, 200),
    offset: fc.constantFrom(0, 5),
    collapse: fc.constantFrom('org', 'state', 'size'),
    highlight: fc.constant({}),
    facets: fc.constant({ fields: ['org', 'state'], size: 100 }),
    aggs: fc.constantFrom(
      { orgs: { terms: { field: 'org' } } },
      { states: { terms: { field: 'state' } }, sizes: { stats: { field: 'size' } } },
    ),
    hydrate: fc.boolean(),
  },
  { requiredKeys: ['ast'] },
);

const matchOf = ({ ast, filter }: SearchRequest) => ({
  ast,
  ...(filter === undefined ? {} : { filter }),
});

/** Every text of an answer, or of the error. */
async function said(work: () => Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await work());
  } catch (error) {
    if (!(error instanceof LhsError) || error.code === 'internal') throw error;
    return JSON.stringify([error.message, error.hint, error.details]);
  }
}

const everyKey: Coordinates[] = TENANTS.flatMap((org) =>
  [...Array(125).keys(), 999].map((n) => ({
    identifier: [{ name: 'id', value: `${CANARIES[org]}-${n}` }],
  })),
);

describe('tenants', () => {
  test(`see nothing of another tenant in ${CASES} random requests (seed ${SEED})`, async () => {
    let shown = 0;
    const tenants = fc.constantFrom(...TENANTS);
    const asked = fc.record({ tenant: tenants, request: requests, page: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(asked, async ({ tenant, request, page }) => {
        const door = doors[tenant];
        const given = request as unknown as SearchRequest;
        const canary = CANARIES[other(tenant)];
        const { hits } = await door.search({ ...given, sort: given.sort ?? [{ field: '_score' }] });
        shown += hits.length;
        const after = page && hits.length > 0 ? hits.at(-1)!.sort : undefined;
        const paged = { ...given, sort: given.sort ?? [{ field: '_score' }], search_after: after };
        delete paged.offset;
        const answers = [
          await said(() => door.search(given)),
          await said(() => door.search(paged as SearchRequest)),
          await said(() => door.facets({ ...matchOf(given), fields: ['org', 'state'] })),
          await said(() => door.clauseCounts({ ...given, query: undefined })),
        ];
        // What the caller wrote comes back in the names of clauses: only found texts count.
        const counts = JSON.parse(answers.pop()!) as { clause?: string; suggestion?: string }[];
        const suggestions = counts.map(({ suggestion }) => suggestion ?? '').join(' ');
        for (const text of [...answers, suggestions]) expect(text).not.toContain(canary);
      }),
      { seed: SEED, numRuns: CASES },
    );
    expect(shown).toBeGreaterThan(CASES);
  });

  test('see their own totals and counts only, whatever a request says', async () => {
    for (const tenant of TENANTS) {
      const door = doors[tenant];
      const rows = Array.from({ length: 120 }, (_, i) => i).filter(
        (i) => TENANTS[i % 2] === tenant,
      );
      for (const query of [
        '*:*',
        'disk',
        `NOT org:acme OR org:acme`,
        `org:${JSON.stringify(tenant)}`,
      ]) {
        expect((await door.search({ query })).total, query).toBe(rows.length);
      }
      expect((await door.search({ query: 'disk', filter: '*:*' })).total).toBe(rows.length);
      const foreign = `org:${JSON.stringify(other(tenant))}`;
      for (const query of [foreign, CANARIES[other(tenant)]]) {
        expect((await door.search({ query })).total).toBe(0);
        expect((await door.search({ query: '*:*', filter: query })).total).toBe(0);
        expect(await door.clauseCounts({ query })).toMatchObject([{ total: 0 }]);
      }
      const exported = await Array.fromAsync(door.exportDocuments({}));
      expect(exported).toHaveLength(rows.length);
      expect(JSON.stringify(exported)).not.toContain(CANARIES[other(tenant)]);
      const some = await Array.fromAsync(door.exportDocuments({ query: `*:* OR ${foreign}` }));
      expect(some).toEqual(exported);
    }
  });

  test('read rows by key that belong to them in index and table', async () => {
    const [acme, rival] = TENANTS;
    const asked = async (tenant: Tenant, columns?: string[]) => {
      const { rows, missing } = await doors[tenant].getKeys({ keys: everyKey, columns });
      return { rows, missing };
    };
    const [mine, theirs] = [await asked(acme), await asked(rival)];
    expect(mine.rows).toHaveLength(59);
    expect(theirs.rows).toHaveLength(60);
    expect(JSON.stringify(mine.rows)).not.toContain(CANARIES[rival]);
    expect(theirs.rows.map(({ fields }) => fields.org)).toEqual(Array(60).fill(rival));
    expect(mine.missing.length + mine.rows.length).toBe(everyKey.length);
    const narrow = await asked(acme, ['size']);
    expect(narrow.rows[0]!.fields).toEqual({ size: 2 });
    // The index still finds it as acme's; the row is the other one's by now.
    const [hit] = (await doors[acme].search({ query: 'kanarek0', hydrate: true })).hits;
    expect(hit).toMatchObject({ hydrate_error: expect.stringContaining('no longer in the table') });
  });

  test('find no key of another tenant by ids', async () => {
    const keys = [4, 5].map((n) => {
      const id = rowOf(TENANTS[n % 2]!, n).id;
      return { identifier: [{ name: 'id', value: id }] };
    });
    const ids = { ids: { keys } };
    const clauses: QueryTree[] = [
      ids,
      { constant_score: { filter: ids } },
      { dis_max: { queries: [ids, { ids: { keys: [] } }] } },
      { boosting: { positive: ids, negative: ids, negative_boost: 2 } },
    ];
    for (const [at, tenant] of TENANTS.entries()) {
      for (const ast of clauses) {
        const { hits, total } = await doors[tenant].search({ ast });
        expect(total).toBe(1);
        expect(hits[0]!.coordinates).toEqual(keys[at]);
      }
    }
  });

  test('count their own documents in aggregations and facets', async () => {
    for (const tenant of TENANTS) {
      const aggs = { orgs: { terms: { field: 'org' } }, sizes: { stats: { field: 'size' } } };
      const { results, total } = await doors[tenant].aggregate({ query: '*:*', aggs });
      expect(total).toBe(60);
      expect(results.orgs).toMatchObject({ buckets: [{ key: tenant, doc_count: 60 }] });
      expect(results.sizes).toMatchObject({ count: 60 });
      const { facets } = await doors[tenant].facets({ fields: ['org'] });
      expect(facets[0].buckets).toEqual([{ value: tenant, count: 60 }]);
    }
  });

  test('find no key of another tenant by explain', async () => {
    const ask = async (key: string, query: string) => {
      const coordinates = { identifier: [{ name: 'id', value: key }] };
      const answer = await doors.acme.explain({ query, coordinates });
      return { ...answer, timings: undefined };
    };
    for (const query of ['disk', 'papagei', 'papagei1', '*:*', 'NOT disk', 'papagej']) {
      const never = await ask('never', query);
      expect(never.found).toBe(false);
      for (const key of ['papagei-1', 'papagei-999']) {
        const hidden = JSON.stringify(await ask(key, query)).replaceAll(key, 'never');
        expect(JSON.parse(hidden)).toEqual(JSON.parse(JSON.stringify(never)));
      }
      expect((await ask('kanarek-2', query)).found).toBe(true);
    }
  });

  test('get separate pages for the same request', async () => {
    for (let round = 0; round < 2; round++) {
      for (const tenant of TENANTS) {
        const request = { query: 'disk', sort: [{ field: '_key' }], limit: 4 };
        const found: string[] = [];
        let after: SearchRequest['search_after'] = ['', ''];
        while (after !== undefined) {
          const { hits } = await doors[tenant].search({ ...request, search_after: after });
          found.push(...hits.map((hit) => hit.coordinates.identifier[0].value));
          after = hits.at(-1)?.sort;
        }
        expect(found).toHaveLength(60);
        expect(found.every((key) => key.startsWith(CANARIES[tenant]))).toBe(true);
      }
    }
  });

  test('are not part of a request and have a name', async () => {
    const widened = { query: '*:*', tenant: TENANTS[1] } as SearchRequest;
    await expect(doors.acme.search(widened)).rejects.toThrow('unknown request field "tenant"');
    await expect(asTenant(lake.backend, '').search({ query: '*:*' })).rejects.toThrow(
      'a tenant needs a name',
    );
    expect((await asTenant(lake.backend, 'nobody').search({ query: '*:*' })).total).toBe(0);
  });

  test('see their own rows in points in time, which are closed to others', async () => {
    const { pit_id } = await doors.acme.openPit({});
    expect((await doors.acme.search({ pit_id })).total).toBe(60);
    const other = doors['rival OR *'].search({ pit_id, query: 'kanarek' });
    await expect(other).rejects.toMatchObject({ code: 'not_found' });
    expect(await doors.acme.closePit({ pit_id })).toEqual({ closed: true });
  });
});
