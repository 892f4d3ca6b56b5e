import { lowerBound } from '../../base/arrays/lower-bound.ts';
import { hasBit } from '../../bitmap/bitmap.ts';
import type { InvertedReader } from '../../inverted/inverted-reader.ts';
import type { ClauseOf, ClauseScope } from '../clauses/module.ts';
import { NO_MATCHES, RANGE_DOCS, type SegmentLeaf } from './leaf.ts';
import type { SnapshotStatistics } from './statistics.ts';
import { normAt } from './term-leaf.ts';

/**
 * The leaf of phrases that `find` finds when they are first needed, scored by the idf of the
 * clause's words.
 */
export function foundPhraseLeaf(
  clause: ScoredWords,
  { reader: segment, statistics }: ClauseScope,
  find: (reader: InvertedReader) => PhraseMatches,
): SegmentLeaf {
  const reader = segment.inverted(clause.field.id);
  if (reader === null || clause.words.some(({ term }) => reader.lookup(term) === null)) {
    return NO_MATCHES;
  }
  let found: PhraseMatches | null = null;
  let scored: Float64Array | null = null;
  const matches = (): PhraseMatches => {
    if (found === null) found = find(reader);
    return found;
  };
  const scores = (): Float64Array => {
    if (scored !== null) return scored;
    const { docs, frequencies } = matches();
    const weight = phraseWeight(clause, statistics!);
    const field = statistics!.field(clause.field);
    scored = Float64Array.from(docs, (doc, i) => {
      const frequency = frequencies[i];
      return weight * (frequency / (frequency + normAt(reader, field, doc)));
    });
    return scored;
  };
  return {
    fill(bits) {
      for (const doc of matches().docs) bits[doc >> 5] |= 1 << (doc & 31);
    },
    addBounds(into) {
      const best = new Float64Array(into.length);
      matches().docs.forEach((doc, i) => {
        best[doc >> 8] = Math.max(best[doc >> 8], scores()[i]);
      });
      for (let range = 0; range < into.length; range++) into[range] += best[range];
    },
    add(range, wanted, into) {
      eachOfRange(matches().docs, range, (doc, i) => {
        if (hasBit(wanted, doc)) into[doc & 255] += scores()[i];
      });
    },
  };
}

/** Documents, rising, and how often each has the phrase. */
export interface PhraseMatches {
  readonly docs: Int32Array;
  readonly frequencies: Int32Array;
}

/** What the score of a phrase depends on. */
export type ScoredWords = Pick<ClauseOf<'phrase'>, 'boost' | 'field' | 'words'>;

/** Boost times the sum of idfs, in the order of the words. */
function phraseWeight(clause: ScoredWords, statistics: SnapshotStatistics): number {
  const sum = clause.words.reduce((idf, word) => idf + statistics.idf(clause.field, word.term), 0);
  return sum * clause.boost;
}

function eachOfRange(
  docs: Int32Array,
  range: number,
  visit: (doc: number, i: number) => void,
): void {
  const end = (range + 1) * RANGE_DOCS;
  for (let i = lowerBound(docs, range * RANGE_DOCS); i < docs.length && docs[i] < end; i++) {
    visit(docs[i], i);
  }
}
