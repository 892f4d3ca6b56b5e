/**
 * Searches of several indexes. Each index finds the first hits of its own; the page is the first of
 * all, and only its hits are read with rows and highlights.
 */
import {
  type AggResults,
  type Hit,
  type JsonObject,
  LhsError,
  type SearchResponse,
} from '@lakehouse-search/contract';
import type { AggLevel, AggSource } from '../aggregations/agg-part.ts';
import { limitedRuns } from '../aggregations/limited-runs.ts';
import { planAggregations } from '../aggregations/plan-aggregations.ts';
import { lacksField, mergeResults, specsFor, unionOf } from '../aggregations/several-indexes.ts';
import { documentId } from '../base/document-id.ts';
import { causeOf } from '../base/engine-error.ts';
import { flagIn, type UrlParams } from '../base/read-json.ts';
import type { Reads } from '../base/reads.ts';
import type { ServedIndex } from '../base/served-index.ts';
import { RefusedDsl, unserved } from '../query/refusal.ts';
import { requireFewExtras, withExtras } from './hit-extras.ts';
import { collapsed, mergeHits, type PlacedHit, requireSameOrder } from './merge-hits.ts';
import { readPage, specsIn, specsOfPage } from './read-page.ts';
import { aggregate, everything, highestScore, inTime } from './run-search.ts';
import type { SearchBody } from './search-body.ts';
import type { SearchPlan } from './search-plan.ts';
import { hitsOf, type IndexHit, type ShardFailure, shardsOf } from './search-response.ts';

/** What each index of a search answers, in the order of the plans. */
interface Heads {
  readonly plans: readonly SearchPlan[];
  readonly responses: readonly SearchResponse[];
  readonly failures: readonly ShardFailure[];
}

/** The response of a search of several indexes. `planOf`: throws what one index refuses. */
export async function runSeveral(
  reads: Reads,
  indexes: readonly ServedIndex[],
  body: SearchBody,
  params: UrlParams,
  planOf: (index: ServedIndex, position: number) => SearchPlan,
): Promise<JsonObject> {
  return inTime(body, params, async (asInt) => {
    const planned = await settled(indexes, indexes, async (index, at) => planOf(index, at));
    const plans = planned.values;
    refuseFused(plans);
    requireSameOrder(plans);
    const union = unionOf(plans.map(({ index }) => index));
    const level = await aggregationsOf(reads, plans, union, params);
    const answer = async (own: readonly SearchPlan[]): Promise<JsonObject | undefined> => {
      const heads = await readHeads(reads, own, level, planned.failures);
      const shown = await pageOf(reads, heads, body);
      if (shown === undefined) return undefined;
      const total = heads.responses.reduce((sum, one) => sum + one.total, 0);
      const maxScore = await highestOf(reads, heads, body);
      const aggregations = await finished(reads, heads, union, level);
      const counts = heads.responses.map((one, at) => ({
        ...one,
        index: heads.plans[at].index.name,
      }));
      return {
        _shards: shardsOf(counts, heads.failures),
        hits: await hitsOf(body, { total, hits: shown }, maxScore, asInt),
        ...(aggregations === undefined ? {} : { aggregations }),
      };
    };
    const found = (await answer(plans)) ?? (await pinned(reads, plans, answer));
    if (found !== undefined) return found;
    throw new LhsError('unreachable', 'a point in time moved while its hits were read');
  });
}

/** Time for a search at points in time of its own. */
const PINNED = '1m';

/** Runs a search at a point in time of each index: a commit cannot come between hits and rows. */
async function pinned<T>(
  reads: Reads,
  plans: readonly SearchPlan[],
  search: (plans: readonly SearchPlan[]) => Promise<T>,
): Promise<T> {
  const opened: { readonly index: string; readonly pit_id: string }[] = [];
  try {
    const own: SearchPlan[] = [];
    for (const plan of plans) {
      const { selection } = plan;
      const { name: index } = plan.index;
      if (selection.pit_id !== undefined) {
        own.push(plan);
        continue;
      }
      const { pit_id } = await reads.openPit({ index, keep_alive: PINNED });
      opened.push({ index, pit_id });
      own.push({ ...plan, selection: { ...selection, pit_id } });
    }
    return await search(own);
  } finally {
    await Promise.allSettled(opened.map((pit) => reads.closePit(pit)));
  }
}

/** Errors of one index that leave the others their results. */
const OWN_ERRORS: ReadonlySet<string> = new Set([
  ...['invalid_query', 'index_not_built', 'unreachable', 'source_unreachable'],
]);

/** Runs for each index. The errors of some indexes are failures, unless all fail. */
async function settled<Item, T>(
  items: readonly Item[],
  indexes: readonly ServedIndex[],
  run: (item: Item, at: number) => Promise<T>,
) {
  const results = await Promise.allSettled(items.map(run));
  const values = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const errors = results.flatMap((one, at) =>
    one.status === 'rejected' ? [{ at, error: one.reason as unknown }] : [],
  );
  const fatal = errors.find(({ error }) => !isOwn(error));
  if (fatal !== undefined) throw fatal.error;
  if (values.length === 0) throw errors[0].error;
  const failures = errors.map(({ at, error }): ShardFailure => {
    const { name: index } = indexes[at];
    return { index, ...causeOf(error, index) };
  });
  const kept = results.flatMap((one, at) => (one.status === 'fulfilled' ? [at] : []));
  return { values, failures, kept };
}

function isOwn(error: unknown): boolean {
  if (error instanceof RefusedDsl) return error.refusal.type === 'query_shard_exception';
  return error instanceof LhsError && OWN_ERRORS.has(error.code);
}

function refuseFused(plans: readonly SearchPlan[]): void {
  const [{ selection, body, innerHits }] = plans;
  const { minScore, terminateAfter } = body;
  if (innerHits.length > 0 || minScore !== undefined || terminateAfter !== undefined) {
    const names = '[inner_hits], [min_score] and [terminate_after]';
    throw unserved(`${names} over several indexes are not served`);
  }
  if (selection.hybrid !== undefined) {
    throw unserved('[retriever] of fused lists over several indexes is not served');
  }
  if (body.json.knn === undefined) return;
  throw unserved(
    '[knn] beside [query] over several indexes is not served: write it as a query, ' +
      'which finds the nearest documents of each index',
  );
}

async function aggregationsOf(
  reads: Reads,
  plans: readonly SearchPlan[],
  union: ServedIndex,
  params: UrlParams,
): Promise<AggLevel | undefined> {
  const { aggs, aggregations = aggs } = plans[0].body.json;
  if (aggregations === undefined) return undefined;
  const hasTypedKeys = flagIn(params.typed_keys ?? 'false', 'typed_keys');
  const over =
    (selectionOf: (plan: SearchPlan) => SearchPlan['selection']): AggSource['run'] =>
    async (specs, filter) => {
      const all = await Promise.all(
        plans.map(async (plan): Promise<AggResults> => {
          const own = specsFor(specs, plan.index);
          const isNone = filter !== undefined && lacksField(filter, plan.index);
          if (isNone || Object.keys(own).length === 0) return {};
          return aggregate(reads, selectionOf(plan), own, filter);
        }),
      );
      return mergeResults(specs, all, union);
    };
  const run = over(({ selection }) => selection);
  const runOverAll = over(({ selection }) => everything(selection));
  const runs = limitedRuns({ run, runOverAll }, plans.length);
  return planAggregations(aggregations, { index: union, hasTypedKeys, ...runs });
}

/** The first hits of each index, without rows and highlights. */
async function readHeads(
  reads: Reads,
  plans: readonly SearchPlan[],
  level: AggLevel | undefined,
  failures: readonly ShardFailure[],
): Promise<Heads> {
  const indexes = plans.map(({ index }) => index);
  const found = await settled(plans, indexes, async (plan) => {
    const specs = specsIn(level);
    const own = specs === undefined ? {} : specsFor(specs, plan.index);
    return readPage(reads, bare(plan), level === undefined ? undefined : { ...level, specs: own });
  });
  return {
    plans: found.kept.map((at) => plans[at]),
    responses: found.values,
    failures: [...failures, ...found.failures],
  };
}

/** A plan for all hits up to the end of the page. */
function bare(plan: SearchPlan): SearchPlan {
  const { from, size } = plan.body;
  const body = { ...plan.body, from: 0, size: size === 0 ? 0 : from + size };
  return { ...plan, body, source: null, fields: new Map(), highlight: undefined };
}

/** The hits of the page; undefined: an index has changed since its first hits were found. */
async function pageOf(
  reads: Reads,
  { plans, responses }: Heads,
  body: SearchBody,
): Promise<readonly IndexHit[] | undefined> {
  const { from, size } = body;
  if (size === 0) return [];
  const lists = responses.map(({ hits }, at) => (plans[at].body.size === 0 ? [] : hits));
  const page = collapsed(plans, mergeHits(plans, lists)).slice(from, from + size);
  requireFewExtras({ ...plans[0], body }, page.length);
  const full = await Promise.all(
    plans.map((plan, at) => fullHits(reads, plan, of(page, at), responses[at])),
  );
  if (full.some((hits) => hits === undefined)) return undefined;
  const shown: IndexHit[] = [];
  for (const { at, hit } of page) {
    const known = full[at]?.get(documentId(hit.coordinates));
    const own = known === undefined ? hit : { ...known, sort: hit.sort };
    shown.push(...(await withExtras(reads, plans[at], [own])));
  }
  return shown;
}

const of = (page: readonly PlacedHit[], at: number): readonly PlacedHit[] =>
  page.filter((one) => one.at === at);

/**
 * The hits of one index on the page, with what they show. undefined: they are of another state of
 * the index than `head`.
 */
async function fullHits(
  reads: Reads,
  plan: SearchPlan,
  placed: readonly PlacedHit[],
  head: SearchResponse,
): Promise<ReadonlyMap<string, Hit> | undefined> {
  const { source, fields, highlight, searchAfter } = plan;
  const isShown = source !== null || fields.size > 0 || highlight !== undefined;
  if (placed.length === 0 || !isShown) return new Map();
  const from = searchAfter === undefined ? placed[0].rank : 0;
  const size = placed[placed.length - 1].rank - from + 1;
  const page = await readPage(reads, { ...plan, body: { ...plan.body, from, size } });
  const { hits, snapshot, index_generation } = page;
  if (snapshot !== head.snapshot || index_generation !== head.index_generation) return undefined;
  return new Map(hits.map((hit) => [documentId(hit.coordinates), hit]));
}

/** The score of the best hit of all; null in any other order than by relevance. */
async function highestOf(
  reads: Reads,
  { plans, responses }: Heads,
  body: SearchBody,
): Promise<number | null> {
  if (body.size === 0) return null;
  const scores = await Promise.all(
    plans.map((plan, at) => highestScore(reads, bare(plan), responses[at])),
  );
  const known = scores.filter((score) => score !== null);
  return known.length === 0 ? null : Math.max(...known);
}

async function finished(
  reads: Reads,
  { plans, responses }: Heads,
  union: ServedIndex,
  level: AggLevel | undefined,
): Promise<JsonObject | undefined> {
  if (level === undefined) return undefined;
  const specs = specsIn(level);
  if (specs === undefined) return level.finish({});
  const all = await Promise.all(
    plans.map(async (plan, at): Promise<AggResults> => {
      const own = specsFor(specs, plan.index);
      if (Object.keys(own).length === 0) return {};
      if (specsOfPage(plan, { ...level, specs: own })) return responses[at].aggs ?? {};
      return aggregate(reads, plan.selection, own);
    }),
  );
  return level.finish(mergeResults(specs, all, union));
}
