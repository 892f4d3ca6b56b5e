import { type Json, type JsonObject, LhsError } from '@lakehouse-search/contract';
import { pauses } from '@lakehouse-search/engine/internal';
import { noSearchContext } from '../base/engine-error.ts';
import { flagIn, objectIn, onlyKnown, textIn, type UrlParams } from '../base/read-json.ts';
import type { Reads } from '../base/reads.ts';
import { type IndexOptions, indexNames, openIndexes } from '../base/served-index.ts';
import { illegal } from '../query/refusal.ts';
import { runSearch } from '../search/run-search.ts';
import { runSeveral } from '../search/run-several.ts';
import { readBody, type SearchBody } from '../search/search-body.ts';
import { planSearch } from '../search/search-plan.ts';
import type { AdapterCall } from './adapter-call.ts';
import { contextMissing, type KnownPit, readPitId } from './pit-id.ts';

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
  const found = await searchAny(call, expression, input, params);
  const mayBePartial = flagIn(
    params.allow_partial_search_results ?? 'true',
    'allow_partial_search_results',
  );
  const { failed, total } = found._shards as { readonly failed: number; readonly total: number };
  if (mayBePartial || failed === 0) return found;
  const message = `Partial shards failure: ${failed} of ${total} shards did not answer`;
  throw new LhsError('unreachable', message);
}

async function searchAny(
  call: AdapterCall,
  expression: string | undefined,
  input: Json | undefined,
  params: UrlParams,
): Promise<JsonObject> {
  const body = readBody(input, params);
  const reads = call.reads(body.timeoutMillis);
  if (body.json.pit === undefined) {
    const names = await indexNames(reads, expression, indexOptions(params));
    return searchIndexes(call, reads, names, body, params);
  }
  const { id, pits } = pitOf(body.json.pit, expression);
  const names = pits.map(({ index }) => index);
  const found = await searchIndexes(call, reads, names, body, params, pits).catch(
    (error: unknown) => {
      throw contextMissing(error, id);
    },
  );
  return { pit_id: id, ...found };
}

/** The response of a search of indexes by name; `pits`: their points in time. */
export async function searchIndexes(
  call: AdapterCall,
  reads: Reads,
  names: readonly string[],
  body: SearchBody,
  params: UrlParams,
  pits: readonly KnownPit[] = [],
): Promise<JsonObject> {
  const indexes = await openIndexes(reads, names);
  if (indexes.length === 0) return emptySearch(params);
  call.noteIndex(indexes.map(({ name }) => name).join(','));
  const pitOfName = (at: number) => pits[at]?.pit;
  if (indexes.length === 1) {
    const pause = pauses();
    const plan = planSearch(indexes[0], body, params, pitOfName(0));
    await pause();
    return runSearch(reads, plan, params);
  }
  const own = indexes.map(({ name }) => name);
  const others: (() => void)[] = [];
  try {
    for (const name of own.slice(1)) others.push(await call.begin('search', name));
    return await runSeveral(reads, indexes, body, params, (index, position) =>
      planSearch(index, body, params, pitOfName(position), { names: own, position }),
    );
  } finally {
    for (const end of others) end();
  }
}

function pitOf(json: Json, expression: string | undefined) {
  if (expression !== undefined) {
    throw illegal('[indices] cannot be used with point in time. Do not specify any index with it.');
  }
  const { id } = onlyKnown(objectIn(json, 'pit'), 'pit', ['id', 'keep_alive']);
  const text = textIn(id, 'pit.id');
  const pits = readPitId(text);
  if (pits === undefined) throw noSearchContext(text);
  return { pits, id: text };
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
