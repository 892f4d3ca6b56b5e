/**
 * The reads of the contract: the check of each request, and the function that answers it from one
 * commit. The code of that function is loaded with the first request.
 */
import {
  checkAggregateRequest,
  checkExplainRequest,
  checkFacetsRequest,
  checkHybridRequest,
  checkKeysRequest,
  checkSearchRequest,
  checkSemanticRequest,
  checkSuggestRequest,
} from '@lakehouse-search/contract/internal';
import { lazily } from '../base/lazily.ts';
import { LIMITS } from '../base/limits.ts';
import type { SearchContext } from './context.ts';

/** A read: `C` is its checked request, `R` its response. */
export interface ContextRead<C, R, X = SearchContext> {
  readonly check: (request: unknown) => C;
  readonly load: () => Promise<(context: X, checked: C) => R | Promise<R>>;
}

/** A read whose code is loaded once. */
export const contextRead = <C, R, X = SearchContext>(
  check: ContextRead<C, R, X>['check'],
  load: ContextRead<C, R, X>['load'],
): ContextRead<C, R, X> => ({ check, load: lazily(load) });

const loadLexical = lazily(() => import('./advice/with-suggestions.ts'));
const loadHybrid = lazily(() => import('./hybrid/search-meaning.ts'));

/** The reads by the name of their operation. */
export const READS = Object.freeze({
  search: contextRead(checkSearchRequest, async () => (await loadLexical()).searchLexical),
  semantic: contextRead(checkSemanticRequest, async () => (await loadHybrid()).searchSemantic),
  hybrid: contextRead(checkHybridRequest, async () => (await loadHybrid()).searchHybrid),
  aggregate: contextRead(checkAggregateRequest, async () => (await loadLexical()).aggregateLexical),
  facets: contextRead(checkFacetsRequest, async () => (await loadLexical()).facetsLexical),
  suggest: contextRead(
    checkSuggestRequest,
    async () => (await import('./suggest.ts')).suggestIndex,
  ),
  clauseCounts: contextRead(
    checkSearchRequest,
    async () => (await import('./advice/clause-counts.ts')).clauseCounts,
  ),
  explain: contextRead(
    checkExplainRequest,
    async () => (await import('./explain/explain.ts')).explainKey,
  ),
  getKeys: contextRead(checkKeysRequest, async () => (await import('./fetch/get-keys.ts')).getKeys),
});

/** A request whose dates may say `now` means the time at which it arrived, in all its steps. */
export function atOneTime<Q>(request: Q, now: number): Q {
  return mentionsNow(request) ? { now, ...request } : request;
}

const QUERY_PARTS = ['query', 'filter', 'ast', 'aggs'] as const;

/** True if a part of a request that has queries may mean the time of the request. */
function mentionsNow(request: unknown): request is object {
  if (typeof request !== 'object' || request === null) return false;
  return QUERY_PARTS.some((part) => {
    const value: unknown = Object.getOwnPropertyDescriptor(request, part)?.value;
    if (typeof value === 'string') return value.includes('now');
    return typeof value === 'object' && value !== null && textsInclude(value, 'now', 0);
  });
}

/** True if a text inside of a value begins with `start`; looks no deeper than queries may be. */
function textsInclude(value: object, start: string, depth: number): boolean {
  if (depth > LIMITS.queryDepth * 2) return false;
  return Object.values(value).some((part) => {
    if (typeof part === 'string') return part.includes(start);
    return typeof part === 'object' && part !== null && textsInclude(part, start, depth + 1);
  });
}
