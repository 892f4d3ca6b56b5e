import type { ClauseOf, LeafModule } from './module.ts';
import { bytesText, termsLeaf } from './terms-leaf.ts';

/** What marking a term's documents counts as, in steps of a deadline. */
const TERM_STEPS = 32;

/** Any of some terms. */
export const setModule: LeafModule<ClauseOf<'set'>> = {
  key: ({ terms }) => terms.map(bytesText).join(','),
  leaf: (clause, scope) =>
    termsLeaf(clause, scope, (inverted, bits) => {
      for (const term of clause.terms) {
        scope.deadline.spend(TERM_STEPS);
        const info = inverted.lookup(term);
        if (info !== null) inverted.fill(info, bits);
      }
    }),
  terms: ({ terms }, visitor) => terms.forEach(visitor.word),
};
