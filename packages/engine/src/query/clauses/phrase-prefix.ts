import type { Deadline } from '../../base/time/deadline.ts';
import type { InvertedReader } from '../../inverted/inverted-reader.ts';
import { NO_MORE_DOCS, type PostingsCursor } from '../../postings/cursors.ts';
import { eachCommonDoc } from '../../scoring/phrase/phrase-match.ts';
import { positionsIn } from '../explain/postings.ts';
import { explainPhrase } from '../explain/text.ts';
import { foundPhraseLeaf, type PhraseMatches } from '../weight/phrase-leaf.ts';
import type { ClauseOf, LeafModule } from './module.ts';
import { wordsText } from './terms-leaf.ts';

type PhrasePrefix = ClauseOf<'phrase_prefix'>;

/**
 * A phrase with a last word that is the beginning of one: boost x (sum of the complete words' idf)
 * x tf / (tf + norm), with tf the number of occurrences. Documents of the complete words are found
 * first, then the terms with the prefix are looked up in those.
 */
export const phrasePrefixModule: LeafModule<PhrasePrefix> = {
  key: ({ words, last }) => `${wordsText(words)},${wordsText([last])}`,
  leaf: (clause, scope) =>
    foundPhraseLeaf(clause, scope, (reader) => findPhrases(clause, reader, scope.deadline)),
  terms: ({ words, last }, visitor) => visitor.openPhrase(words, last),
  scoresWords: true,
  explain: (clause, doc, name) =>
    explainPhrase(clause, doc, name, (inverted) => frequencyIn(clause, inverted, doc.doc)),
};

function findPhrases(
  clause: PhrasePrefix,
  reader: InvertedReader,
  deadline: Deadline,
): PhraseMatches {
  const open = openPhrases(clause, reader, deadline);
  const frequencies = continued(clause, reader, open, deadline);
  const docs = [...frequencies.keys()].sort((a, b) => a - b);
  return {
    docs: Int32Array.from(docs),
    frequencies: Int32Array.from(docs, (doc) => frequencies.get(doc) as number),
  };
}

/** By document: where the last word has to be for the complete words to be in their places. */
type OpenPhrases = ReadonlyMap<number, ReadonlySet<number>>;

function openPhrases(
  { words, last }: PhrasePrefix,
  reader: InvertedReader,
  deadline: Deadline,
): OpenPhrases {
  const terms = words.map(({ term }) => {
    const info = reader.lookup(term)!;
    return { cursor: reader.postings(info), df: info.df };
  });
  const open = new Map<number, ReadonlySet<number>>();
  eachCommonDoc(terms, deadline, (doc) => {
    let starts: readonly number[] | null = null;
    terms.forEach(({ cursor }, i) => {
      const at = positionsAt(cursor, deadline).map((position) => position - words[i].offset);
      if (starts === null) starts = at;
      else {
        const own = new Set(at);
        starts = starts.filter((start) => own.has(start));
      }
    });
    const found: readonly number[] = starts ?? [];
    if (found.length > 0) open.set(doc, new Set(found.map((start) => start + last.offset)));
  });
  return open;
}

/** By document: how many of the open phrases a term with the prefix continues. */
function continued(
  { last }: PhrasePrefix,
  reader: InvertedReader,
  open: OpenPhrases,
  deadline: Deadline,
): ReadonlyMap<number, number> {
  const frequencies = new Map<number, number>();
  const docs = [...open.keys()];
  eachContinuation(last.term, reader, (cursor) => {
    for (let doc = cursor.next(), i = 0; doc !== NO_MORE_DOCS; ) {
      deadline.spend(1);
      while (i < docs.length && docs[i] < doc) i++;
      if (i === docs.length) return;
      if (docs[i] !== doc) {
        doc = cursor.advance(docs[i]);
        continue;
      }
      const wanted = open.get(doc)!;
      const found = positionsAt(cursor, deadline).filter((position) => wanted.has(position));
      if (found.length > 0) frequencies.set(doc, (frequencies.get(doc) ?? 0) + found.length);
      doc = cursor.next();
    }
  });
  return frequencies;
}

/** Calls `visit` with the postings of every term that begins with `prefix`. */
function eachContinuation(
  prefix: Uint8Array,
  reader: InvertedReader,
  visit: (cursor: PostingsCursor) => void,
): void {
  const terms = reader.terms(prefix);
  while (terms.next()) {
    if (terms.length < prefix.length) return;
    if (!prefix.every((byte, i) => terms.source[i] === byte)) return;
    visit(reader.postings(terms.info()));
  }
}

/** The positions in the document that a cursor is on. */
function positionsAt(cursor: PostingsCursor, deadline?: Deadline): readonly number[] {
  const positions = new Int32Array(cursor.tf());
  cursor.positions(positions);
  deadline?.spend(positions.length);
  return [...positions];
}

function frequencyIn({ words, last }: PhrasePrefix, inverted: InvertedReader, doc: number): number {
  const [first, ...others] = words.map(({ term, offset }) => {
    return [...positionsIn(inverted, term, doc)].map((position) => position - offset);
  });
  const ends = new Set<number>();
  eachContinuation(last.term, inverted, (cursor) => {
    if (cursor.advance(doc) !== doc) return;
    for (const position of positionsAt(cursor)) ends.add(position - last.offset);
  });
  const whole = first.filter((start) => others.every((starts) => starts.includes(start)));
  return whole.filter((start) => ends.has(start)).length;
}
