import { LIMITS } from '../base/limits.ts';
import type { Clause } from '../query/bind/clause.ts';
import { matchesOf } from '../query/weight/matches.ts';
import { createWeight } from '../query/weight/weight.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import type { SearchContext } from './context.ts';
import { Narrowing, narrowingClauses } from './narrowing.ts';
import { scratchOf } from './scratch.ts';

/** The documents of a segment that a search matches, deleted ones not. */
export interface MatchedSegment {
  readonly reader: SegmentReader;
  readonly matches: Int32Array;
  /** Number of matches. */
  readonly count: number;
  /** What another clause matches there, deleted documents perhaps too; for the time of the call. */
  matchesOf(clause: Clause): Int32Array;
}

/**
 * Calls `visit` with the matches of every segment that has some; the bitmap is only valid during
 * the call. Throws limit_exceeded where the query takes too long.
 */
export function forEachMatched(
  { snapshot, guard, filters }: SearchContext,
  { clause, filter }: { readonly clause: Clause; readonly filter: Clause | null },
  visit: (segment: MatchedSegment) => void,
): void {
  const narrowing = narrowingClauses({ guard, filter });
  if ([clause, ...narrowing].some(({ kind }) => kind === 'none')) return;
  const { segments } = snapshot;
  const deadline = performance.now() + LIMITS.queryMillis;
  const query = createWeight(clause, segments);
  const narrowed = new Narrowing(narrowing, segments, filters ?? null);
  for (const reader of segments) {
    const scratch = scratchOf(reader, deadline);
    const matches = matchesOf(query.node(reader, false), scratch);
    narrowed.apply(matches, reader, scratch);
    if (reader.deleted !== null) scratch.bitmaps.andNot(matches, reader.deleted);
    const held = [matches];
    const other = (part: Clause) => {
      held.push(matchesOf(createWeight(part, segments).node(reader, false), scratch));
      return held.at(-1)!;
    };
    const count = scratch.bitmaps.count(matches);
    if (count > 0) visit({ reader, matches, count, matchesOf: other });
    for (const bits of held) scratch.bitmaps.give(bits);
  }
}
