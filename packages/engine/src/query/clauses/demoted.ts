import type { DemotedClause } from '../bind/clause.ts';
import { demotedDetail } from '../explain/detail.ts';
import { RANGE_DOCS, type RangeScores } from '../weight/leaf.ts';
import type { SegmentNode } from '../weight/segment-node.ts';
import { rangeScores } from '../weight/sum.ts';
import type { CompoundModule } from './module.ts';

/** The matches of a part; scores of those that `negative` matches are multiplied. */
export const demotedModule: CompoundModule<DemotedClause> = {
  parts: ({ part, negative }) => ({ scoring: [part], negative: [negative] }),
  key: ({ part, negative, factor }, keyOf) => `${factor}[${keyOf(part)},${keyOf(negative)}]`,
  rewrite(clause, rewrite) {
    const part = rewrite(clause.part);
    const negative = rewrite(clause.negative);
    if (part.kind === 'none' || negative.kind === 'none') return part;
    return { ...clause, part, negative };
  },
  node({ part, negative, factor }, open, { statistics }) {
    const scored = open(part, true);
    return statistics === null ? scored : demotedNode(scored, open(negative, false), factor);
  },
  explain({ part, negative, factor }, name, explain) {
    const detail = explain(part, null);
    const isDemoted = detail !== null && explain(negative, null) !== null;
    return isDemoted ? demotedDetail(name, detail, factor) : detail;
  },
};

function demotedNode(part: SegmentNode, negative: SegmentNode, factor: number): SegmentNode {
  return {
    ...{ ...part, constant: undefined, isTestedWhole: false },
    scores(scope, held, isRoot) {
      const scored = part.scores(scope, held, isRoot);
      const demoted = negative.matches(scope);
      held.push(demoted);
      return demotedScores(scored, demoted, factor);
    },
  };
}

/** The scores of a part, those of documents in `demoted` times `factor`. */
function demotedScores(part: RangeScores, demoted: Int32Array, factor: number): RangeScores {
  return {
    addBounds(into) {
      const own = new Float64Array(into.length);
      part.addBounds(own);
      const most = Math.max(1, factor);
      for (let range = 0; range < into.length; range++) into[range] += most * own[range];
    },
    add(range, wanted, scores) {
      const own = rangeScores.take().fill(0);
      part.add(range, wanted, own);
      for (let i = 0; i < 8; i++) {
        for (let word = demoted[8 * range + i]; word !== 0; word &= word - 1) {
          own[32 * i + 31 - Math.clz32(word & -word)] *= factor;
        }
      }
      for (let i = 0; i < RANGE_DOCS; i++) scores[i] += own[i];
      rangeScores.give(own);
    },
  };
}
