/**
 * Reads of an index. Each one is a check of its request and the function that answers it from one
 * commit; the code of that function is loaded with the first request. All of them take one path:
 * check, wait for the snapshot that the request demands, open the commit, answer.
 */
import type {
  BenchRequest,
  BenchResponse,
  CallContext,
  SuggestRequest,
  SuggestResponse,
} from '@lakehouse-search/contract';
import {
  checkAggregateRequest,
  checkBenchRequest,
  checkExplainRequest,
  checkFacetsRequest,
  checkHybridRequest,
  checkKeysRequest,
  checkSearchRequest,
  checkSemanticRequest,
  checkSuggestRequest,
  LhsError,
} from '@lakehouse-search/contract';
import { lazily } from '../base/lazily.ts';
import type { SearchContext } from '../search/context.ts';
import type { ReadName } from '../workers/messages.ts';
import { requireWanted } from './caller.ts';
import type { LocalIndexes } from './local-indexes.ts';
import type { ReadRequest } from './read-index.ts';

/** An operation of the embedded engine. */
export type Operation<Q, R> = (indexes: LocalIndexes, request: Q, call: CallContext) => Promise<R>;

const loadReadIndex = lazily(() => import('./read-index.ts'));

/** `read`: what search threads call the same answer; null: it needs the engine. */
function reads<Q extends ReadRequest, C, R>(
  check: (request: unknown) => C,
  load: () => Promise<(context: SearchContext, checked: C) => R | Promise<R>>,
  read: ReadName | null = null,
): Operation<Q, R> {
  const loaded = lazily(load);
  return async (indexes, request, call) => {
    const checked = check(request);
    const answer = await loaded();
    const { answerRead } = await loadReadIndex();
    requireWanted(call, indexes.clock);
    return answerRead(indexes, request, call, (context) => answer(context, checked), read);
  };
}

const loadSummaries = lazily(() => import('../search/summarize.ts'));
const loadHybrid = lazily(() => import('../search/hybrid/search-meaning.ts'));

/** One search. Throws as `searchIndex`. */
export const searchLocal = reads(
  checkSearchRequest,
  async () => (await import('../search/search.ts')).searchIndex,
  'search',
);

/** One semantic search. Throws as `searchSemantic`. */
export const semanticLocal = reads(
  checkSemanticRequest,
  async () => (await loadHybrid()).searchSemantic,
);

/** One hybrid search. Throws as `searchHybrid`. */
export const hybridLocal = reads(checkHybridRequest, async () => (await loadHybrid()).searchHybrid);

/** Aggregations. Throws as `aggregateIndex`. */
export const aggregateLocal = reads(
  checkAggregateRequest,
  async () => (await loadSummaries()).aggregateIndex,
  'aggregate',
);

/** Facets. Throws as `facetIndex`. */
export const facetsLocal = reads(
  checkFacetsRequest,
  async () => (await loadSummaries()).facetIndex,
  'facets',
);

/** Documents of each clause of a query. */
export const clauseCountsLocal = reads(
  checkSearchRequest,
  async () => (await import('../search/clause-counts.ts')).clauseCounts,
  'clauseCounts',
);

/** Why a row is, or is not, among hits. A tenant's caller learns nothing of other rows. */
export const explainLocal = reads(
  checkExplainRequest,
  async () => (await import('../search/explain/explain.ts')).explainKey,
);

/** Rows by key. */
export const keysLocal = reads(
  checkKeysRequest,
  async () => (await import('../search/fetch/get-keys.ts')).getKeys,
);

/** Measures queries of an index. */
export const benchLocal: Operation<BenchRequest, BenchResponse> = reads(
  checkBenchRequest,
  async () => (await import('../search/bench.ts')).benchIndex,
);

const suggestOwn: Operation<SuggestRequest, SuggestResponse> = reads(
  checkSuggestRequest,
  async () => (await import('../search/suggest.ts')).suggestIndex,
  'suggest',
);

/** Suggestions of an index. Throws permission_denied to the callers of a tenant. */
export const suggestLocal: Operation<SuggestRequest, SuggestResponse> = async (
  indexes,
  request,
  call,
) => {
  if (call.principal?.tenant === undefined) return suggestOwn(indexes, request, call);
  checkSuggestRequest(request);
  const message = 'suggest is closed to the callers of a tenant: it counts rows of all tenants';
  throw new LhsError('permission_denied', message, { hint: 'facets count only the tenant’s rows' });
};
