import type { Deadline } from '../../base/time/deadline.ts';
import type { InvertedReader } from '../../inverted/inverted-reader.ts';
import type { TermInfo } from '../../postings/term-info.ts';
import {
  eachCommonDoc,
  frequencyAtCursors,
  type SloppyPhrase,
  sloppyFrequency,
  type WalkedPostings,
} from '../../scoring/phrase/phrase-match.ts';
import type { PhraseWord } from '../bind/clause.ts';
import { positionsIn } from '../explain/postings.ts';
import { shownField, shownTerm } from '../explain/term-name.ts';
import { explainPhrase } from '../explain/text.ts';
import { foundPhraseLeaf, type PhraseMatches } from '../weight/phrase-leaf.ts';
import type { ClauseOf, LeafModule } from './module.ts';
import { wordsText } from './terms-leaf.ts';

type PhraseClause = ClauseOf<'phrase'>;

/**
 * A phrase: boost x (sum of the words' idf) x tf / (tf + norm), with tf as phrase/phrase-match.ts
 * defines it. Documents are found once: those that hold all words, rarest first, then their
 * positions.
 */
export const phraseModule: LeafModule<PhraseClause> = {
  key: ({ words, slop }) => `${wordsText(words)}~${slop}`,
  leaf: (clause, scope) =>
    foundPhraseLeaf(clause, scope, (reader) => findPhrase(clause, reader, scope.deadline)),
  terms: ({ words, slop }, visitor) => visitor.phrase(words, slop),
  scoresWords: true,
  partName({ field, words }) {
    const texts = words.map(({ term }) => shownTerm(field, term));
    return `${shownField(field)}:"${texts.join(' ')}"`;
  },
  explain: (clause, doc, name) =>
    explainPhrase(clause, doc, name, (inverted) => phraseFrequency(clause, inverted, doc.doc)),
};

/** Times that a document has a phrase, within `slop` (the clause's own unless told). */
export function phraseFrequency(
  clause: PhraseClause,
  inverted: InvertedReader,
  doc: number,
  slop = clause.slop,
): number {
  const positions = clause.words.map(({ term }) => positionsIn(inverted, term, doc));
  if (positions.some((list) => list.length === 0)) return 0;
  const same = clause.words.map((word) => firstWithTerm(clause.words, word));
  const offsets = clause.words.map((word) => word.offset);
  return sloppyFrequency({ offsets, same, slop }, positions);
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
