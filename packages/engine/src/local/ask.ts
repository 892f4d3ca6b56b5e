/** Reads of an index beside searching it: each checks its request, then reads one commit. */
import type {
  BenchRequest,
  BenchResponse,
  CallContext,
  ClauseCount,
  ExplainRequest,
  ExplainResponse,
  KeysRequest,
  KeysResponse,
  SearchRequest,
  SuggestRequest,
  SuggestResponse,
} from '@lakehouse-search/contract';
import {
  checkBenchRequest,
  checkExplainRequest,
  checkKeysRequest,
  checkSearchRequest,
  checkSuggestRequest,
  LhsError,
} from '@lakehouse-search/contract';
import { lazily } from '../base/lazily.ts';
import type { LocalIndexes } from './local-indexes.ts';
import { readIndex } from './read-index.ts';

const loadClauseCounts = lazily(() => import('../search/clause-counts.ts'));
const loadSuggest = lazily(() => import('../search/suggest/suggest.ts'));
const loadExplain = lazily(() => import('../search/explain/explain.ts'));
const loadGetKeys = lazily(() => import('../search/fetch/get-keys.ts'));
const loadBench = lazily(() => import('../search/bench.ts'));

/** Documents of each clause of a query. */
export async function clauseCountsLocal(
  indexes: LocalIndexes,
  request: SearchRequest,
  call: CallContext = {},
): Promise<readonly ClauseCount[]> {
  const { clauseCounts } = await loadClauseCounts();
  const checked = checkSearchRequest(request);
  const { index, pit_id } = request;
  return readIndex(indexes, { index, pit_id, call }, (context) => clauseCounts(context, checked));
}

/** Suggestions of an index. Throws permission_denied to the callers of a tenant. */
export async function suggestLocal(
  indexes: LocalIndexes,
  request: SuggestRequest,
  call: CallContext = {},
): Promise<SuggestResponse> {
  const { suggestTerms } = await loadSuggest();
  const checked = checkSuggestRequest(request);
  if (call.principal?.tenant !== undefined) {
    const message = 'suggest is closed to the callers of a tenant: it counts rows of all tenants';
    throw new LhsError('permission_denied', message, { hint: 'facets counts the tenant’s own' });
  }
  return readIndex(indexes, { index: request.index, call }, (context) =>
    suggestTerms(context, checked),
  );
}

/** Why a row is, or is not, among hits; a tenant's caller learns nothing of other rows. */
export async function explainLocal(
  indexes: LocalIndexes,
  request: ExplainRequest,
  call: CallContext = {},
): Promise<ExplainResponse> {
  const { explainKey } = await loadExplain();
  const checked = checkExplainRequest(request);
  const { index, pit_id } = request;
  return readIndex(indexes, { index, pit_id, call }, (context) => explainKey(context, checked));
}

/** Rows by key. */
export async function keysLocal(
  indexes: LocalIndexes,
  request: KeysRequest,
  call: CallContext = {},
): Promise<KeysResponse> {
  const { getKeys } = await loadGetKeys();
  const checked = checkKeysRequest(request);
  return readIndex(indexes, { index: request.index, call }, (context) => getKeys(context, checked));
}

/** Measures queries of an index. */
export async function benchLocal(
  indexes: LocalIndexes,
  request: BenchRequest,
  call: CallContext = {},
): Promise<BenchResponse> {
  const { benchIndex } = await loadBench();
  const checked = checkBenchRequest(request);
  const { index } = checked;
  return readIndex(indexes, { index, call }, async (context) => benchIndex(context, checked));
}
