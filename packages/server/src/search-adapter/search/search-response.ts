/** Responses of searches, as the imitated engine writes them. */
import type { Hit, Json, JsonObject } from '@lakehouse-search/contract';
import { mapInTurns } from '@lakehouse-search/engine/internal';
import { documentId } from '../base/document-id.ts';
import { highlightOf } from './highlight.ts';
import { fieldsOf } from './hit-fields.ts';
import { keyText, sortValues } from './read-sort.ts';
import type { SearchBody } from './search-body.ts';
import type { SearchPlan } from './search-plan.ts';
import { filterSource } from './source-filter.ts';

/** Shards of an index that answered, of all of them. */
export interface ShardCounts {
  readonly shards_scanned: number;
  readonly shards_total: number;
}

/** An index of several that did not answer, or some of its shards. */
export interface ShardFailure {
  readonly index: string;
  readonly type: string;
  readonly reason: string;
}

/** What `_shards` says of a response of some indexes; `failures`: of indexes without a response. */
export function shardsOf(
  responses: readonly (ShardCounts & { readonly index: string })[],
  failures: readonly ShardFailure[] = [],
): JsonObject {
  const sum = (of: (one: ShardCounts) => number) =>
    responses.reduce((all, one) => all + of(one), 0);
  const total = sum((one) => one.shards_total) + failures.length;
  const successful = sum((one) => one.shards_scanned);
  const all = [...responses.flatMap(missingShards), ...failures].map(
    ({ index, ...reason }): JsonObject => ({ shard: -1, index, node: null, reason }),
  );
  const shown: JsonObject = all.length === 0 ? {} : { failures: all };
  return { total, successful, skipped: 0, failed: total - successful, ...shown };
}

function missingShards(one: ShardCounts & { readonly index: string }): readonly ShardFailure[] {
  const { index, shards_scanned, shards_total } = one;
  const missing = shards_total - shards_scanned;
  if (missing === 0) return [];
  const reason = `${missing} of ${shards_total} shards did not answer`;
  return [{ index, type: 'no_shard_available_action_exception', reason }];
}

/** A hit, and the search of the index that found it. */
export interface IndexHit {
  readonly plan: SearchPlan;
  readonly hit: Hit;
  /** Members of its own. */
  readonly extras?: JsonObject;
}

/**
 * `hits` of a search. `found`: the page; `maxScore`: of all hits; null: the order is not by
 * relevance.
 */
export async function hitsOf(
  { size, trackTotal }: SearchBody,
  found: { readonly total: number; readonly hits: readonly IndexHit[] },
  maxScore: number | null,
  asInt: boolean,
): Promise<JsonObject> {
  return {
    ...totalOf(found.total, trackTotal, asInt),
    max_score: size === 0 ? null : maxScore,
    hits: size === 0 ? [] : await mapInTurns(found.hits, hitOf),
  };
}

/** `hits.total`; absent if the request does not track it. */
function totalOf(total: number, track: boolean | number, asInt: boolean): JsonObject {
  if (track === false) return asInt ? { total: -1 } : {};
  if (asInt) return { total };
  if (track === true || total <= track) return { total: { value: total, relation: 'eq' } };
  return { total: { value: track, relation: 'gte' } };
}

function hitOf({ hit, plan, extras }: IndexHit): JsonObject {
  const { index, sort, source, highlight, showVersion, trackScores, collapse } = plan;
  const isOrdered = sort.keys.length > 0;
  const hasPit = plan.selection.pit_id !== undefined;
  const marked = highlight === undefined ? undefined : highlightOf(hit, highlight);
  const group = hit.collapse?.value ?? null;
  const collapsed = collapse === undefined || group === null ? {} : { [collapse]: [group] };
  const fields = { ...fieldsOf(hit, plan.fields), ...collapsed };
  return {
    _index: index.name,
    ...(plan.showId ? { _id: documentId(hit.coordinates) } : {}),
    ...(showVersion ? { _version: 1 } : {}),
    _score: sort.isScored || trackScores ? hit.score : null,
    ...sourceOf(hit, source),
    ...(Object.keys(fields).length === 0 ? {} : { fields }),
    ...(marked === undefined ? {} : { highlight: marked }),
    ...(isOrdered || hasPit ? { sort: shownSort(hit, plan, hasPit) } : {}),
    ...extras,
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
  return [hit.score, keyText(documentId(hit.coordinates), sort)];
}
