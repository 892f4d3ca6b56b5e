import type { ExplainResponse } from '../../backend.ts';
import type { Clause } from '../../query/bind/clause.ts';
import { shownField, termText } from './term-name.ts';
import type { Verdict } from './verdict.ts';

/**
 * What the words and patterns of a query became, by field in the query's order: terms as they stand
 * in the dictionary, prefixes with a `*`, other patterns as they were written. Ranges have no terms.
 */
export function analyzedTerms(verdicts: readonly Verdict[]): ExplainResponse['analyzed'] {
  const fields = new Map<string, Set<string>>();
  const add = (field: string, term: string) => {
    const terms = fields.get(field) ?? new Set<string>();
    fields.set(field, terms.add(term));
  };
  const visit = (verdict: Verdict): void => {
    for (const part of verdict.parts) visit(part.verdict);
    if (verdict.bound !== null) addTerms(verdict.bound, verdict, add);
  };
  verdicts.forEach(visit);
  return [...fields].map(([field, terms]) => ({ field, terms: [...terms] }));
}

function addTerms(clause: Clause, verdict: Verdict, add: (field: string, term: string) => void) {
  if (clause.kind === 'bool') {
    const { must, filter, should, mustNot } = clause;
    for (const part of [...must, ...filter, ...should, ...mustNot]) addTerms(part, verdict, add);
  } else if (clause.kind === 'pattern') {
    if ('value' in verdict.node) add(shownField(clause.field), verdict.node.value);
  } else if (clause.kind === 'prefix') {
    add(shownField(clause.field), `${termText(clause.field, clause.prefix)}*`);
  } else {
    for (const term of termsOf(clause)) {
      if ('field' in clause) add(shownField(clause.field), termText(clause.field, term));
    }
  }
}

function termsOf(clause: Clause): readonly Uint8Array[] {
  if (clause.kind === 'term') return [clause.term];
  if (clause.kind === 'phrase') return clause.words.map((word) => word.term);
  return clause.kind === 'set' ? clause.terms : [];
}
