import type { Deadline } from '../../base/deadline.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import { hasBit } from '../../bitmap/bitmap.ts';
import type { InvertedReader } from '../../inverted/inverted-reader.ts';
import type { TermInfo } from '../../postings/term-info.ts';
import {
  eachCommonDoc,
  frequencyAtCursors,
  type SloppyPhrase,
  type WalkedPostings,
} from '../../scoring/phrase-match.ts';
import type { Leaf, PhraseWord } from '../bind/clause.ts';
import { NO_MATCHES, RANGE_DOCS, type SegmentLeaf } from './leaf.ts';
import type { SnapshotStatistics } from './statistics.ts';
import { normAt } from './term-leaf.ts';

type PhraseClause = Leaf & { readonly kind: 'phrase' };

/**
 * A phrase in one segment: boost x (sum of the words' idf) x tf / (tf + norm), with tf as
 * scoring/phrase-match.ts defines it. Documents are found once: those that hold all words, rarest
 * first, then their positions. `statistics` is null where nothing is scored.
 */
export function phraseLeaf(
  clause: PhraseClause,
  reader: InvertedReader,
  statistics: SnapshotStatistics | null,
  deadline: Deadline,
): SegmentLeaf {
  const infos = clause.words.map((word) => reader.lookup(word.term));
  if (infos.some((info) => info === null)) return NO_MATCHES;
  return foundPhraseLeaf(clause, reader, statistics, () => findPhrase(clause, reader, deadline));
}

/**
 * The leaf of phrases that `find` finds when they are first needed, scored by the idf of the
 * clause's words. `statistics` is null where nothing is scored.
 */
export function foundPhraseLeaf(
  clause: ScoredWords,
  reader: InvertedReader,
  statistics: SnapshotStatistics | null,
  find: () => PhraseMatches,
): SegmentLeaf {
  let found: PhraseMatches | null = null;
  let scored: Float64Array | null = null;
  const matches = (): PhraseMatches => {
    if (found === null) found = find();
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
export type ScoredWords = Pick<PhraseClause, 'boost' | 'field' | 'words'>;

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

function findPhrase(
  clause: PhraseClause,
  reader: InvertedReader,
  deadline: Deadline,
): PhraseMatches {
  const same = clause.words.map((word) => firstWithTerm(clause.words, word));
  const terms: WalkedPostings[] = [];
  clause.words.forEach((word, i) => {
    if (same[i] < i) terms.push(terms[same[i]]);
    else {
      const info = reader.lookup(word.term) as TermInfo;
      terms.push({ cursor: reader.postings(info), df: info.df });
    }
  });
  const offsets = clause.words.map((word) => word.offset);
  const phrase: SloppyPhrase = { offsets, same, slop: clause.slop };
  const cursors = terms.map(({ cursor }) => cursor);
  const distinct = terms.filter((_, i) => same[i] === i);
  const docs: number[] = [];
  const frequencies: number[] = [];
  eachCommonDoc(distinct, deadline, (doc) => {
    const frequency = frequencyAtCursors(phrase, cursors, deadline);
    if (frequency === 0) return;
    docs.push(doc);
    frequencies.push(frequency);
  });
  return { docs: Int32Array.from(docs), frequencies: Int32Array.from(frequencies) };
}

function firstWithTerm(words: readonly PhraseWord[], word: PhraseWord): number {
  return words.findIndex((other) => Buffer.compare(other.term, word.term) === 0);
}
