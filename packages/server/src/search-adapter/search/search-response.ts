/** Responses of searches, as the imitated engine writes them. */
import type { Hit, Json, JsonObject, SearchResponse } from '@lakehouse-search/contract';
import { documentId } from '../base/document-id.ts';
import { highlightOf } from './highlight.ts';
import { fieldsOf } from './hit-fields.ts';
import { sortValues } from './read-sort.ts';
import type { SearchPlan } from './search-plan.ts';
import { filterSource } from './source-filter.ts';

/** What `_shards` says of a response. */
export function shardsOf(response: {
  readonly shards_scanned: number;
  readonly shards_total: number;
}): JsonObject {
  const { shards_scanned: successful, shards_total: total } = response;
  return { total, successful, skipped: 0, failed: total - successful };
}

/** `hits` of a search. `maxScore`: of all hits; null: the order is not by relevance. */
export function hitsOf(
  plan: SearchPlan,
  response: SearchResponse,
  maxScore: number | null,
  asInt: boolean,
): JsonObject {
  const { size } = plan.body;
  const shown = size === 0 ? [] : response.hits.map((hit) => hitOf(hit, plan));
  return {
    ...totalOf(response.total, plan.body.trackTotal, asInt),
    max_score: size === 0 ? null : maxScore,
    hits: shown,
  };
}

/** `hits.total`; absent if the request does not track it. */
function totalOf(total: number, track: boolean | number, asInt: boolean): JsonObject {
  if (track === false) return asInt ? { total: -1 } : {};
  if (asInt) return { total };
  if (track === true || total <= track) return { total: { value: total, relation: 'eq' } };
  return { total: { value: track, relation: 'gte' } };
}

function hitOf(hit: Hit, plan: SearchPlan): JsonObject {
  const { index, sort, source, highlight, showVersion, trackScores, collapse } = plan;
  const isOrdered = sort.keys.length > 0;
  const hasPit = plan.selection.pit_id !== undefined;
  const marked = highlight === undefined ? undefined : highlightOf(hit.highlight, highlight);
  const collapsed = collapse === undefined ? {} : { [collapse]: [hit.collapse?.value ?? null] };
  const fields = { ...fieldsOf(hit, plan.fields), ...collapsed };
  return {
    _index: index.name,
    _id: documentId(hit.coordinates),
    ...(showVersion ? { _version: 1 } : {}),
    _score: sort.isScored || trackScores ? hit.score : null,
    ...sourceOf(hit, source),
    ...(Object.keys(fields).length === 0 ? {} : { fields }),
    ...(marked === undefined ? {} : { highlight: marked }),
    ...(isOrdered || hasPit ? { sort: shownSort(hit, plan, hasPit) } : {}),
  };
}

function sourceOf({ row, hydrate_error }: Hit, source: SearchPlan['source']): JsonObject {
  if (hydrate_error !== undefined) {
    return { error: { type: 'source_unavailable_exception', reason: hydrate_error } };
  }
  return source === null || row === undefined ? {} : { _source: filterSource(row, source) };
}

/** By relevance, a point in time adds score and key, so that the page after it can follow. */
function shownSort(hit: Hit, { sort }: SearchPlan, hasPit: boolean): readonly Json[] {
  if (sort.keys.length > 0) return sortValues(sort, hit.sort ?? [], hasPit);
  return [hit.score, documentId(hit.coordinates)];
}
