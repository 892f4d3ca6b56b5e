/** `_search`, `_msearch`, `_count`, `_validate/query`. */
import type { Json, JsonObject } from '@lakehouse-search/contract';
import { pauses } from '@lakehouse-search/engine/internal';
import { engineError } from '../base/engine-error.ts';
import { flagIn } from '../base/read-json.ts';
import type { Reads } from '../base/reads.ts';
import { indexNames, openIndex, requireFew } from '../base/served-index.ts';
import { isObject } from '../query/body.ts';
import { illegal, RefusedDsl, unserved } from '../query/refusal.ts';
import { queryOfUrl, readBody, SIZE, WINDOW } from '../search/search-body.ts';
import { selectionOf } from '../search/search-plan.ts';
import { shardsOf } from '../search/search-response.ts';
import type { AdapterCall } from './adapter-call.ts';
import { type Endpoint, INDEX_PARAMS } from './endpoint.ts';
import { linesOf } from './msearch-lines.ts';
import { nextScroll, openScroll } from './scroll.ts';
import { indexOptions, searchOnce } from './search-once.ts';

const QUERY_PARAMS = ['q', 'df', 'default_operator', 'analyze_wildcard', 'lenient'] as const;
/** Parameters of searches that may say how the work is spread; results do not depend on them. */
const WORK_PARAMS = [
  ...['search_type', 'request_cache', 'batched_reduce_size', 'max_concurrent_shard_requests'],
  ...['pre_filter_shard_size', 'ccs_minimize_roundtrips', 'allow_partial_search_results'],
  ...['max_concurrent_searches', 'cancel_after_time_interval', 'phase_took'],
] as const;

const search: Endpoint = {
  methods: ['GET', 'POST'],
  paths: ['/_search', '/:index/_search'],
  operation: 'search',
  params: [
    ...[...INDEX_PARAMS, ...QUERY_PARAMS, ...WORK_PARAMS],
    ...['from', 'size', 'sort', '_source', '_source_includes', '_source_excludes'],
    ...['stored_fields', 'docvalue_fields', 'timeout', 'terminate_after', 'track_total_hits'],
    ...['track_scores', 'version', 'rest_total_hits_as_int', 'typed_keys', 'scroll', 'explain'],
  ],
  async answer(call) {
    const { params, path, body } = call;
    requireSearchType(params.search_type);
    if (params.scroll !== undefined) return { json: await openScroll(call) };
    return { json: await searchOnce(call, path.index, body, params) };
  },
};

function requireSearchType(type = 'query_then_fetch'): void {
  if (type === 'query_then_fetch' || type === 'dfs_query_then_fetch') return;
  throw unserved(`search type [${type.slice(0, 100)}] is not served by this adapter`);
}

/** Pages of a scroll, whose id holds all that the next page needs. */
const scroll: Endpoint = {
  methods: ['GET', 'POST'],
  paths: ['/_search/scroll', '/_search/scroll/:scroll_id'],
  operation: 'search',
  params: ['scroll', 'scroll_id', 'rest_total_hits_as_int'],
  answer: async (call) => ({ json: await nextScroll(call) }),
};

/** Most searches of one `_msearch`. */
const SEARCHES = 1000;
/** Hits that all of its searches may request: their responses are in memory together. */
export const MOST_HITS = 100_000;
/** Members of a header that the adapter reads or that change no result. */
const HEADER = new Set<string>([...INDEX_PARAMS, ...WORK_PARAMS, 'index', 'indices', 'version']);

const msearch: Endpoint = {
  methods: ['GET', 'POST'],
  paths: ['/_msearch', '/:index/_msearch'],
  operation: 'search',
  isLined: true,
  params: [...INDEX_PARAMS, ...WORK_PARAMS, 'rest_total_hits_as_int', 'typed_keys'],
  async answer(call) {
    const began = performance.now();
    const searches = await linesOf(call.body, SEARCHES);
    const hits = searches.reduce((sum, { body }) => sum + requestedHits(body), 0);
    if (hits > MOST_HITS) throw illegal(`more than ${MOST_HITS} hits in one request`);
    const responses: JsonObject[] = [];
    const pause = pauses();
    for (const [at, { header, body }] of searches.entries()) {
      responses.push(await oneOfMany(call, header, body, at > 0));
      // Answers from the cache let no other request have its turn.
      await pause();
    }
    return { json: { took: Math.round(performance.now() - began), responses } };
  },
};

/** The `size` of a search; 0 if it is refused for its size. */
function requestedHits(body: Json): number {
  const size = isObject(body) ? Number(body.size ?? SIZE) : 0;
  return size > 0 && size <= WINDOW ? size : 0;
}

/** One search of several; its error is its response, unless the caller may send no more. */
async function oneOfMany(
  call: AdapterCall,
  header: JsonObject,
  body: Json,
  isNext: boolean,
): Promise<JsonObject> {
  const { params, path } = call;
  const named = header.index ?? header.indices;
  const listed = Array.isArray(named) ? named.join(',') : named;
  const expression = typeof listed === 'string' && listed !== '' ? listed : path.index;
  let ended: (() => void) | undefined;
  try {
    const unknown = Object.keys(header).find((name) => !HEADER.has(name));
    if (unknown !== undefined) {
      throw illegal(`key [${unknown.slice(0, 100)}] is not supported in the metadata section`);
    }
    if (isNext) ended = await call.begin('search', expression);
    requireSearchType(header.search_type === undefined ? undefined : String(header.search_type));
    const own = Object.fromEntries(
      (['ignore_unavailable', 'allow_no_indices'] as const)
        .filter((name) => header[name] !== undefined)
        .map((name) => [name, String(header[name])]),
    );
    return { ...(await searchOnce(call, expression, body, { ...params, ...own })), status: 200 };
  } catch (error) {
    return engineError(error, expression).body;
  } finally {
    ended?.();
  }
}

/** Documents of a query; its own parameters and members are all that it takes. */
async function counted(reads: Reads, name: string, { body, params }: AdapterCall) {
  const index = await openIndex(reads, name, Date.now());
  const { json } = readBody(body, {});
  const other = Object.keys(json).find((member) => member !== 'query');
  if (other !== undefined) {
    const reason = `request does not support [${other.slice(0, 100)}]`;
    throw new RefusedDsl({ status: 400, type: 'parsing_exception', reason });
  }
  const query = params.q === undefined ? json : { query: queryOfUrl(params.q, params) };
  const { hybrid, ...selection } = selectionOf(query, index, undefined);
  if (hybrid !== undefined) throw illegal('fused lists have no count');
  return reads.search({ ...selection, limit: 1 });
}

/** The same of each index, which counts as one call. */
async function countEach(reads: Reads, names: readonly string[], call: AdapterCall) {
  requireFew(names);
  const others: (() => void)[] = [];
  try {
    for (const name of names.slice(1)) others.push(await call.begin('search', name));
    return await Promise.all(names.map((name) => counted(reads, name, call)));
  } finally {
    for (const end of others) end();
  }
}

const count: Endpoint = {
  methods: ['GET', 'POST'],
  paths: ['/_count', '/:index/_count'],
  operation: 'search',
  params: [...INDEX_PARAMS, ...QUERY_PARAMS],
  async answer(call) {
    const reads = call.reads();
    const names = await indexNames(reads, call.path.index, indexOptions(call.params));
    const found = await countEach(reads, names, call);
    const _shards = shardsOf(found.map((one, at) => ({ ...one, index: names[at] })));
    return { json: { count: found.reduce((sum, { total }) => sum + total, 0), _shards } };
  },
};

const VALIDATED = { total: 1, successful: 1, failed: 0 };

const validate: Endpoint = {
  methods: ['GET', 'POST'],
  paths: ['/_validate/query', '/:index/_validate/query'],
  operation: 'search',
  params: [...INDEX_PARAMS, ...QUERY_PARAMS, 'explain', 'rewrite', 'all_shards'],
  async answer(call) {
    for (const name of ['rewrite', 'all_shards'] as const) {
      if (flagIn(call.params[name] ?? 'false', name)) {
        throw unserved(`parameter [${name}] is not served by this adapter`);
      }
    }
    const reads = call.reads();
    const names = await indexNames(reads, call.path.index, indexOptions(call.params));
    const shown = flagIn(call.params.explain ?? 'false', 'explain');
    try {
      await countEach(reads, names, call);
      const explanations = names.map((index) => ({ index, valid: true }));
      const said: JsonObject = shown ? { explanations } : {};
      return { json: { _shards: VALIDATED, valid: true, ...said } };
    } catch (error) {
      const { status, error: known } = engineError(error);
      if (status !== 400) throw error;
      const said: JsonObject = shown ? { error: known.message } : {};
      return { json: { _shards: VALIDATED, valid: false, ...said } };
    }
  },
};

/** Endpoints that search. */
export const SEARCH_ENDPOINTS: readonly Endpoint[] = [search, scroll, msearch, count, validate];
