/** Runs a planned search: its page, the rows of large pages, the highest score, aggregations. */
import {
  type AggResults,
  type AggSpecs,
  type JsonObject,
  LhsError,
  type QueryTree,
  type SearchResponse,
} from '@lakehouse-search/contract';
import { chunksOf } from '../aggregations/agg-chunks.ts';
import type { AggLevel, AggSource } from '../aggregations/agg-part.ts';
import { limitedRuns } from '../aggregations/limited-runs.ts';
import { planAggregations } from '../aggregations/plan-aggregations.ts';
import { flagIn, type UrlParams } from '../base/read-json.ts';
import type { Reads } from '../base/reads.ts';
import { illegal } from '../query/refusal.ts';
import { withExtras } from './hit-extras.ts';
import { withMinScore } from './min-score.ts';
import { readPage, specsIn, specsOfPage } from './read-page.ts';
import type { SearchBody } from './search-body.ts';
import { pageRequest, type SearchPlan, type Selection } from './search-plan.ts';
import { hitsOf, shardsOf } from './search-response.ts';

/** The response of a search of one index. */
export async function runSearch(
  reads: Reads,
  plan: SearchPlan,
  params: UrlParams,
): Promise<JsonObject> {
  return inTime(plan.body, params, async (asInt) => {
    const level = await aggregationsOf(reads, plan, params);
    const page = await withMinScore(reads, plan, await readPage(reads, plan, level));
    const maxScore = await highestScore(reads, plan, page);
    const aggregations = await finished(reads, plan, page, level);
    const hits = await withExtras(reads, plan, page.hits);
    const { terminateAfter: most } = plan.body;
    const isEarly = most !== undefined && page.total >= most;
    const total = isEarly ? most : page.total;
    return {
      ...(most === undefined ? {} : { terminated_early: isEarly }),
      _shards: shardsOf([{ ...page, index: plan.index.name }]),
      hits: await hitsOf(plan.body, { total, hits }, maxScore, asInt),
      ...(aggregations === undefined ? {} : { aggregations }),
    };
  });
}

/** A response with its time; one that exceeds the `timeout` of its body says so. */
export async function inTime(
  body: SearchBody,
  params: UrlParams,
  search: (asInt: boolean) => Promise<JsonObject>,
): Promise<JsonObject> {
  const began = performance.now();
  const asInt = flagIn(params.rest_total_hits_as_int ?? 'false', 'rest_total_hits_as_int');
  try {
    const found = await search(asInt);
    return { took: Math.round(performance.now() - began), timed_out: false, ...found };
  } catch (error) {
    const isLate = error instanceof LhsError && error.code === 'deadline_exceeded';
    if (!isLate || body.timeoutMillis === undefined) throw error;
    return timedOut(performance.now() - began, asInt);
  }
}

/** The response of a search whose own `timeout` has passed: nothing was counted. */
function timedOut(millis: number, asInt: boolean): JsonObject {
  return {
    took: Math.round(millis),
    timed_out: true,
    _shards: { total: 1, successful: 1, skipped: 0, failed: 0 },
    hits: { total: asInt ? 0 : { value: 0, relation: 'gte' }, max_score: null, hits: [] },
  };
}

/** The aggregations of a plan; undefined: it has none. */
async function aggregationsOf(
  reads: Reads,
  { body, index, selection }: SearchPlan,
  params: UrlParams,
): Promise<AggLevel | undefined> {
  const { aggs, aggregations = aggs } = body.json;
  if (aggregations === undefined) return undefined;
  const hasTypedKeys = flagIn(params.typed_keys ?? 'false', 'typed_keys');
  const run: AggSource['run'] = (aggs, filter) => aggregate(reads, selection, aggs, filter);
  const runOverAll: AggSource['runOverAll'] = (aggs) =>
    aggregate(reads, everything(selection), aggs);
  const runs = limitedRuns({ run, runOverAll }, 1);
  return planAggregations(aggregations, { index, hasTypedKeys, ...runs });
}

/** Results of our aggregations over the documents of a selection. Throws RefusedDsl. */
export async function aggregate(
  reads: Reads,
  { hybrid, ...documents }: Selection,
  aggs: JsonObject,
  filter?: QueryTree,
): Promise<AggResults> {
  if (hybrid !== undefined) throw illegal('this aggregation does not go with fused lists');
  const restricted = filter === undefined ? {} : { filter };
  const all: AggResults[] = [];
  for (const chunk of chunksOf(aggs)) {
    all.push(
      (await reads.aggregate({ ...documents, ...restricted, aggs: chunk as AggSpecs })).results,
    );
  }
  return Object.assign({}, ...all) as AggResults;
}

/** All documents that a selection is made of. */
export const everything = ({ hybrid: _, filter: __, ...others }: Selection): Selection => ({
  ...others,
  ast: { match_all: {} },
});

/** The results of aggregations: of the page's own search, unless its hits are restricted. */
async function finished(
  reads: Reads,
  plan: SearchPlan,
  page: SearchResponse,
  level: AggLevel | undefined,
): Promise<JsonObject | undefined> {
  if (level === undefined) return undefined;
  const aggs = specsIn(level);
  if (aggs === undefined) return level.finish({});
  if (specsOfPage(plan, level) !== undefined) return level.finish(page.aggs ?? {});
  return level.finish(await aggregate(reads, plan.selection, aggs));
}

/** The score of the best hit of all; null in any other order than by relevance. */
export async function highestScore(
  reads: Reads,
  plan: SearchPlan,
  { hits }: SearchResponse,
): Promise<number | null> {
  const { body, sort, trackScores, selection, searchAfter } = plan;
  if (body.size === 0) return null;
  const isByScore = sort.keys.length === 0 && searchAfter === undefined;
  if (isByScore && body.from === 0) return hits[0]?.score ?? null;
  const isScored = trackScores || sort.keys.some(({ kind }) => kind === 'score');
  if (!isByScore && !isScored) return null;
  if (selection.hybrid !== undefined) {
    throw illegal('[from] and [track_scores] do not go with fused lists');
  }
  const { offset: _, sort: __, search_after: ___, hydrate: ____, ...best } = pageRequest(plan);
  const first = await reads.search({ ...best, limit: 1 });
  return first.hits[0]?.score ?? null;
}
