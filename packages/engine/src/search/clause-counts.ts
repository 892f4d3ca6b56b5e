import type { CheckedRequest, ClauseCount } from '@lakehouse-search/contract';
import { bindQuery } from '../query/bind/bind.ts';
import type { Clause } from '../query/bind/clause.ts';
import { findField, type QueryFields } from '../query/bind/fields.ts';
import type { Query } from '../query/query.ts';
import type { SearchContext } from './context.ts';
import { execute } from './execute/execute.ts';
import { clauseName } from './explain/subject.ts';
import { nearestTerm } from './nearest-term.ts';
import { queryFields, readQuery } from './request/plan.ts';
import { givenOf } from './search.ts';

/** Clauses that are counted, at most. */
const COUNTED_CLAUSES = 16;

/**
 * How many documents each positive clause of a request's query finds alone, in the query's order:
 * what to look at when the whole finds nothing. A clause that finds nothing names the field's
 * nearest term, where one is near.
 */
export async function clauseCounts(
  context: SearchContext,
  { request }: CheckedRequest,
): Promise<readonly ClauseCount[]> {
  const { mapping } = context;
  const given = await givenOf(context, request);
  const fields = queryFields(mapping, given.query);
  const text = request.query ?? null;
  const clauses = [...positiveClauses(readQuery(request, mapping))].slice(0, COUNTED_CLAUSES);
  return clauses.map((node) => {
    const clause = bindQuery(node, fields, text);
    const total = countMatches(context, clause);
    const suggestion = total === 0 ? suggest(context, node, fields) : undefined;
    const shown = clauseName(node, text);
    return suggestion === undefined
      ? { clause: shown, total }
      : { clause: shown, total, suggestion };
  });
}

function countMatches({ snapshot, guard }: SearchContext, clause: Clause): number {
  return execute(snapshot, { clause, filter: null, guard, order: [], limit: 0 }).total;
}

function* positiveClauses(node: Query): Generator<Query> {
  if (node.kind === 'boost') yield* positiveClauses(node.query);
  else if (node.kind !== 'bool') yield node;
  else {
    for (const part of [...node.must, ...node.should, ...node.filter]) yield* positiveClauses(part);
  }
}

function suggest(context: SearchContext, node: Query, fields: QueryFields): string | undefined {
  // The nearest term is chosen among the words of all tenants.
  if (node.kind !== 'term' || context.tenant !== undefined) return undefined;
  const target = findField(fields, node.field);
  if (target?.kind !== 'field' || target.plan.inverted === null) return undefined;
  return nearestTerm(context.snapshot, target.plan, node.value);
}
