// @module-tag campaign
/**
 * Random documents, deletes, flushes, merges and query trees against brute force over plain arrays:
 * match sets, scores to 1e-6, orders, paging, groups. LHS_ORACLE_CASES sets the number of queries
 * (200; campaigns: 3,000), LHS_SEED the seed.
 */

import type { Hit, Json, SearchRequest } from '@lakehouse-search/contract';
import { checkSearchRequest } from '@lakehouse-search/contract/internal';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import {
  buildCorpus,
  type Corpus,
  corpusPlan,
  FAST,
  MAPPING,
} from '../../../../test/support/oracle/corpus.ts';
import {
  addressOf,
  compareBy,
  compareText,
  Model,
  type ModelDoc,
  sortValue,
} from '../../../../test/support/oracle/model.ts';
import { queries, type RandomSort, sorts } from '../../../../test/support/oracle/queries.ts';
import { searchContext } from '../../../../test/support/search-context.ts';
import { writeTree } from '../../src/query/tree/write.ts';
import { searchIndex } from '../../src/search/search.ts';

const CASES = Number(process.env.LHS_ORACLE_CASES ?? byEffort(200, 3000, 10_000));
const SEED = Number(process.env.LHS_SEED ?? 20_261_121);
const CASES_A_CORPUS = 100;

const context = ({ snapshot }: Corpus) => searchContext(MAPPING, snapshot);
const ask = (corpus: Corpus, request: SearchRequest) =>
  searchIndex(context(corpus), checkSearchRequest(request));
const ast = writeTree;
const keyOf = (hit: Hit): string => hit.coordinates.identifier[0]!.value;

/** All hits by `search_after`, page by page. */
async function scroll(corpus: Corpus, request: SearchRequest): Promise<readonly Hit[]> {
  const hits: Hit[] = [];
  for (let after: readonly Json[] | undefined; ; after = hits.at(-1)!.sort) {
    const page = await ask(corpus, { ...request, search_after: after });
    hits.push(...page.hits);
    if (page.hits.length === 0) return hits;
  }
}

type Expected = ReadonlyMap<ModelDoc, number>;

function inOrder(expected: Expected, sort: readonly RandomSort[]): readonly ModelDoc[] {
  return [...expected.keys()].sort((a, b) => {
    for (const { field, desc, missing } of sort) {
      if (field === '_score') continue;
      const order =
        field === '_key'
          ? (desc ? -1 : 1) * compareText(a.key, b.key)
          : compareBy(field, desc, missing, a, b);
      if (order !== 0) return order;
    }
    return compareText(a.key, b.key);
  });
}

const close = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(b));

/** Relevance: right scores in falling order, ties by key, and nothing better left out. */
function checkRelevance(hits: readonly Hit[], expected: Expected, limit: number): void {
  expect(hits).toHaveLength(Math.min(limit, expected.size));
  const byKey = new Map([...expected].map(([doc, score]) => [doc.key, score]));
  hits.forEach((hit, i) => {
    const score = byKey.get(keyOf(hit));
    if (score === undefined || !close(hit.score, score)) {
      expect.fail(`${keyOf(hit)} has score ${hit.score}, expected ${score}`);
    }
    const before = hits[i - 1];
    if (before === undefined) return;
    const tie = before.score === hit.score && compareText(keyOf(before), keyOf(hit)) < 0;
    if (!(before.score > hit.score || tie)) expect.fail(`hit ${i} is out of order`);
  });
  const last = hits.at(-1)?.score ?? 0;
  const found = new Set(hits.map(keyOf));
  for (const [key, score] of byKey) {
    if (found.has(key) || score <= last || close(score, last)) continue;
    expect.fail(`${key} with score ${score} is left out after ${last}`);
  }
}

/** Groups: one hit a value, the first of its documents, with their number. */
function checkGroups(
  hits: readonly Hit[],
  expected: readonly ModelDoc[],
  field: (typeof FAST)[number],
  limit: number,
): void {
  const groups = new Map<unknown, { key: string; count: number }>();
  for (const doc of expected) {
    const value = sortValue(field, false, doc);
    const name = Object.is(value, -0) ? 0 : value;
    const group = groups.get(name);
    groups.set(name, { key: group?.key ?? doc.key, count: (group?.count ?? 0) + 1 });
  }
  const found = hits.map((hit) => ({ key: keyOf(hit), count: hit.collapse!.count }));
  expect(found).toEqual([...groups.values()].slice(0, limit));
}

const cases = fc.record({
  query: queries,
  filter: fc.option(queries, { nil: null, freq: 3 }),
  limit: fc.integer({ min: 1, max: 20 }),
  sort: sorts,
  page: fc.integer({ min: 60, max: 400 }),
  collapse: fc.constantFrom(...FAST),
});
type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never;

async function check(corpus: Corpus, model: Model, c: Case): Promise<void> {
  const request: SearchRequest = {
    ast: ast(c.query),
    ...(c.filter === null ? {} : { filter: ast(c.filter) }),
  };
  const expected = model.search(c.query, c.filter);
  const answer = await ask(corpus, { ...request, limit: c.limit });
  expect(answer.total).toBe(expected.size);
  checkRelevance(answer.hits, expected, c.limit);

  const whole = await ask(corpus, { ...request, limit: 10_000 });
  checkRelevance(whole.hits, expected, 10_000);
  const scrolled = await scroll(corpus, {
    ...request,
    limit: c.page,
    sort: [{ field: '_score', desc: true }],
  });
  const facts = (hit: Hit) => [keyOf(hit), hit.score];
  expect(scrolled.map(facts)).toEqual(whole.hits.map(facts));

  const sort = c.sort.filter((spec) => spec.field !== '_score');
  if (sort.length > 0) {
    const ordered = inOrder(expected, sort);
    const sorted = await ask(corpus, { ...request, sort, limit: c.limit, offset: 3 });
    expect(sorted.hits.map(keyOf)).toEqual(ordered.slice(3, 3 + c.limit).map((doc) => doc.key));
    for (const hit of sorted.hits) {
      const doc = ordered.find((one) => one.key === keyOf(hit))!;
      if (!close(hit.score, expected.get(doc)!)) expect.fail(`${doc.key} has score ${hit.score}`);
    }
    for (const limit of [c.limit, 10_000]) {
      const collapsed = await ask(corpus, { ...request, sort, limit, collapse: c.collapse });
      checkGroups(collapsed.hits, ordered, c.collapse, limit);
      expect(collapsed.total).toBe(expected.size);
    }
  }
  const all = await ask(corpus, { ...request, sort: c.sort, limit: 10_000 });
  const pages = await scroll(corpus, { ...request, sort: c.sort, limit: c.page });
  expect(pages.map(keyOf)).toEqual(all.hits.map(keyOf));
  if (!c.sort.some((spec) => spec.field === '_score')) {
    expect(pages.map(keyOf)).toEqual(inOrder(expected, c.sort).map((doc) => doc.key));
  }
}

describe('random queries', () => {
  test(`equal brute force in ${CASES} cases (seed ${SEED})`, async () => {
    const corpora = fc.sample(corpusPlan(addressOf), {
      seed: SEED,
      numRuns: Math.ceil(CASES / CASES_A_CORPUS),
    });
    for (const [i, plan] of corpora.entries()) {
      const corpus = buildCorpus(plan);
      const model = new Model(corpus.physical, corpus.live);
      await fc.assert(
        fc.asyncProperty(cases, (c) => check(corpus, model, c)),
        { seed: SEED + i, numRuns: Math.min(CASES, CASES_A_CORPUS) },
      );
      corpus.snapshot.release();
    }
  });
});
