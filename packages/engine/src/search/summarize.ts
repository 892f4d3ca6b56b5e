/**
 * Facets and aggregations of a search, or alone. Steps: the specifications are bound to the index's
 * fields, every shard makes partials of its matches, and the merged partials become the answer.
 */
import {
  type AggResults,
  type AggregateResponse,
  type AggSpecs,
  type Facet,
  type FacetSpec,
  type FacetsResponse,
  LhsError,
  type SearchResponse,
} from '@lakehouse-search/contract';
import {
  type CheckedAggregate,
  type CheckedFacets,
  type CheckedRequest,
  checkSearchRequest,
  jsonValue,
} from '@lakehouse-search/contract/internal';
import { mergeAll } from '../aggregate/bucket-partials.ts';
import { finishAggregations } from '../aggregate/finish.ts';
import type { AggPartial } from '../aggregate/partial.ts';
import { lazily } from '../base/lazily.ts';
import { type BoundSummary, bindSummary } from '../shard/request/bind-aggregations.ts';
import type { ShardQuery, SummarySpecs } from '../shard/shard.ts';
import { Backgrounds } from './backgrounds.ts';
import { envelope, lagOf, notesOf, requireSnapshot, type SearchContext } from './context.ts';
import { FanOut } from './fan-out.ts';
import { type PreparedSearch, prepareSearch } from './find-hits.ts';
import { ShownValues } from './originals.ts';

const loadNear = lazily(() => import('./hybrid/near-clauses.ts'));

/** The members of an answer that facets and aggregations make. */
type SummaryAnswer = Pick<SearchResponse, 'facets' | 'skipped_facets' | 'aggs'>;

/** The facets and aggregations of a search, over all matching documents. */
export async function summarize(
  context: SearchContext,
  fan: FanOut,
  prepared: PreparedSearch,
  facets: FacetSpec | undefined,
  aggs: AggSpecs | undefined,
): Promise<SummaryAnswer> {
  const { results, bound } = await summaryOf(context, fan, prepared, { facets, aggs });
  return {
    ...(facets === undefined ? {} : facetsOf(bound, results)),
    ...(aggs === undefined ? {} : { aggs: aggsOf(bound, results) }),
  };
}

/**
 * Answers aggregations over one commit of an index. Throws invalid_argument, invalid_query,
 * limit_exceeded (too many buckets, by name of the aggregation), snapshot_not_reached.
 */
export async function aggregateIndex(
  context: SearchContext,
  { match, aggs }: CheckedAggregate,
): Promise<AggregateResponse> {
  const started = performance.now();
  const lag = lagOf(context);
  const { fan, prepared } = await prepareMatch(context, match);
  const specs = typeof aggs === 'string' ? parsed(aggs) : aggs;
  const { bound, results, total } = await summaryOf(context, fan, prepared, { aggs: specs });
  const state = { ...envelope(context, started), ...(await lag) };
  const notes = notesOf(prepared.bound.notes);
  return { results: aggsOf(bound, results), failed_shards: fan.failed, total, ...state, ...notes };
}

/**
 * Answers facets over one commit of an index. Fields that cannot be aggregated are in
 * `skipped_facets`; throws invalid_argument for unknown ones, and what a search throws.
 */
export async function facetIndex(
  context: SearchContext,
  { match, facets }: CheckedFacets,
): Promise<FacetsResponse> {
  const started = performance.now();
  const lag = lagOf(context);
  const { fan, prepared } = await prepareMatch(context, match);
  const { bound, results, total } = await summaryOf(context, fan, prepared, { facets });
  const partial = fan.failed === 0 ? {} : { partial: true as const };
  return {
    ...facetsOf(bound, results),
    total,
    ...partial,
    ...envelope(context, started),
    ...(await lag),
    ...notesOf(prepared.bound.notes),
  };
}

async function prepareMatch(context: SearchContext, match: CheckedRequest) {
  const fan = new FanOut(context.shards);
  const prepared = await prepareSearch(context, fan, match);
  await requireSnapshot(context, match.request.min_snapshot);
  return { fan, prepared };
}

function parsed(text: string): AggSpecs {
  try {
    return jsonValue(text, '"aggs", a text,') as AggSpecs;
  } catch (cause) {
    const hint = 'send an object {"name": {"terms": {"field": "…"}}}';
    throw new LhsError('invalid_argument', (cause as Error).message, { hint, cause });
  }
}

/** The merged partials of all shards as results, in the order of `bound.all`. */
interface Summary {
  readonly bound: BoundSummary;
  readonly results: readonly AggResults[string][];
  readonly total: number;
}

async function summaryOf(
  context: SearchContext,
  fan: FanOut,
  prepared: PreparedSearch,
  specs: SummarySpecs,
): Promise<Summary> {
  const { bound, merged, total } = await mergedPartials(context, fan, prepared, specs);
  const shown = new ShownValues();
  const backgrounds = new Backgrounds();
  const sources = { show: shown.of, background: backgrounds.of };
  const finish = () => finishAggregations(bound.all, merged, sources);
  let results = finish();
  const overAll = async (aggs: AggSpecs) => {
    const all = await prepareSearch(context, fan, checkSearchRequest({}));
    return mergedPartials(context, fan, all, { aggs });
  };
  // a background inside of buckets that a background chooses is collected later
  while (await backgrounds.read(overAll)) results = finish();
  if (await shown.read(context, fan)) results = finish();
  return { bound, results, total };
}

/** The partials of all shards, merged, and the number of matching documents. */
async function mergedPartials(
  context: SearchContext,
  fan: FanOut,
  prepared: PreparedSearch,
  specs: SummarySpecs,
) {
  const { deadline } = context;
  const { bound, queries } = await bindNear(context, fan, prepared, specs);
  const answers = await fan.ask((shard, number) => {
    const request = { query: queries[number], specs, whole: fan.alone, time: deadline.left };
    return shard.aggregate(request, deadline.signal);
  });
  let merged: readonly AggPartial[] | null = null;
  let total = 0;
  for (const answer of answers) {
    if (answer === undefined) continue;
    total += answer.total;
    if (merged === null) merged = answer.partials;
    else mergeAll(bound.all, merged, answer.partials);
  }
  return { bound, merged: merged ?? [], total };
}

/** Specifications bound, with the documents of the `knn` clauses in their filters. */
async function bindNear(
  context: SearchContext,
  fan: FanOut,
  { queries }: PreparedSearch,
  specs: SummarySpecs,
): Promise<{ readonly bound: BoundSummary; readonly queries: readonly ShardQuery[] }> {
  const { mapping } = context;
  const bound = bindSummary(mapping, queries[0], specs);
  if (bound.unresolved.length === 0) return { bound, queries };
  const { withNearAggregations } = await loadNear();
  const near = await withNearAggregations(context, fan, queries, bound.unresolved);
  return { bound: bindSummary(mapping, near[0], specs), queries: near };
}

function aggsOf({ all, facets }: BoundSummary, results: Summary['results']): AggResults {
  const own = all.slice(facets).map(({ name }, i) => [name, results[facets + i]] as const);
  return Object.fromEntries(own);
}

function facetsOf(
  { all, facets, skipped }: BoundSummary,
  results: Summary['results'],
): Pick<FacetsResponse, 'facets' | 'skipped_facets'> {
  const shown = all.slice(0, facets).map(({ name }, i) => facet(name, results[i]));
  return { facets: shown, ...(skipped.length === 0 ? {} : { skipped_facets: skipped }) };
}

function facet(field: string, result: AggResults[string]): Facet {
  if (!('sum_other_doc_count' in result)) return { field, buckets: [], other_count: 0 };
  const buckets = result.buckets.map(({ key, doc_count: count }) => ({
    value: String(key),
    count,
  }));
  return { field, buckets, other_count: result.sum_other_doc_count };
}
