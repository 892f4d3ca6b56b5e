import type { ExplainResponse } from '@lakehouse-search/contract';
import { bindNode } from '../../query/bind/bind.ts';
import { allParts, type Clause, type Leaf } from '../../query/bind/clause.ts';
import type { BindScope } from '../../query/bind/scope.ts';
import { innerQueries, isCompound, type Query } from '../../query/query.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { shownField, shownTerm } from './term-name.ts';

/**
 * What the words and patterns of a query became, by field in the query's order: terms as they stand
 * in the dictionary, prefixes with a `*`, other patterns as they were written. Ranges have no
 * terms.
 */
export function analyzedTerms(query: Query, scope: BindScope): ExplainResponse['analyzed'] {
  const fields = new Map<string, Set<string>>();
  const add = (field: FieldPlan, term: string) => {
    const name = shownField(field);
    fields.set(name, (fields.get(name) ?? new Set<string>()).add(term));
  };
  const visit = (node: Query): void => {
    if (isCompound(node)) innerQueries(node).forEach(visit);
    else {
      const bound = bindNode(node, 1, 0, scope);
      if (bound !== null) addTerms(bound, node, add);
    }
  };
  visit(query);
  return [...fields].map(([field, terms]) => ({ field, terms: [...terms] }));
}

type Add = (field: FieldPlan, term: string) => void;

function addTerms(clause: Clause, node: Query, add: Add): void {
  if (clause.kind === 'pattern') {
    if ('value' in node) add(clause.field, node.value);
  } else if (clause.kind === 'phrase_prefix') {
    for (const { term } of clause.words) add(clause.field, shownTerm(clause.field, term));
    add(clause.field, `${shownTerm(clause.field, clause.last.term)}*`);
  } else if (clause.kind === 'prefix') {
    add(clause.field, `${shownTerm(clause.field, clause.prefix)}*`);
  } else if (clause.kind === 'term' || clause.kind === 'phrase' || clause.kind === 'set') {
    for (const term of termsOf(clause)) add(clause.field, shownTerm(clause.field, term));
  } else for (const part of allParts(clause)) addTerms(part, node, add);
}

function termsOf(clause: Leaf & { readonly kind: 'term' | 'phrase' | 'set' }) {
  if (clause.kind === 'term') return [clause.term];
  return clause.kind === 'phrase' ? clause.words.map((word) => word.term) : clause.terms;
}
