import type { MatchedDocs } from '../../aggregate/aggregate-segments.ts';
import { Deadline } from '../../base/deadline.ts';
import type { Clause } from '../../query/bind/clause.ts';
import { matchesOf } from '../../query/weight/matches.ts';
import { createWeight } from '../../query/weight/weight.ts';
import type { SearchContext } from '../context.ts';
import { Narrowing, narrowingClauses } from './narrowing.ts';
import { scratchOf } from './scratch.ts';

/**
 * Calls `use` with the matches of every segment that has some, deleted documents left out, and
 * returns its result. The bitmaps are only valid during the call. Throws limit_exceeded when the
 * query takes too long.
 */
export function withMatched<Result>(
  { snapshot, guard, filters, deadline = new Deadline() }: SearchContext,
  { clause, filter }: { readonly clause: Clause; readonly filter: Clause | null },
  use: (segments: readonly MatchedDocs[], deadline: Deadline) => Result,
): Result {
  const narrowing = narrowingClauses({ guard, filter });
  if ([clause, ...narrowing].some(({ kind }) => kind === 'none')) return use([], deadline);
  const { segments } = snapshot;
  const query = createWeight(clause, segments, deadline);
  const narrowed = new Narrowing(narrowing, segments, filters ?? null, deadline);
  const given: (() => void)[] = [];
  const matched = segments.flatMap((reader): MatchedDocs[] => {
    const scratch = scratchOf(reader, deadline);
    const { bitmaps } = scratch;
    const matches = matchesOf(query.node(reader, false), scratch);
    given.push(() => bitmaps.give(matches));
    narrowed.apply(matches, reader, scratch);
    if (reader.deleted !== null) bitmaps.andNot(matches, reader.deleted);
    const count = bitmaps.count(matches);
    if (count === 0) return [];
    const other = (part: Clause) => {
      const bits = matchesOf(createWeight(part, segments, deadline).node(reader, false), scratch);
      given.push(() => bitmaps.give(bits));
      return bits;
    };
    return [{ reader, matches, count, matchesOf: other }];
  });
  const result = use(matched, deadline);
  for (const give of given) give();
  return result;
}
