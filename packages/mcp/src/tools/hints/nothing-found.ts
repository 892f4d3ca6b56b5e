import type { JsonObject, SearchRequest, SearchResponse } from '@lakehouse-search/contract';
import { clauseText } from '@lakehouse-search/contract/internal';
import type { AgentContext } from '../../base/agent-backend.ts';

type Suggested = Pick<SearchResponse, 'suggested_query' | 'suggested_total'>;

/** Why a search finds nothing, and a query that finds something. */
export type Reasons = Suggested & {
  readonly notes: readonly string[];
};

/** What the clauses of a response without hits find alone. */
export function reasonsOf({
  clauses = [],
  notes = [],
  suggested_query,
  suggested_total,
}: Pick<SearchResponse, 'clauses' | 'notes'> & Partial<Reasons>): Reasons {
  const counted = clauses.map((clause) => {
    const others = (clause.elsewhere ?? []).map((found) => `${found.clause} has ${found.total}`);
    return [clauseText(clause), ...others].join(', ');
  });
  const alone = counted.length === 0 ? [] : [`each clause alone: ${counted.join(' · ')}`];
  return {
    notes: [...notes, ...alone],
    ...suggestedOf({ suggested_query, suggested_total }),
  };
}

/** The reasons for an empty response of an operation that has none itself. */
export async function reasonsFor(
  { query = '*:*', ...match }: SearchRequest,
  { backend, call }: AgentContext,
): Promise<Reasons> {
  return reasonsOf(await backend.search({ ...match, query, suggest: true, limit: 1 }, call));
}

/** A query that finds something, and how many rows; empty if there is none. */
export const suggestedOf = ({ suggested_query, suggested_total }: Suggested) => ({
  ...(suggested_query === undefined ? {} : { suggested_query }),
  ...(suggested_total === undefined ? {} : { suggested_total }),
});

/** `suggested_query: "a AND b" (12 rows)`; empty if there is none. */
export const suggestedLines = ({
  suggested_query: query,
  suggested_total: total,
}: JsonObject): readonly string[] =>
  query === undefined
    ? []
    : [`suggested_query: ${JSON.stringify(query)}${total === undefined ? '' : ` (${total} rows)`}`];
