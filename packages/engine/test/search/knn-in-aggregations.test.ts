/** `knn` in the filters of aggregations, against brute force over plain arrays and several shards. */
import type { AggResults, AggSpecs, QueryTree } from '@lakehouse-search/contract';
import { deleteRows } from '@lakehouse-search/lake';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asTenant } from '../../../../test/support/as-tenant.ts';
import { FLOATS, schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const SEED = 20_261_122;
const ROWS = 300;
const SHARDS = [1, 3];
const SCHEMA = schemaOf({ id: 'long', team: 'string', size: 'long', v: FLOATS });
const TEAMS = ['a', 'b', 'c'];

type Row = {
  readonly id: number;
  readonly team: string;
  readonly size: number;
  readonly v: readonly [number, number];
};

/** Distances of any two rows to a point differ, as the angles are irrational. */
const rowOf = (id: number): Row => {
  const angle = id * Math.SQRT2;
  return { id, team: TEAMS[id % 3]!, size: id % 7, v: [id + Math.cos(angle), Math.sin(angle)] };
};

let lake: SmallLake;
const rows = Array.from({ length: ROWS }, (_, id) => rowOf(id));
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(SCHEMA, { rows: rows.slice(0, 200) });
  for (const shards of SHARDS) {
    const definition = [
      'version: 1',
      `index: t${shards}`,
      `source: { catalog: ${JSON.stringify(lake.source.catalog)}, table: a.t }`,
      `sharding: { shards: ${shards} }`,
      'tenant_field: team',
      'fields:',
      '  - { name: team, type: KEYWORD, fast: true }',
      '  - { name: size, type: LONG, fast: true }',
      '  - { name: v, type: VECTOR, dims: 2, similarity: l2 }',
    ].join('\n');
    await lake.backend.createIndex({ definition, base_dir: lake.folder });
    await lake.backend.reindex({ index: `t${shards}` });
  }
  await lake.append(rows.slice(200));
  await deleteRows(lake.source, 'size = 5');
  for (const shards of SHARDS) await lake.backend.sync({ index: `t${shards}` });
});
afterAll(() => lake.close());

const distance = ({ v: [x, y] }: Row, [a, b]: readonly number[]) => (x - a!) ** 2 + (y - b!) ** 2;

/** The nearest rows among those that pass. */
function nearest(point: readonly number[], k: number, passes: (row: Row) => boolean): Set<number> {
  const among = rows.filter((row) => row.size !== 5 && passes(row));
  among.sort((a, b) => distance(a, point) - distance(b, point));
  return new Set(among.slice(0, k).map(({ id }) => id));
}

const knn = (point: readonly number[], k: number, filter?: QueryTree): QueryTree => ({
  knn: { field: 'v', query_vector: [...point], k, ...(filter && { filter }) },
});
const term = (field: string, value: string | number): QueryTree => ({ term: { field, value } });
interface NearBucket {
  readonly aggs: {
    readonly sizes: { readonly buckets: readonly { readonly doc_count: number }[] };
  };
}
const countOf = (results: AggResults | undefined, name: string): number =>
  (results![name] as { readonly doc_count: number }).doc_count;

describe('knn in the filter of an aggregation', () => {
  it.each(SHARDS)('counts the matches among the nearest rows (%i shards)', async (shards) => {
    const point = fc.tuple(fc.integer({ min: -5, max: 305 }), fc.constantFrom(-0.5, 0, 0.5));
    const team = fc.option(fc.constantFrom(...TEAMS), { nil: undefined });
    const k = fc.integer({ min: 1, max: 120 });
    await fc.assert(
      fc.asyncProperty(point, k, team, team, team, async (at, most, own, filter, query) => {
        const nodeFilter = own === undefined ? undefined : term('team', own);
        const aggs = {
          near: {
            filter: knn(at, most, nodeFilter),
            aggs: { sizes: { terms: { field: 'size' } } },
          },
          far: { filter: { bool: { must_not: [knn(at, most)] } } },
        };
        const response = await lake.backend.aggregate({
          index: `t${shards}`,
          aggs,
          ...(query && { query: `team:${query}` }),
          ...(filter && { filter: `team:${filter}` }),
        });
        const passes = ({ team: of }: Row) => filter === undefined || of === filter;
        const matches = rows.filter((row) => {
          return row.size !== 5 && passes(row) && (query === undefined || row.team === query);
        });
        const near = nearest(at, most, (row) => passes(row) && (!own || row.team === own));
        const anyNear = nearest(at, most, passes);
        const { results } = response;
        expect(response.total).toBe(matches.length);
        expect(countOf(results, 'near')).toBe(matches.filter(({ id }) => near.has(id)).length);
        expect(countOf(results, 'far')).toBe(matches.filter(({ id }) => !anyNear.has(id)).length);
        const { aggs: inNear } = results.near as unknown as NearBucket;
        const counted = inNear.sizes.buckets.reduce((sum, { doc_count }) => sum + doc_count, 0);
        expect(counted).toBe(countOf(results, 'near'));
      }),
      { numRuns: 40, seed: SEED },
    );
  });

  it.each(SHARDS)('sees the rows of the tenant only (%i shards)', async (shards) => {
    const aggs = { near: { filter: knn([50, 0], 10) }, all: { filter: '*:*' } };
    const request = { index: `t${shards}`, aggs, filter: 'size:[0 TO 4]' };
    const { results } = await asTenant(lake.backend, 'b').aggregate(request);
    const own = rows.filter(({ team, size }) => team === 'b' && size <= 4);
    expect(countOf(results, 'all')).toBe(own.length);
    expect(countOf(results, 'near')).toBe(10);
  });

  it.each(SHARDS)('goes with searches of all modes and with facets (%i shards)', async (shards) => {
    const index = `t${shards}`;
    const aggs = { near: { filter: knn([50, 0], 10) } };
    const searched = await lake.backend.search({ index, query: 'team:a', aggs });
    const expected = [...nearest([50, 0], 10, () => true)].filter((id) => id % 3 === 0).length;
    expect(countOf(searched.aggs, 'near')).toBe(expected);
    const semantic = await lake.backend.semantic({ index, query_vector: [52, 0], k: 10, aggs });
    const [a, b] = [nearest([52, 0], 10, () => true), nearest([50, 0], 10, () => true)];
    expect(countOf(semantic.aggs, 'near')).toBe([...a].filter((id) => b.has(id)).length);
    const matched = await lake.backend.aggregate({ index, ast: knn([50, 0], 10), aggs });
    expect([matched.total, countOf(matched.results, 'near')]).toEqual([10, 10]);
    const { total } = await lake.backend.facets({
      index,
      fields: ['team'],
      filter: knn([50, 0], 10),
    });
    expect(total).toBe(10);
  });

  it.each<[AggSpecs, string]>([
    [{ near: { filter: { knn: { field: 'team', query_vector: [1, 2] } } } }, 'a VECTOR field'],
    [{ near: { filter: { knn: { field: 'v', query_vector: [1] } } } }, 'has vectors of 2'],
    [{ near: { filter: { bool: { must: [knn([1, 2], 3), term('nix', 1)] } } } }, '"nix"'],
    [
      Object.fromEntries(
        Array.from({ length: 17 }, (_, i) => [`n${i}`, { filter: knn([i, 0], 1) }]),
      ),
      '16 knn clauses',
    ],
  ])('is refused where it does not fit: %#', async (aggs, message) => {
    await expect(lake.backend.aggregate({ index: 't1', aggs })).rejects.toThrow(message);
  });
});
