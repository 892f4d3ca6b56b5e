import type { Json, JsonObject } from '@lakehouse-search/contract';
import { noSearchContext } from '../base/engine-error.ts';
import { flagIn, objectIn, onlyKnown, textIn, type UrlParams } from '../base/read-json.ts';
import { type IndexOptions, oneIndex, openIndex } from '../base/served-index.ts';
import { illegal } from '../query/refusal.ts';
import { runSearch } from '../search/run-search.ts';
import { readBody } from '../search/search-body.ts';
import { planSearch } from '../search/search-plan.ts';
import type { AdapterCall } from './adapter-call.ts';
import { contextMissing, readPitId } from './pit-id.ts';

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
  const pit = body.json.pit === undefined ? undefined : pitOf(body.json.pit, expression);
  const name = pit?.index ?? (await oneIndex(reads, expression, indexOptions(params)));
  if (name === undefined) return emptySearch(params);
  const index = await openIndex(reads, name, now);
  call.noteIndex(index.name);
  const plan = planSearch(index, body, params, pit?.pit);
  if (pit === undefined) return runSearch(reads, plan, params);
  const { id } = pit;
  const found = await runSearch(reads, plan, params).catch((error: unknown) => {
    throw contextMissing(error, id);
  });
  return { pit_id: id, ...found };
}

function pitOf(json: Json, expression: string | undefined) {
  if (expression !== undefined) {
    throw illegal('[indices] cannot be used with point in time. Do not specify any index with it.');
  }
  const { id } = onlyKnown(objectIn(json, 'pit'), 'pit', ['id', 'keep_alive']);
  const text = textIn(id, 'pit.id');
  const known = readPitId(text);
  if (known === undefined) throw noSearchContext(text);
  return { ...known, id: text };
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
