// @module-tag campaign
/**
 * Semantic and hybrid searches, `knn` clauses, their explanations and look-ups by key over 1, 2, 3
 * and 7 shards of the same table: the answers are equal. LHS_SHARD_SEMANTIC_CASES sets the number
 * of random requests (default 300), LHS_SEED the seed.
 */
import { LhsError } from '@lakehouse-search/contract';
import { deleteRows } from '@lakehouse-search/lake';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const CASES = Number(process.env.LHS_SHARD_SEMANTIC_CASES ?? byEffort(100, 300));
const SEED = Number(process.env.LHS_SEED ?? 20_261_121);
const SHARDS = [1, 2, 3, 7];
const ROWS = 400;

const SCHEMA = schemaOf({ id: 'long', body: 'string', team: 'string' });
const WORDS = ['red', 'green', 'blue', 'fast', 'slow', 'note', 'door', 'lamp'];
const TEAMS = ['a', 'b', 'c', null];

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  const rows = Array.from({ length: ROWS }, (_, id) => {
    const words = Array.from({ length: 1 + (id % 4) }, (_word, i) => WORDS[(id * 5 + i * 3) % 8]);
    return { id, body: id % 17 === 0 ? null : words.join(' '), team: TEAMS[(id * 7) % 4] };
  });
  await lake.create(SCHEMA, { rows });
  for (const shards of SHARDS) {
    const definition = [
      'version: 1',
      `index: t${shards}`,
      `source: { catalog: ${JSON.stringify(lake.source.catalog)}, table: a.t }`,
      `sharding: { shards: ${shards}, buckets: 1024 }`,
      'fields:',
      '  - { name: body, type: TEXT, cached: true }',
      '  - { name: team, type: KEYWORD, fast: true, cached: true }',
      '  - { name: v, type: VECTOR, source: body }',
    ].join('\n');
    await lake.backend.createIndex({ definition, base_dir: lake.folder });
    await lake.backend.reindex({ index: `t${shards}` });
  }
  await deleteRows(lake.source, 'id < 20');
  for (const shards of SHARDS) await lake.backend.sync({ index: `t${shards}` });
});
afterAll(() => lake.close());

const text = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 })
  .map((words) => words.join(' '));
const filter = fc.option(fc.constantFrom('team:a', 'body:red', 'NOT team:b'), { nil: undefined });
const k = fc.constantFrom(3, 10, 40);
const near = fc.record({
  query_text: text,
  k,
  filter,
  min_score: fc.option(fc.constantFrom(0.4, 0.6), { nil: undefined }),
});
const page = fc.record({
  limit: fc.integer({ min: 1, max: 20 }),
  offset: fc.constantFrom(0, 4),
  collapse: fc.option(fc.constant('team'), { nil: undefined, freq: 1 }),
  sort: fc.option(fc.constant([{ field: 'team' }]), { nil: undefined, freq: 1 }),
  highlight: fc.constant({}),
  facets: fc.constant({ fields: ['team'] }),
});
const knn = fc.record({ query_text: text, k }).map((own) => ({ knn: { field: 'v', ...own } }));
const tree = fc.oneof(
  knn,
  fc.tuple(knn, text).map(([clause, value]) => {
    return { bool: { should: [clause, { match: { field: 'body', value } }] } };
  }),
);
const row = fc.nat(ROWS).map((id) => ({ identifier: [{ name: 'id', value: String(id) }] }));

const CALLS = {
  semantic: (request) => lake.backend.semantic(request as never),
  hybrid: (request) => lake.backend.hybrid(request as never),
  search: (request) => lake.backend.search(request as never),
  explain: (request) => lake.backend.explain(request as never),
  getKeys: (request) => lake.backend.getKeys(request as never),
} satisfies Record<string, (request: object) => Promise<unknown>>;

const ask = (kind: keyof typeof CALLS, requests: fc.Arbitrary<object>) =>
  requests.map((request) => ({ kind, request }));
const asks = fc.oneof(
  ask(
    'semantic',
    fc.tuple(near, page).map(([a, b]) => ({ ...a, ...b })),
  ),
  ask(
    'hybrid',
    fc.tuple(near, page).map(([a, b]) => ({ ...a, ...b, hydrate: true })),
  ),
  ask(
    'search',
    fc.tuple(tree, filter, page).map(([ast, f, b]) => ({ ast, filter: f, ...b })),
  ),
  ask(
    'explain',
    fc.tuple(near, row).map(([a, coordinates]) => ({ mode: 'semantic', ...a, coordinates })),
  ),
  ask(
    'explain',
    fc.tuple(near, row).map(([a, coordinates]) => ({ mode: 'hybrid', ...a, coordinates })),
  ),
  ask(
    'explain',
    fc.tuple(tree, row).map(([ast, coordinates]) => ({ ast, coordinates })),
  ),
  ask(
    'getKeys',
    fc.array(row, { minLength: 1, maxLength: 5 }).map((keys) => ({ keys })),
  ),
);

/** The answer without what says how it was made, or the error. */
async function outcome(kind: keyof typeof CALLS, request: object): Promise<unknown> {
  const apart = ['took_ms', 'timings', 'shards_scanned', 'shards_total', 'bytes_read'];
  const more = ['hydrate_bytes', 'lag_snapshots', 'lag_checked_ms'];
  try {
    const answer = (await CALLS[kind](request)) as object;
    const shown = Object.entries(answer).filter(([name]) => ![...apart, ...more].includes(name));
    return Object.fromEntries(shown);
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
    return { code: error.code, message: error.message.replaceAll(/"t\d"/g, '"t"') };
  }
}

describe('searches by meaning over several shards', () => {
  test(`answer as over one in ${CASES} requests (seed ${SEED})`, async () => {
    const property = fc.asyncProperty(asks, async ({ kind, request }) => {
      const wanted = await outcome(kind, { ...request, index: 't1' });
      for (const shards of SHARDS.slice(1)) {
        const found = await outcome(kind, { ...request, index: `t${shards}` });
        expect(found, `${shards} shards`).toEqual(wanted);
      }
    });
    await fc.assert(property, { seed: SEED, numRuns: CASES });
  });
});
