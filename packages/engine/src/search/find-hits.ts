import { checkSearchRequest } from '@lakehouse-search/contract';
import { lazily } from '../base/lazily.ts';
import type { CollapsedDoc } from '../collect/collapse.ts';
import { mergeRanked, type RankedDoc, type SearchAfter, type SortKey } from '../collect/order.ts';
import type { ShardHits } from '../shard/shard.ts';
import type { SearchContext } from './context.ts';
import { FanOut } from './fan-out.ts';
import { type PreparedSearch, prepareSearch } from './prepare.ts';
import { mergedStatistics } from './statistics.ts';

const loadGroups = lazily(() => import('./find-groups.ts'));

/** Which hits of a search: its first ones, or the first behind `after`. */
export interface PageWindow {
  readonly limit: number;
  readonly after: SearchAfter | null;
  /** false: the total is not needed. */
  readonly total: boolean;
}

/** A hit, or the first document of a group, and the number of its shard. */
export interface FoundDoc {
  readonly shard: number;
  readonly hit: RankedDoc | CollapsedDoc;
}

/** The first hits of all shards in order, and the number of matching documents. */
export interface FoundDocs {
  readonly docs: readonly FoundDoc[];
  readonly total: number;
}

/** Searches all shards and merges their hits. Throws as `FanOut.ask`. */
export async function findHits(
  context: SearchContext,
  fan: FanOut,
  { queries, bound }: PreparedSearch,
  { limit, after, total }: PageWindow,
): Promise<FoundDocs> {
  const { deadline, snapshot } = context;
  // With one shard the statistics of all shards are its own.
  const statistics = fan.alone ? null : await mergedStatistics(fan, snapshot, [bound.clause]);
  if (!fan.alone && bound.collapse !== null && limit > 0) {
    const { findGroups } = await loadGroups();
    const request = (shard: number) => ({ query: queries[shard], statistics });
    return findGroups(context, fan, bound.order, request, { limit, after, total });
  }
  const answers = await fan.ask((shard, number) => {
    const query = queries[number];
    const request = { query, statistics, after, limit, total, time: deadline.left };
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
    const [{ docs, total }] = answers as readonly [ShardHits];
    return { docs: docs.map((hit) => ({ shard: 0, hit })), total };
  }
  let merged: readonly (FoundDoc & SearchAfter)[] = [];
  let total = 0;
  answers.forEach((answer, shard) => {
    if (answer === undefined) return;
    total += answer.total;
    const docs = answer.docs.map((hit) => ({ shard, hit, values: hit.values, key: hit.key }));
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
