import { Deadline, NO_DEADLINE } from '../../base/time/deadline.ts';
import { hasBit, or, wordsOf } from '../../bitmap/bitmap.ts';
import type { TermAutomaton } from '../automaton/automaton.ts';
import { fuzzyScore } from '../bind/clause.ts';
import { explainConstant } from '../explain/constant.ts';
import { constantScores, NO_MATCHES, type SegmentLeaf } from '../weight/leaf.ts';
import { demandFound, fillPattern, findPattern } from '../weight/pattern-matches.ts';
import type { ClauseOf, ClauseScope, ExplainedDoc, LeafModule } from './module.ts';
import { termsLeaf } from './terms-leaf.ts';

type PatternClause = ClauseOf<'pattern'>;

/** Every term that an automaton accepts; of a fuzzy word, scores of its nearest term. */
export const patternModule: LeafModule<PatternClause> = {
  key: ({ source }) => JSON.stringify(source),
  leaf: (clause, scope) =>
    scope.statistics !== null && clause.nearer !== undefined && clause.nearer.length > 0
      ? fuzzyLeaf(clause, clause.nearer, scope)
      : termsLeaf(clause, scope, (inverted, bits) =>
          fillPattern(inverted, clause.automaton, bits, scope.deadline),
        ),
  terms: ({ automaton }, visitor) => visitor.pattern(automaton),
  demand: ({ field, automaton }, segment) =>
    demandFound(segment.inverted(field.id), (inverted, found) =>
      findPattern(inverted, automaton, found, NO_DEADLINE),
    ),
  explain: (clause, doc, name) =>
    explainConstant(clause, patternModule, doc, name, () => scoreOf(clause, doc)),
};

/**
 * A fuzzy word in a segment. `nearer`: the terms of 0 edits, of up to 1 edit, and so on. Each
 * contains the ones before, so scores are sums of steps.
 */
function fuzzyLeaf(
  { field, boost, automaton }: PatternClause,
  nearer: readonly TermAutomaton[],
  { reader, deadline }: ClauseScope,
): SegmentLeaf {
  const inverted = reader.inverted(field.id);
  if (inverted === null) return NO_MATCHES;
  const most = nearer.length;
  const steps = [...nearer, automaton].map((terms, edits) => {
    const beyond = edits === most ? 0 : fuzzyScore(boost, edits + 1);
    let bits: Int32Array | null = null;
    const matches = () => {
      if (bits !== null) return bits;
      bits = new Int32Array(wordsOf(inverted.docs));
      fillPattern(inverted, terms, bits, deadline);
      return bits;
    };
    return { matches, ...constantScores(matches, fuzzyScore(boost, edits) - beyond) };
  });
  return {
    fill: (bits) => or(bits, steps[most].matches()),
    addBounds(into) {
      for (const step of steps) step.addBounds(into);
    },
    add(range, wanted, scores) {
      for (const step of steps) step.add(range, wanted, scores);
    },
  };
}

function scoreOf({ field, boost, nearer = [] }: PatternClause, { reader, doc }: ExplainedDoc) {
  const inverted = reader.inverted(field.id);
  const edits = nearer.findIndex((terms) => {
    const bits = new Int32Array(wordsOf(reader.docs));
    if (inverted !== null) fillPattern(inverted, terms, bits, new Deadline());
    return hasBit(bits, doc);
  });
  return fuzzyScore(boost, edits < 0 ? nearer.length : edits);
}
