import {
  type CheckedRequest,
  type ClauseCount,
  checkSearchRequest,
  type SearchResponse,
} from '@lakehouse-search/contract';
import { type CountedClause, countClauses } from './clause-counts.ts';
import type { SearchContext } from './context.ts';
import { plainText } from './like-pattern.ts';
import { searchIndex } from './search.ts';

/** The parts of a request that decide which documents match. */
const MATCH_PARTS = ['query', 'ast', 'syntax', 'default_operator', 'filter', 'now'] as const;

/** What a search without hits may have meant: its clauses, a query that has hits, remarks. */
interface Suggestions extends Pick<SearchResponse, 'clauses' | 'suggested_query'> {
  readonly notes: readonly string[];
}

/** The suggestions for a search without hits. */
export async function suggestions(
  context: SearchContext,
  { request }: CheckedRequest,
): Promise<Suggestions> {
  const match = Object.fromEntries(
    MATCH_PARTS.filter((part) => request[part] !== undefined).map((part) => [part, request[part]]),
  );
  const counted = await countClauses(context, checkSearchRequest(match));
  const found = {
    clauses: counted.map(({ count }) => count),
    notes: counted.flatMap(({ note }) => note ?? []),
  };
  const suggested_query = corrected(request.query, counted);
  if (suggested_query === undefined) return found;
  const again = checkSearchRequest({ ...match, query: suggested_query, limit: 1 });
  const { total } = await searchIndex(context, again);
  return total === 0 ? found : { ...found, suggested_query };
}

/** The same text in another spelling, else the word in another field, else the nearest word. */
function meantBy({ clause, suggestion, elsewhere }: ClauseCount): string | undefined {
  const isAlike = suggestion !== undefined && plainText(suggestion) === plainText(clause);
  return isAlike ? suggestion : (elsewhere?.[0]?.clause ?? suggestion);
}

/** The query with what was meant in the place of its clauses without hits. */
function corrected(
  query: string | undefined,
  counted: readonly CountedClause[],
): string | undefined {
  if (query === undefined) return undefined;
  let text = query;
  for (const { count, span } of counted.toReversed()) {
    const clause = meantBy(count);
    if (clause === undefined || span === undefined) continue;
    text = text.slice(0, span.from) + clause + text.slice(span.to);
  }
  return text === query ? undefined : text;
}
