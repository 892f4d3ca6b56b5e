/** `_search`, `_count`, `_validate/query`. */
import type { Json, JsonObject } from '@lakehouse-search/contract';
import { flagIn, type UrlParams } from '../base/read-json.ts';
import { type IndexOptions, oneIndex, openIndex } from '../base/served-index.ts';
import { unserved } from '../query/refusal.ts';
import { runSearch } from '../search/run-search.ts';
import { readBody } from '../search/search-body.ts';
import { planSearch } from '../search/search-plan.ts';
import type { AdapterCall } from './adapter-call.ts';
import { type Endpoint, INDEX_PARAMS } from './endpoint.ts';

/** Parameters of the URL of a search. */
export const SEARCH_PARAMS: readonly string[] = [
  ...INDEX_PARAMS,
  ...['q', 'df', 'default_operator', 'analyze_wildcard', 'lenient', 'from', 'size', 'sort'],
  ...['_source', '_source_includes', '_source_excludes', 'stored_fields', 'docvalue_fields'],
  ...['timeout', 'terminate_after', 'track_total_hits', 'track_scores', 'version'],
  ...['rest_total_hits_as_int', 'typed_keys', 'search_type', 'request_cache', 'scroll'],
  ...['batched_reduce_size', 'max_concurrent_shard_requests', 'pre_filter_shard_size'],
  ...[
    'ccs_minimize_roundtrips',
    'allow_partial_search_results',
    'phase_took',
    'cancel_after_time_interval',
  ],
];

/** How a request treats names that match nothing. */
export const indexOptions = (params: UrlParams): IndexOptions => ({
  ignoreUnavailable: flagIn(params.ignore_unavailable ?? 'false', 'ignore_unavailable'),
  allowNoIndices: flagIn(params.allow_no_indices ?? 'true', 'allow_no_indices'),
});

/** The response of one search. `expression`: the indexes that the request names. */
export async function searchOnce(
  call: AdapterCall,
  expression: string | undefined,
  input: Json | undefined,
  params: UrlParams,
): Promise<JsonObject> {
  const now = Date.now();
  const body = readBody(input, params);
  const reads = call.reads(body.timeoutMillis);
  const name = await oneIndex(reads, expression, indexOptions(params));
  if (name === undefined) return emptySearch(params);
  const index = await openIndex(reads, name, now);
  call.noteIndex(index.name);
  return runSearch(reads, planSearch(index, body, params, undefined), params);
}

/** The response of a search of no index. */
function emptySearch(params: UrlParams): JsonObject {
  const asInt = flagIn(params.rest_total_hits_as_int ?? 'false', 'rest_total_hits_as_int');
  return {
    took: 0,
    timed_out: false,
    _shards: { total: 0, successful: 0, skipped: 0, failed: 0 },
    hits: { total: asInt ? 0 : { value: 0, relation: 'eq' }, max_score: 0, hits: [] },
  };
}

const search: Endpoint = {
  methods: ['GET', 'POST'],
  paths: ['/_search', '/:index/_search'],
  operation: 'search',
  params: SEARCH_PARAMS,
  async answer(call) {
    const { params, path, body } = call;
    requireSearchType(params);
    return { json: await searchOnce(call, path.index, body, params) };
  },
};

function requireSearchType({ search_type = 'query_then_fetch' }: UrlParams): void {
  if (search_type === 'query_then_fetch' || search_type === 'dfs_query_then_fetch') return;
  throw unserved(`search type [${search_type.slice(0, 100)}] is not served by this adapter`);
}

export const SEARCH_ENDPOINTS: readonly Endpoint[] = [search];
