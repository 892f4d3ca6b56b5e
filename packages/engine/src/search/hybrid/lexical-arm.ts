import { LhsError } from '@lakehouse-search/contract';
import { BY_SCORE } from '../../collect/order.ts';
import { bindQuery } from '../../query/bind/bind.ts';
import type { Clause } from '../../query/bind/clause.ts';
import { findField, type QueryFields, unknownFieldHint } from '../../query/bind/fields.ts';
import type { ScoredDoc } from '../../query/bind/given.ts';
import type { Query } from '../../query/query.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { Mapping } from '../../schema/mapping.ts';
import type { SearchContext } from '../context.ts';
import { execute } from '../execute/execute.ts';

/**
 * The TEXT fields whose words a text is looked for in: those named, else all that the definition
 * names and that are indexed (a variant's catch-all is asked by name). Throws invalid_argument.
 */
export function lexicalFields(
  mapping: Mapping,
  fields: QueryFields,
  names: readonly string[] | undefined,
): readonly FieldPlan[] {
  if (names !== undefined) return [...new Set(names)].map((name) => namedField(name, fields));
  return mapping.fields
    .filter(({ definition, plan }) => definition !== null && plan.inverted?.kind === 'text')
    .map(({ plan }) => plan);
}

function namedField(name: string, fields: QueryFields): FieldPlan {
  const found = findField(fields, name);
  if (found?.kind === 'field' && found.plan.inverted?.kind === 'text') return found.plan;
  const message =
    found === undefined
      ? `"lexical_fields" names "${name}", which is not in index "${fields.index}"`
      : `"lexical_fields" names "${name}", which is no indexed TEXT field`;
  throw new LhsError('invalid_argument', message, unknownFieldHint(fields, name));
}

/** A text as plain words of fields: nothing in it is an operator. */
export function wordsQuery(text: string, asked: readonly FieldPlan[]): Query {
  const should = asked.map(({ name: field }): Query => {
    return { kind: 'match', field, value: text, operator: 'or' };
  });
  if (should.length === 1) return should[0]!;
  return { kind: 'bool', must: [], should, must_not: [], filter: [] };
}

/** The same, bound. Throws limit_exceeded for more words than a query may have. */
export function wordsClause(
  text: string,
  asked: readonly FieldPlan[],
  fields: QueryFields,
): Clause {
  return bindQuery(wordsQuery(text, asked), fields);
}

/** The `k` best documents of the words, best first. */
export function lexicalDocs(
  { snapshot, guard, filters, deadline }: SearchContext,
  clause: Clause,
  filter: Clause | null,
  k: number,
): readonly ScoredDoc[] {
  const plan = {
    clause,
    filter,
    guard,
    filters,
    order: BY_SCORE,
    limit: k,
    total: false,
    deadline,
  };
  return execute(snapshot, plan).docs;
}
