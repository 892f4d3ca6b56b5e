/** Random requests of every kind over the corpora of the oracle, and the comparison of answers. */

import { LhsError, type SearchRequest } from '@lakehouse-search/contract';
import {
  checkAggregateRequest,
  checkExplainRequest,
  checkFacetsRequest,
  checkSearchRequest,
  checkSuggestRequest,
} from '@lakehouse-search/contract/internal';
import fc from 'fast-check';
import { expect } from 'vitest';
import { FAST, KEYWORDS, TEXTS } from '../../../../test/support/oracle/corpus.ts';
import { queries, sorts } from '../../../../test/support/oracle/queries.ts';
import { writeTree } from '../../src/query/tree/write.ts';
import { clauseCounts } from '../../src/search/advice/clause-counts.ts';
import type { SearchContext } from '../../src/search/context.ts';
import { explainKey } from '../../src/search/explain/explain.ts';
import { searchIndex } from '../../src/search/search.ts';
import { suggestIndex } from '../../src/search/suggest.ts';
import { aggregateIndex, facetIndex } from '../../src/search/summarize.ts';
import { namedSpecs } from '../aggregate/aggregation-sql.ts';
import { FIELDS } from '../aggregate/corpus-aggregations.ts';
import { randomAggs } from '../aggregate/random-aggregations.ts';

const tree = queries.map(writeTree);
const filter = fc.option(tree, { nil: undefined, freq: 3 });
const limit = fc.integer({ min: 1, max: 30 });
const optional = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });

/** Requests that differ in everything but their page. */
const searches = fc.record({
  ast: tree,
  filter,
  limit,
  offset: fc.constantFrom(0, 0, 3, 50),
  sort: optional(sorts),
  collapse: fc.option(fc.constantFrom(...FAST), { nil: undefined, freq: 2 }),
  highlight: optional(fc.constant({})),
  facets: fc.option(fc.constant({ fields: ['k1', 'n1'], size: 5 }), { nil: undefined, freq: 1 }),
});

/** A page, and the ones behind it. */
async function scroll(context: SearchContext, request: object): Promise<unknown> {
  const pages: unknown[] = [];
  let after: SearchRequest['search_after'];
  for (let page = 0; page < 3; page++) {
    const next = checkSearchRequest({ ...request, search_after: after });
    const { hits, total } = await searchIndex(context, next);
    pages.push({ hits, total });
    after = hits.at(-1)?.sort;
    if (after === undefined) break;
  }
  return pages;
}

/** What each kind of request calls. */
const CALLS = {
  search: (context, request) => searchIndex(context, checkSearchRequest(request)),
  scroll,
  aggregate: (context, request) => aggregateIndex(context, checkAggregateRequest(request)),
  facets: (context, request) => facetIndex(context, checkFacetsRequest(request)),
  suggest: (context, request) => suggestIndex(context, checkSuggestRequest(request)),
  explain: (context, request) => explainKey(context, checkExplainRequest(request)),
  clauses: (context, request) => clauseCounts(context, checkSearchRequest(request)),
} satisfies Record<string, (context: SearchContext, request: object) => Promise<unknown>>;

/** A request and its kind. */
export interface Ask {
  readonly kind: keyof typeof CALLS;
  readonly request: object;
}

const prefix = fc.constantFrom('', 'f', 'fo', 'ba', 'a', 'g', 'é');
const word = fc.constantFrom('foo', 'bra', 'perl', 'aa', 'zzz', 'fixx');
const suggests = fc.record({
  field: fc.constantFrom(...TEXTS, ...KEYWORDS),
  text: fc.oneof(prefix, word),
  fuzzy: fc.boolean(),
  limit: fc.integer({ min: 0, max: 12 }),
});

const scrolls = searches.map(({ offset, facets, ...request }) => {
  return { ...request, sort: request.sort ?? [{ field: '_score' }] };
});
const explains = fc.record({ ast: tree, filter, key: fc.nat(900) }).map(({ key, ...request }) => {
  const value = `k${String((key * 7919) % 100_003)}`;
  return { ...request, coordinates: { identifier: [{ name: 'id', value }] } };
});
const aggregates = fc.record({ ast: tree, filter, aggs: randomAggs(FIELDS, 1).map(namedSpecs) });
const facets = fc.record({ ast: tree, fields: fc.constant(['k1', 'd1', 't1']) });

const ask = (weight: number, kind: Ask['kind'], requests: fc.Arbitrary<object>) => {
  return { weight, arbitrary: requests.map((request): Ask => ({ kind, request })) };
};
/** Requests of all kinds. */
export const asks: fc.Arbitrary<Ask> = fc.oneof(
  ask(8, 'search', searches),
  ask(4, 'scroll', scrolls),
  ask(3, 'aggregate', aggregates),
  ask(1, 'facets', facets),
  ask(2, 'suggest', suggests),
  ask(2, 'explain', explains),
  ask(1, 'clauses', fc.record({ ast: tree })),
);

/** Members of answers that say how they were made. */
const OF_ITS_MAKING = new Set(['took_ms', 'timings', 'shards_scanned', 'shards_total']);

/** The answer, or the error. */
export async function outcome({ kind, request }: Ask, context: SearchContext): Promise<unknown> {
  try {
    return await CALLS[kind](context, request);
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
    return { code: error.code, message: error.message };
  }
}

/** Throws where two answers differ; numbers may differ by 1e-9 of their size. */
export function expectSame(found: unknown, wanted: unknown, path: string): void {
  if (typeof found === 'number' && typeof wanted === 'number') {
    const most = 1e-9 * Math.max(1, Math.abs(wanted));
    if (!(Object.is(found, wanted) || Math.abs(found - wanted) <= most)) {
      expect.fail(`${path}: ${found} is not ${wanted}`);
    }
  } else if (typeof wanted === 'object' && wanted !== null) {
    const names = (value: object) => Object.keys(value).filter((name) => !OF_ITS_MAKING.has(name));
    expect(names(found as object).sort(), path).toEqual(names(wanted).sort());
    for (const name of names(wanted)) {
      const [a, b] = [found, wanted].map((one) => (one as Record<string, unknown>)[name]);
      expectSame(a, b, `${path}.${name}`);
    }
  } else expect(found, path).toBe(wanted);
}
