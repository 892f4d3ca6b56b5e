import type { MatchedDocs } from '../../aggregate/aggregate-segments.ts';
import type { Clause } from '../../query/bind/clause.ts';
import { createWeight } from '../../query/weight/weight.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import { mapCold } from '../../storage/cold-file.ts';
import type { ExecutionPlan } from './execution-plan.ts';
import { Narrowing, narrowingClauses } from './narrowing.ts';
import { reachableSegments } from './reachable.ts';
import { scratchOf } from './scratch.ts';

/** What says which documents match. */
export type MatchPlan = Pick<
  ExecutionPlan,
  'clause' | 'filter' | 'tenantFilter' | 'windows' | 'filters' | 'deadline'
>;

/**
 * Calls `use` with the matches of every segment that has some, without deleted documents, and
 * returns its result. The bitmaps are only valid during the call. Throws limit_exceeded when the
 * query takes too long.
 */
export function withMatched<Result>(
  segments: readonly SegmentReader[],
  plan: MatchPlan,
  use: (matched: readonly MatchedDocs[]) => Result,
): Result {
  const { clause, filters, deadline } = plan;
  const narrowing = narrowingClauses(plan);
  if ([clause, ...narrowing].some(({ kind }) => kind === 'none')) return use([]);
  const query = createWeight(clause, null, deadline);
  const narrowed = new Narrowing(narrowing, filters, deadline);
  const giveBack: (() => void)[] = [];
  const reachable = reachableSegments(plan.windows, [clause, ...narrowing]);
  const matched = mapCold(segments, (reader): MatchedDocs[] => {
    if (!reachable(reader)) return [];
    const scratch = scratchOf(reader, deadline);
    const { bitmaps } = scratch;
    const matches = query.node(reader, false).matches(scratch);
    giveBack.push(() => bitmaps.give(matches));
    narrowed.apply(matches, reader, scratch);
    if (reader.deleted !== null) bitmaps.andNot(matches, reader.deleted);
    const count = bitmaps.count(matches);
    if (count === 0) return [];
    const other = (part: Clause) => {
      const bits = createWeight(part, null, deadline).node(reader, false).matches(scratch);
      giveBack.push(() => bitmaps.give(bits));
      return bits;
    };
    return [{ reader, matches, count, matchesOf: other }];
  });
  const result = use(matched.flat());
  for (const give of giveBack) give();
  return result;
}
