import { clauseText, type SearchRequest, type SearchResponse } from '@lakehouse-search/contract';
import type { AgentContext } from '../base/agent-backend.ts';

/** Why a search finds nothing, and a query that finds something. */
export type Reasons = Pick<SearchResponse, 'suggested_query'> & {
  readonly notes: readonly string[];
};

/** What the clauses of a response without hits find alone. */
export function reasonsOf({
  clauses = [],
  notes = [],
  suggested_query,
}: Pick<SearchResponse, 'clauses' | 'notes' | 'suggested_query'>): Reasons {
  const counted = clauses.map((clause) => {
    const others = (clause.elsewhere ?? []).map((found) => `${found.clause} has ${found.total}`);
    return [clauseText(clause), ...others].join(', ');
  });
  const alone = counted.length === 0 ? [] : [`each clause alone: ${counted.join(' · ')}`];
  return {
    notes: [...notes, ...alone],
    ...(suggested_query === undefined ? {} : { suggested_query }),
  };
}

/** The reasons for an empty response of an operation that has none itself. */
export async function reasonsFor(
  { index, query = '*:*', filter, default_operator }: SearchRequest,
  { backend, call }: AgentContext,
): Promise<Reasons> {
  const match = {
    ...(index === undefined ? {} : { index }),
    ...(filter === undefined ? {} : { filter }),
    ...(default_operator === undefined ? {} : { default_operator }),
  };
  return reasonsOf(await backend.search({ ...match, query, suggest: true, limit: 1 }, call));
}
