import { NO_DEADLINE } from '../../base/time/deadline.ts';
import { findPrefix } from '../../inverted/pattern/prefix.ts';
import { demandFound, fillPrefix } from '../weight/pattern-matches.ts';
import type { ClauseOf, LeafModule } from './module.ts';
import { bytesText, termsLeaf } from './terms-leaf.ts';

/** Every term that begins with some bytes. */
export const prefixModule: LeafModule<ClauseOf<'prefix'>> = {
  key: ({ prefix }) => bytesText(prefix),
  leaf: (clause, scope) =>
    termsLeaf(clause, scope, (inverted, bits) =>
      fillPrefix(inverted, clause.prefix, bits, scope.deadline),
    ),
  terms: ({ prefix }, visitor) => visitor.prefix(prefix),
  demand: ({ field, prefix }, segment) =>
    demandFound(segment.inverted(field.id), (inverted, found) =>
      findPrefix(inverted, prefix, found, NO_DEADLINE),
    ),
};
