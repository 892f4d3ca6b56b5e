import type { FieldPlan } from '../../schema/field-plan.ts';
import type { QueryTerm, TermMode } from '../../scoring/request.ts';
import { type BoolClause, type Clause, isConstant, type Leaf } from '../bind/clause.ts';

/**
 * A query that is words of one TEXT field under one operator, perhaps narrowed by clauses that do
 * not score or that add one score to all: what the postings' kernels answer (scoring/).
 */
export interface TermShape {
  readonly field: FieldPlan;
  readonly mode: TermMode;
  readonly terms: readonly QueryTerm[];
  /** Every one of these must match. */
  readonly filter: readonly Clause[];
  /** None of these may match. */
  readonly mustNot: readonly Clause[];
  /** Leaves of a constant score that the query names before its words. Every one must match. */
  readonly before: readonly Leaf[];
  /** The same after the words. */
  readonly after: readonly Leaf[];
}

/** Nothing but words. */
export const NO_OTHERS = { filter: [], mustNot: [], before: [], after: [] } as const;

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
  if (should.length === 0) return mustShape(must);
  return must.length === 0 && minimum === 1 ? shapeOf('or', should) : null;
}

/**
 * Kernels add the scores of words first, and those of three or more in an order of their own. Words
 * beside constants have this shape only where a sum in the query's order is the same.
 */
function mustShape(must: readonly Clause[]): TermShape | null {
  const [first, last] = [must.findIndex(isScored), must.findLastIndex(isScored)];
  const words = must.slice(first, last + 1);
  const shape = words.length === 1 ? termShape(words[0]) : shapeOf('and', words);
  if (shape === null || words.length === must.length) return shape;
  const isInOrder = shape.mode === 'phrase' || shape.terms.length <= 2;
  if (!isInOrder || (first > 0 && words.length > 1)) return null;
  const before = [...must.slice(0, first).filter(isConstant), ...shape.before];
  const after = [...shape.after, ...must.slice(last + 1).filter(isConstant)];
  return { ...shape, before, after };
}

const isScored = (clause: Clause): boolean => !isConstant(clause);

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
  return { field, mode, terms, ...NO_OTHERS };
}

function phraseShape(clause: Clause & { readonly kind: 'phrase' }): TermShape | null {
  const { field, words, slop, boost } = clause;
  const apart = words.every((word, i) => i === 0 || word.offset > words[i - 1].offset);
  if (slop > 0 || !apart) return null;
  const terms = words.map(({ term, offset }) => ({ bytes: term, boost, position: offset }));
  return { field, mode: 'phrase', terms, ...NO_OTHERS };
}
