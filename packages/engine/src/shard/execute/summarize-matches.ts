import { aggregateAll, aggregatePart } from '../../aggregate/aggregate-segments.ts';
import type { Aggregation } from '../../aggregate/aggregation.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import type { ShardPartials } from '../shard.ts';
import { type MatchPlan, withMatched } from './matches.ts';

/**
 * The partials of aggregations over the matches of a query. `whole`: the segments are the whole
 * index, so the partials hold only what the answer shows. Throws limit_exceeded.
 */
export function summarizeMatches(
  segments: readonly SegmentReader[],
  plan: MatchPlan,
  aggregations: readonly Aggregation[],
  whole: boolean,
): ShardPartials {
  return withMatched(segments, plan, (matched) => {
    const aggregate = whole ? aggregateAll : aggregatePart;
    const partials = aggregate(matched, aggregations, plan.deadline);
    const total = matched.reduce((sum, { count }) => sum + count, 0);
    return { partials, total };
  });
}
