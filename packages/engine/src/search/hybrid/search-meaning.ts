/**
 * Searches by meaning, from a checked request to the answer. Steps: bind what every search has,
 * find the documents with their scores (find-nearest.ts, find-hybrid.ts), then run as every search
 * does, with these documents in place of the query.
 */

import type { SearchResponse } from '@lakehouse-search/contract';
import type {
  CheckedHybrid,
  CheckedRequest,
  CheckedSemantic,
} from '@lakehouse-search/contract/internal';
import { allEnded } from '../../base/all-ended.ts';
import { lexicalFields } from '../../shard/request/precomputed.ts';
import { queryFields } from '../../shard/request/query-fields.ts';
import type { PrecomputedDocs, ShardQuery } from '../../shard/shard.ts';
import { notesOf, requireSnapshot, type SearchContext } from '../context.ts';
import { FanOut } from '../fan-out.ts';
import { type PreparedSearch, prepareSearch } from '../find-hits.ts';
import { answerSearch } from '../search.ts';
import { absentWords } from './absent-words.ts';
import { findHybrid } from './find-hybrid.ts';
import { filtersOf, findNear, nearByShard, nearNotes } from './find-nearest.ts';
import { addressNumber } from './fuse.ts';
import { vectorFieldOf } from './query-vector.ts';

/**
 * Answers a semantic search over one commit. Throws invalid_argument, limit_exceeded,
 * model_unavailable, model_mismatch, and what a search throws.
 */
export async function searchSemantic(
  context: SearchContext,
  checked: CheckedSemantic,
): Promise<SearchResponse> {
  const { search, nearest } = checked;
  const started = performance.now();
  const fan = new FanOut(context.shards);
  const field = vectorFieldOf(queryFields(context.mapping), nearest.vector_field);
  const rest = await prepareRest(context, fan, search);
  const { query_text: text = '' } = nearest;
  const texts = lexicalFields(context.mapping, undefined);
  // Side by side: both may wait for bytes of an object store.
  const [near, absent] = await allEnded([
    findNear(context, fan, field, nearest, filtersOf(rest.queries)),
    absentWords(context, fan, text, texts, field),
  ]);
  const found = nearByShard(fan.shards.length, near, '');
  const weak = nearNotes(near, text);
  const more = notesOf(weak.length > 0 ? weak : absent);
  const answer = await answerSearch(context, fan, withDocs(rest, found), started, { more });
  return withDepth(answer, checked, nearest.k, `only the ${nearest.k} nearest rows`);
}

/** Answers a hybrid search over one commit. Throws as `searchSemantic`. */
export async function searchHybrid(
  context: SearchContext,
  checked: CheckedHybrid,
): Promise<SearchResponse> {
  const started = performance.now();
  const fan = new FanOut(context.shards);
  const rest = await prepareRest(context, fan, checked.search);
  const hybrid = await findHybrid(context, fan, checked, rest, filtersOf(rest.queries));
  const { docs, precomputed, failed, notes, k } = hybrid;
  const arms = new Map(docs.map((doc) => [addressNumber(doc), doc.arms]));
  const partial = failed.length === 0 ? {} : { partial: true as const, failed_arms: failed };
  const answer = await answerSearch(context, fan, withDocs(rest, precomputed), started, {
    more: { ...partial, ...notesOf(notes) },
    ofHit: ({ shard, segment, hit: { doc } }) => {
      return { arms: arms.get(addressNumber({ shard, segment, doc })) ?? {} };
    },
  });
  return withDepth(answer, checked, k, `only ${k} rows by words and ${k} by meaning`);
}

/** Says that a page is short because no `k` was named: it ends at the default. */
function withDepth(
  answer: SearchResponse,
  { search, requestedK }: CheckedSemantic,
  k: number,
  ranked: string,
): SearchResponse {
  const isCut = answer.hits.length < search.limit && answer.total >= k;
  if (requestedK !== undefined || !isCut) return answer;
  const note = `${ranked} are ranked: set "k" for more`;
  return { ...answer, notes: [...(answer.notes ?? []), note] };
}

/** All of a search but its documents: what does not fit is refused before a model is opened. */
export async function prepareRest(
  context: SearchContext,
  fan: FanOut,
  search: CheckedRequest,
): Promise<PreparedSearch> {
  const prepared = await prepareSearch(context, fan, search);
  await requireSnapshot(context, search.request.min_snapshot);
  return prepared;
}

/** A search whose documents are those that were found, whatever page is requested. */
export function withDocs(
  { queries, bound, ...rest }: PreparedSearch,
  found: readonly PrecomputedDocs[],
): PreparedSearch {
  const replaced = queries.map((query, shard): ShardQuery => {
    return { ...query, precomputed: { ...query.precomputed, whole: found[shard] } };
  });
  // Nothing of the precomputed documents is read from terms: no statistics are needed.
  return { queries: replaced, bound: { ...bound, clause: { kind: 'all', boost: 1 } }, ...rest };
}
