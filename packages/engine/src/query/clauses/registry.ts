/** The kinds of bound clauses, and what is derived from their modules. */
import type { Clause } from '../bind/clause.ts';
import { allModule } from './all.ts';
import { boolModule } from './bool.ts';
import { demotedModule } from './demoted.ts';
import { existsModule } from './exists.ts';
import { keysModule } from './keys.ts';
import { maxModule } from './max.ts';
import type { ClauseModule, ClauseOf, ClauseParts, CompoundModule, TermVisitor } from './module.ts';
import { noneModule } from './none.ts';
import { numbersModule } from './numbers.ts';
import { patternModule } from './pattern.ts';
import { phraseModule } from './phrase.ts';
import { phrasePrefixModule } from './phrase-prefix.ts';
import { precomputedModule } from './precomputed.ts';
import { prefixModule } from './prefix.ts';
import { setModule } from './set.ts';
import { spanModule } from './span.ts';
import { termModule } from './term.ts';

const MODULES: { readonly [Kind in Clause['kind']]: ClauseModule<ClauseOf<Kind>> } = {
  all: allModule,
  bool: boolModule,
  demoted: demotedModule,
  exists: existsModule,
  keys: keysModule,
  max: maxModule,
  none: noneModule,
  numbers: numbersModule,
  pattern: patternModule,
  phrase: phraseModule,
  phrase_prefix: phrasePrefixModule,
  precomputed: precomputedModule,
  prefix: prefixModule,
  set: setModule,
  span: spanModule,
  term: termModule,
};

/** The module of a clause. */
export const moduleOf = (clause: Clause): ClauseModule<Clause> => MODULES[clause.kind];

/** True for the module of a clause with parts. */
export const isCompoundModule = (module: ClauseModule<Clause>): module is CompoundModule<Clause> =>
  'parts' in module;

const NO_PARTS: ClauseParts = { scoring: [] };

function partsOf(clause: Clause): ClauseParts {
  const module = moduleOf(clause);
  return isCompoundModule(module) ? module.parts(clause) : NO_PARTS;
}

/** The parts whose scores make up the score of a clause; none of a leaf. */
export const scoringParts = (clause: Clause): readonly Clause[] => partsOf(clause).scoring;

/** The parts that a match of a clause may be due to; none of a leaf. */
export function positiveParts(clause: Clause): readonly Clause[] {
  const { scoring, silent = [] } = partsOf(clause);
  return [...scoring, ...silent];
}

/** All parts of a clause; none of a leaf. */
export function allParts(clause: Clause): readonly Clause[] {
  const { scoring, silent = [], negative = [] } = partsOf(clause);
  return [...scoring, ...silent, ...negative];
}

/** The same matches and the same scores with fewer nodes, bottom up. */
export function rewrite(clause: Clause): Clause {
  const module = moduleOf(clause);
  return isCompoundModule(module) ? module.rewrite(clause, rewrite) : clause;
}

/** The leaves that a document matches because of, in the query's order. */
export function* positiveLeaves(clause: Clause): Generator<Clause> {
  const module = moduleOf(clause);
  if (isCompoundModule(module)) {
    for (const part of positiveParts(clause)) yield* positiveLeaves(part);
  } else if (module.marked === undefined) yield clause;
  else yield* positiveLeaves(module.marked(clause) ?? { kind: 'none' });
}

/** Visits what a leaf looks for in the dictionary of its field. */
export function visitTerms(leaf: Clause, visitor: TermVisitor): void {
  const module = moduleOf(leaf);
  if (!isCompoundModule(module)) module.terms?.(leaf, visitor);
}

/** The complete terms that a leaf looks for; none of a clause with parts. */
export function exactTerms(leaf: Clause): readonly Uint8Array[] {
  const terms: Uint8Array[] = [];
  const addAll: TermVisitor['phrase'] = (words) => terms.push(...words.map(({ term }) => term));
  visitTerms(leaf, {
    word: (term) => terms.push(term),
    phrase: addAll,
    openPhrase: (words) => addAll(words, 0),
    prefix() {},
    pattern() {},
  });
  return terms;
}
