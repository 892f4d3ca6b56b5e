/**
 * The hits of a search over all shards. Steps: bind the request, find the documents of its `knn`
 * clauses, search every shard with the statistics of all, and merge their hits.
 */
import { type CheckedRequest, checkSearchRequest } from '@lakehouse-search/contract/internal';
import { lazily } from '../base/lazily.ts';
import { pauses } from '../base/turns.ts';
import type { CollapsedDoc } from '../collect/collapse.ts';
import { mergeRanked, type RankedDoc, type SearchAfter, type SortKey } from '../collect/order.ts';
import type { JoinedShards, ShardSegment } from '../shard/joined-shards.ts';
import { type BoundRequest, bindRequest } from '../shard/request/bind-request.ts';
import { readSearchAfter } from '../shard/request/sort-values.ts';
import type { ShardHits, ShardQuery } from '../shard/shard.ts';
import type { SearchContext } from './context.ts';
import { FanOut } from './fan-out.ts';
import type { Near } from './hybrid/find-nearest.ts';
import { mergedStatistics } from './statistics.ts';

const loadNear = lazily(() => import('./hybrid/near-clauses.ts'));
const loadGroups = lazily(() => import('./find-groups.ts'));

/** A search that is ready to run on the shards. */
export interface PreparedSearch {
  /** The request of each shard; they differ in the documents that were found before. */
  readonly queries: readonly ShardQuery[];
  /** The request as the coordinator binds it: without the precomputed documents. */
  readonly bound: BoundRequest;
  /** Where the page begins; null: at the first hit. */
  readonly after: SearchAfter | null;
  /** What was found for `knn` clauses, by `NearVector.id`. */
  readonly near?: ReadonlyMap<string, Near>;
}

/** Binds a search and finds the documents of its `knn` clauses. Throws what refuses the request. */
export async function prepareSearch(
  context: SearchContext,
  fan: FanOut,
  checked: CheckedRequest,
): Promise<PreparedSearch> {
  const pause = pauses();
  const sent = await shardQueries(context, fan, checked);
  await pause();
  const bound = bindRequest(context.mapping, sent.queries[0]);
  await pause();
  return { ...sent, bound, after: readAfter(context, bound) };
}

/** The request of each shard, with the documents of its `knn` clauses. */
export async function shardQueries(
  context: SearchContext,
  fan: FanOut,
  checked: CheckedRequest,
): Promise<Pick<PreparedSearch, 'queries' | 'near'>> {
  const { tenant } = context;
  const query: ShardQuery =
    tenant === undefined ? { search: checked } : { search: checked, tenant };
  const { ast, filter } = checked.request;
  // Only trees have `knn` and `more_like_this` clauses: the first tree loads their code.
  const trees = ast !== undefined || typeof filter === 'object';
  const near = trees
    ? await (await loadNear()).findNearClauses(context, fan, checked.request)
    : null;
  const queries = context.shards.map((_, shard) => {
    return near === null ? query : { ...query, precomputed: near.precomputed[shard] };
  });
  return { queries, near: near?.found };
}

function readAfter({ mapping }: SearchContext, { checked, order }: BoundRequest) {
  const { search_after } = checked.request;
  return search_after === undefined ? null : readSearchAfter(search_after, order, mapping.key);
}

/** Which hits of a search: its first ones, or the first behind `after`. */
export interface PageWindow {
  readonly limit: number;
  /** The caller does not need so many of the first hits; absent: it needs all. */
  readonly skip?: number;
  readonly after: SearchAfter | null;
  /** false: the total is not needed. */
  readonly total: boolean;
}

/** A hit, or the first document of a group, and the segment of its shard that has it. */
export interface FoundDoc extends ShardSegment {
  /** Its `segment` is a number of the search that found it. */
  readonly hit: RankedDoc | CollapsedDoc;
}

/** The first hits of all shards in order, and the number of matching documents. */
export interface FoundDocs {
  readonly docs: readonly FoundDoc[];
  readonly total: number;
  /** First hits that were left out; absent: none. */
  readonly skipped?: number;
}

/** The first hits of all shards. Throws as `FanOut.ask`. */
export async function findHits(
  context: SearchContext,
  fan: FanOut,
  prepared: PreparedSearch,
  window: PageWindow,
): Promise<FoundDocs> {
  const { joined } = context;
  // Documents that were found before have addresses of their shards.
  if (joined && prepared.queries[0].precomputed === undefined) {
    const found = await findTogether(context, joined, fan, prepared, window);
    if (found !== undefined) return found;
  }
  return findApart(context, fan, prepared, window);
}

/** Searches all shards as one; undefined: one of them fails. */
async function findTogether(
  context: SearchContext,
  { whole, segmentOf }: JoinedShards,
  fan: FanOut,
  { queries: [query], bound }: PreparedSearch,
  window: PageWindow,
): Promise<FoundDocs | undefined> {
  const { deadline, tenant } = context;
  const own = tenant === undefined || window.limit === 0;
  const statistics = own ? null : await mergedStatistics(fan, context, [bound.clause]);
  const request = { query, statistics, ...window, time: deadline.left };
  const found = await fan.askTogether(() => whole.search(request, deadline.signal));
  return found && foundBy(found, segmentOf);
}

const foundBy = (
  { docs, total, skipped }: ShardHits,
  segmentOf: JoinedShards['segmentOf'],
): FoundDocs => ({
  docs: docs.map((hit) => ({ ...segmentOf(hit), hit })),
  total,
  skipped,
});

/** Searches each shard and merges their hits. */
async function findApart(
  context: SearchContext,
  fan: FanOut,
  { queries, bound }: PreparedSearch,
  { limit, skip, after, total }: PageWindow,
): Promise<FoundDocs> {
  const { deadline, tenant } = context;
  // With one shard the statistics of all shards are its own. Totals need none.
  const own = (fan.alone && tenant === undefined) || limit === 0;
  const statistics = own ? null : await mergedStatistics(fan, context, [bound.clause]);
  if (!fan.alone && bound.collapse !== null && limit > 0) {
    const { findGroups } = await loadGroups();
    const request = (shard: number) => ({ query: queries[shard], statistics });
    return findGroups(context, fan, bound.order, request, { limit, after, total });
  }
  const answers = await fan.ask((shard, number) => {
    const query = queries[number];
    const most = { limit, ...(fan.alone && { skip }) };
    const request = { query, statistics, after, ...most, total, time: deadline.left };
    return shard.search(request, deadline.signal);
  });
  return mergeHits(answers, bound.order, limit);
}

function mergeHits(
  answers: readonly (ShardHits | undefined)[],
  order: readonly SortKey[],
  limit: number,
): FoundDocs {
  if (answers.length === 1) {
    return foundBy(answers[0] as ShardHits, ({ segment }) => ({ shard: 0, segment }));
  }
  let merged: readonly (FoundDoc & SearchAfter)[] = [];
  let total = 0;
  answers.forEach((answer, shard) => {
    if (answer === undefined) return;
    total += answer.total;
    const docs = answer.docs.map((hit) => {
      const { segment, values, key } = hit;
      return { shard, segment, hit, values, key };
    });
    merged = mergeRanked(merged, docs, order, limit);
  });
  return { docs: merged, total };
}

/** The number of documents that the caller may see. */
export async function countDocuments(context: SearchContext): Promise<number> {
  const fan = new FanOut(context.shards);
  const prepared = await prepareSearch(context, fan, checkSearchRequest({}));
  return (await findHits(context, fan, prepared, { limit: 0, after: null, total: true })).total;
}
