import type { ClauseCount } from '@lakehouse-search/contract';
import { plainText } from '../like-pattern.ts';

/** Letters of a word that is near to another one by chance, at most. */
const FEW_LETTERS = 4;

interface Counted {
  readonly count: ClauseCount;
  readonly isField: boolean;
}

/** The clauses without other words for short ones, if another clause is a value of some field. */
export function withoutChance<Clause extends Counted>(
  clauses: readonly Clause[],
): readonly Clause[] {
  if (!clauses.some(({ count }) => count.total === 0 && count.elsewhere)) return clauses;
  return clauses.map((one) => {
    const { suggestion, suggestion_total: _, ...count } = one.count;
    const { length } = Array.from(count.clause);
    if (suggestion === undefined || one.isField || length > FEW_LETTERS) return one;
    return isAlike(suggestion, count.clause) ? one : { ...one, count };
  });
}

/** Whether clauses have the same text, apart from case, accents and signs. */
export const isAlike = (a: string, b: string): boolean => bareText(a) === bareText(b);

/** The text of a clause, be it a whole value or a word in one. */
const bareText = (clause: string): string =>
  plainText(clause.replace(/:\*(.*)\*$/s, ':$1').replace(/["\\]/g, ''));
