// @module-tag campaign
/**
 * The cache of filters: answers with it are those without it, for random filters over random
 * indexes, again and again; it outlives deletes, goes with its segments, stays in its bound.
 * LHS_FILTER_CASES sets the number of random filters (default 600), LHS_SEED the seed.
 */

import type { SearchRequest } from '@lakehouse-search/contract';
import { checkSearchRequest } from '@lakehouse-search/contract/internal';
import { deleteRows } from '@lakehouse-search/lake';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { buildCorpus, corpusPlan, MAPPING } from '../../../../test/support/oracle/corpus.ts';
import { addressOf } from '../../../../test/support/oracle/model.ts';
import { queries } from '../../../../test/support/oracle/queries.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { searchContext } from '../../../../test/support/search-context.ts';
import { openSmallLake } from '../../../../test/support/small-lake.ts';
import { bindQuery } from '../../src/query/bind/bind.ts';
import type { Clause } from '../../src/query/bind/clause.ts';
import { clauseKey } from '../../src/query/clauses/clause-key.ts';
import { writeTree } from '../../src/query/tree/write.ts';
import { searchIndex } from '../../src/search/search.ts';
import { FilterCache } from '../../src/shard/execute/filter-cache.ts';
import { queryFields } from '../../src/shard/request/query-fields.ts';

const CASES = Number(process.env.LHS_FILTER_CASES ?? byEffort(200, 600));
const SEED = Number(process.env.LHS_SEED ?? 20_261_121);
const CASES_A_CORPUS = 100;

describe('cached filters', () => {
  test(`give the same hits from the cache in ${CASES} cases (seed ${SEED})`, async () => {
    const numRuns = Math.ceil(CASES / CASES_A_CORPUS);
    let found = 0;
    for (const [i, plan] of fc.sample(corpusPlan(addressOf), { seed: SEED, numRuns }).entries()) {
      const { snapshot } = buildCorpus(plan);
      const filters = new FilterCache();
      const check = async (query: unknown, filter: unknown) => {
        const request = { ast: query, filter, limit: 50 } as SearchRequest;
        const facts = async (cached: boolean) => {
          const context = searchContext(MAPPING, snapshot, cached ? { filters } : {});
          const { hits, total } = await searchIndex(context, checkSearchRequest(request));
          return { total, hits: hits.map(({ coordinates, score }) => [coordinates, score]) };
        };
        const expected = await facts(false);
        for (let round = 0; round < 3; round++) expect(await facts(true)).toEqual(expected);
      };
      const trees = queries.map(writeTree);
      await fc.assert(fc.asyncProperty(trees, trees, check), {
        seed: SEED + i,
        numRuns: Math.min(CASES, CASES_A_CORPUS),
      });
      // A plan may leave no documents at all: then nothing is looked up.
      const { figures } = filters;
      if (snapshot.segments.length > 0) expect(figures.found).toBeGreaterThan(figures.missed);
      found += figures.found;
      snapshot.release();
    }
    expect(found).toBeGreaterThan(0);
  });

  test('share one key for equal clauses, boosts ignored', () => {
    const fields = queryFields(MAPPING);
    const trees = fc.sample(queries, { seed: SEED, numRuns: 3000 });
    const plain = (part: unknown): unknown =>
      JSON.parse(
        JSON.stringify(part, (name, value) => {
          if (name === 'boost' || name === 'automaton') return undefined;
          return typeof value === 'bigint' ? String(value) : value;
        }),
      );
    const known = new Map<string, unknown>();
    for (const tree of trees) {
      const clause = bindQuery(tree, fields, null);
      const key = clauseKey(clause)!;
      if (known.has(key)) expect(plain(clause)).toEqual(known.get(key));
      known.set(key, plain(clause));
      const boosted = bindQuery({ kind: 'boost', factor: 3, query: tree }, fields, null);
      expect(clauseKey(boosted)).toBe(key);
    }
    expect(known.size).toBeGreaterThan(1000);
  });

  test('have no key with precomputed documents at any position', () => {
    const given: Clause = {
      kind: 'precomputed',
      boost: 1,
      precomputed: { label: 'two', segments: new Map(), words: null },
    };
    const all: Clause = { kind: 'all', boost: 1 };
    const none = { must: [], should: [], mustNot: [], filter: [], minimum: 0 };
    const bool: Clause = { kind: 'bool', ...none, must: [all] };
    expect(clauseKey(bool)).not.toBeNull();
    for (const list of ['must', 'should', 'mustNot', 'filter'] as const) {
      const inner: Clause = { kind: 'bool', ...none, [list]: [given] };
      for (const clause of [given, inner, { ...bool, filter: [inner] }]) {
        expect(clauseKey(clause)).toBeNull();
      }
    }
  });

  const schema = schemaOf({ id: 'long', team: 'string' });

  test('survive deletes and are dropped with their segments', async () => {
    const lake = await openSmallLake();
    try {
      const rows = (from: number, to: number) =>
        Array.from({ length: to - from }, (_, i) => ({ id: from + i, team: `t${(from + i) % 3}` }));
      await lake.create(schema, { rows: rows(0, 3000) });
      await lake.build('fields: [{ name: team, type: KEYWORD, fast: true }]');
      const { filters } = lake.backend;
      const total = async () => (await lake.backend.search({ filter: 'team:t1' })).total;
      expect([await total(), await total()]).toEqual([1000, 1000]);
      expect(filters.figures).toMatchObject({ found: 1, missed: 1 });
      await deleteRows(lake.source, 'id < 30');
      await lake.backend.sync({});
      expect(await total()).toBe(990);
      expect(filters.figures).toMatchObject({ found: 2, missed: 1 });
      await lake.append(rows(3000, 3300));
      await lake.backend.sync({});
      expect(await total()).toBe(1090);
      expect(filters.figures).toMatchObject({ found: 3, missed: 2 });
      const { bytes } = filters.figures;
      await lake.backend.compact({});
      expect(await total()).toBe(1090);
      expect(filters.figures).toMatchObject({ found: 3, missed: 3 });
      expect(filters.figures.bytes).toBeLessThan(bytes);
      await lake.backend.dropIndex({ index: 't' });
      expect(filters.figures.bytes).toBe(0);
    } finally {
      await lake.close();
    }
  });

  test('are evicted least recently used first and stay within the bound', async () => {
    const [plan] = fc.sample(corpusPlan(addressOf), { seed: SEED, numRuns: 1 });
    const { snapshot } = buildCorpus(plan);
    const [segment] = snapshot.segments;
    const bits = new Int32Array(250);
    const cache = new FilterCache(3 * 1300 + 100);
    for (const key of ['a', 'b', 'c']) cache.put(segment, key, bits);
    expect(cache.get(segment, 'a')).toEqual(bits);
    cache.put(segment, 'd', bits);
    const held = ['a', 'b', 'c', 'd'].filter((key) => cache.get(segment, key) !== null);
    expect(held).toEqual(['a', 'c', 'd']);
    cache.put(segment, 'huge', new Int32Array(2000));
    expect(cache.get(segment, 'huge')).toBeNull();
    expect(cache.figures.bytes).toBe(3 * 1300);
    snapshot.release();
  });
});
