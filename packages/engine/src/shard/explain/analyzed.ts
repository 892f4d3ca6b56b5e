import type { ExplainResponse } from '@lakehouse-search/contract';
import { bindNode } from '../../query/bind/bind.ts';
import type { Clause, PhraseWord } from '../../query/bind/clause.ts';
import type { BindScope } from '../../query/bind/scope.ts';
import { allParts, visitTerms } from '../../query/clauses/registry.ts';
import { shownField, shownTerm } from '../../query/explain/term-name.ts';
import { innerQueries, isCompound, type Query } from '../../query/query.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';

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
  for (const part of allParts(clause)) addTerms(part, node, add);
  if (!('field' in clause)) return;
  const { field } = clause;
  const addTerm = (term: Uint8Array) => add(field, shownTerm(field, term));
  const addPrefix = (term: Uint8Array) => add(field, `${shownTerm(field, term)}*`);
  const addWords = (words: readonly PhraseWord[]) => {
    for (const { term } of words) addTerm(term);
  };
  visitTerms(clause, {
    word: addTerm,
    phrase: addWords,
    openPhrase(words, last) {
      addWords(words);
      addPrefix(last.term);
    },
    prefix: addPrefix,
    pattern() {
      if ('value' in node) add(field, node.value);
    },
  });
}
