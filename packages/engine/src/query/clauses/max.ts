import { type MaxClause, NONE } from '../bind/clause.ts';
import { maxDetail } from '../explain/detail.ts';
import { RANGE_DOCS, type RangeScores } from '../weight/leaf.ts';
import { anyTest, fillAny, filled, mostOfAny, type SegmentNode } from '../weight/segment-node.ts';
import { rangeScores } from '../weight/sum.ts';
import type { CompoundModule } from './module.ts';

/** Any of some parts; scores the best of them, and the others times `tie`. */
export const maxModule: CompoundModule<MaxClause> = {
  parts: ({ parts }) => ({ scoring: parts }),
  key: ({ parts, tie }, keyOf) => `${tie}[${parts.map(keyOf).join(',')}]`,
  rewrite(clause, rewrite) {
    const parts = clause.parts.map(rewrite).filter((part) => part.kind !== 'none');
    return parts.length < 2 ? (parts[0] ?? NONE) : { ...clause, parts };
  },
  node: ({ parts, tie }, open, { reader }) =>
    maxNode(
      parts.map((part) => open(part, true)),
      tie,
      reader.docs,
    ),
  explain({ parts, tie }, name, explain) {
    const details = parts.map(explain).filter((part) => part !== null);
    return maxDetail(name, details, tie);
  },
};

function maxNode(parts: readonly SegmentNode[], tie: number, docs: number): SegmentNode {
  const fill: SegmentNode['fill'] = (bits, scope) => fillAny(parts, bits, scope);
  return {
    ...{ constant: undefined, most: mostOfAny(parts, docs), isTestedWhole: false, fill },
    matches: (scope) => filled(fill, scope),
    test: (scope, held) => anyTest(parts, scope, held),
    scores(scope, held) {
      const scored = parts.map((part) => part.scores(scope, held, false));
      return {
        addBounds: (into) => addBounds(scored, tie, into),
        add: (range, wanted, scores) => addBest(scored, tie, range, wanted, scores),
      };
    },
  };
}

/** The best of the parts' bounds, and the others times `tie`: that grows with each of them. */
function addBounds(parts: readonly RangeScores[], tie: number, into: Float64Array): void {
  const best = new Float64Array(into.length);
  const sum = new Float64Array(into.length);
  for (const part of parts) {
    const own = new Float64Array(into.length);
    part.addBounds(own);
    raise(best, sum, own);
  }
  for (let range = 0; range < into.length; range++) {
    into[range] += best[range] + tie * (sum[range] - best[range]);
  }
}

function raise(best: Float64Array, sum: Float64Array, own: Float64Array): void {
  for (let i = 0; i < own.length; i++) {
    const score = own[i];
    sum[i] += score;
    if (score > best[i]) best[i] = score;
  }
}

function addBest(
  parts: readonly RangeScores[],
  tie: number,
  range: number,
  wanted: Int32Array,
  scores: Float64Array,
): void {
  const best = rangeScores.take().fill(0);
  const sum = rangeScores.take().fill(0);
  for (const part of parts) {
    const own = rangeScores.take().fill(0);
    part.add(range, wanted, own);
    raise(best, sum, own);
    rangeScores.give(own);
  }
  for (let i = 0; i < RANGE_DOCS; i++) scores[i] += best[i] + tie * (sum[i] - best[i]);
  rangeScores.give(best);
  rangeScores.give(sum);
}
