import type { SortKey } from '../../collect/order.ts';
import type { TermAutomaton } from '../../query/automaton/automaton.ts';
import { type Clause, fuzzyScore } from '../../query/bind/clause.ts';
import { findPattern } from '../../query/weight/pattern-matches.ts';
import { NO_OTHERS, type TermShape, termShape } from '../../query/weight/term-shape.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { PatternSearch, TermPattern } from '../../scoring/search-patterns.ts';
import { takesTerms } from '../../scoring/search-terms.ts';

/** A query that the postings' kernels answer: words of one TEXT field, or a pattern over terms. */
export type KernelShape = TermShape | PatternShape;

interface KernelQuery {
  readonly clause: Clause;
  readonly order: readonly SortKey[];
  readonly collapse: FieldPlan | null;
  /** 0: only the total. */
  readonly limit: number;
}

/**
 * The shape of a search that the kernels answer in all segments; null: bitmaps answer it. Neither
 * rows nor keys decide, so that an explanation can say which of the two runs.
 */
export function kernelShape({ clause, order, collapse, limit }: KernelQuery): KernelShape | null {
  if (collapse || (limit > 0 && !isRelevance(order))) return null;
  const terms = termShape(clause);
  if (terms === null) return patternShape(clause);
  return takesTerms(terms) ? terms : null;
}

function isRelevance(order: readonly SortKey[]): boolean {
  const [first, ...others] = order;
  return first?.kind === 'score' && first.desc && others.length === 0;
}

/** A query that is one pattern over terms, whose scores are known before it runs. */
export type PatternShape = Omit<TermShape, 'mode' | 'terms'> &
  Pick<PatternSearch, 'pattern' | 'score' | 'nearer'>;

function patternShape(clause: Clause): PatternShape | null {
  const pattern = termPattern(clause);
  if (pattern === null) return null;
  const { field, boost } = clause as PatternLeaf;
  const terms = clause.kind === 'pattern' ? (clause.nearer ?? []) : [];
  const nearer = terms.map((one, i) => ({ ...termsOf(one), score: fuzzyScore(boost, i) }));
  const score = fuzzyScore(boost, terms.length);
  return { ...NO_OTHERS, field, pattern, score, nearer };
}

type PatternLeaf = Clause & { readonly kind: 'pattern' | 'prefix' };

function termPattern(clause: Clause): TermPattern | null {
  if (clause.kind === 'prefix') return { kind: 'prefix', bytes: clause.prefix };
  return clause.kind === 'pattern' ? termsOf(clause.automaton) : null;
}

const termsOf = (automaton: TermAutomaton): TermPattern & { readonly kind: 'terms' } => ({
  kind: 'terms',
  find: (reader, into, by) => findPattern(reader, automaton, into, by),
});
