import type { FieldPlan } from '../../schema/field-plan.ts';
import type { QueryTerm, TermMode } from '../../scoring/request.ts';
import { type BoolClause, type Clause, NONE } from '../bind/clause.ts';

/**
 * A query that is words of one TEXT field under one operator, perhaps narrowed by clauses that do
 * not score: what the postings' kernels answer (scoring/).
 */
export interface TermShape {
  readonly field: FieldPlan;
  readonly mode: TermMode;
  readonly terms: readonly QueryTerm[];
  /** Every one of these must match. */
  readonly filter: readonly Clause[];
  /** None of these may match. */
  readonly mustNot: readonly Clause[];
}

/** The shape of a clause, or null where it is more than that. */
export function termShape(clause: Clause): TermShape | null {
  if (clause.kind === 'term') return shapeOf('term', [clause]);
  if (clause.kind === 'phrase') return phraseShape(clause);
  if (clause.kind !== 'bool') return null;
  const words = scoringShape(clause);
  if (words === null) return null;
  return {
    ...words,
    filter: [...words.filter, ...clause.filter],
    mustNot: [...words.mustNot, ...clause.mustNot],
  };
}

/** The shape of what scores in a bool. */
function scoringShape({ must, should, minimum }: BoolClause): TermShape | null {
  if (should.length === 0) {
    if (must.length === 1) return termShape(must[0] ?? NONE);
    return must.length === 0 ? null : shapeOf('and', must);
  }
  return must.length === 0 && minimum === 1 ? shapeOf('or', should) : null;
}

function shapeOf(mode: TermMode, clauses: readonly Clause[]): TermShape | null {
  const terms: QueryTerm[] = [];
  let field: FieldPlan | null = null;
  for (const clause of clauses) {
    if (clause.kind !== 'term' || clause.field.type !== 'TEXT') return null;
    if (field !== null && field.id !== clause.field.id) return null;
    field = clause.field;
    terms.push({ bytes: clause.term, boost: clause.boost, position: 0 });
  }
  if (field === null) return null;
  return { field, mode, terms, filter: [], mustNot: [] };
}

function phraseShape(clause: Clause & { readonly kind: 'phrase' }): TermShape | null {
  const { field, words, slop, boost } = clause;
  const apart = words.every((word, i) => i === 0 || word.offset > words[i - 1].offset);
  if (slop > 0 || !apart) return null;
  const terms = words.map(({ term, offset }) => ({ bytes: term, boost, position: offset }));
  return { field, mode: 'phrase', terms, filter: [], mustNot: [] };
}
