import type { Deadline } from '../../base/deadline.ts';
import type { InvertedReader } from '../../inverted/inverted-reader.ts';
import { NO_MORE_DOCS, type PostingsCursor } from '../../postings/cursors.ts';
import { eachCommonDoc } from '../../scoring/phrase-match.ts';
import type { Leaf } from '../bind/clause.ts';
import { NO_MATCHES, type SegmentLeaf } from './leaf.ts';
import { foundPhraseLeaf } from './phrase-leaf.ts';
import type { SnapshotStatistics } from './statistics.ts';

export type PhrasePrefix = Leaf & { readonly kind: 'phrase_prefix' };

/**
 * A phrase with a last word that is the beginning of one, in one segment: boost x (sum of the
 * complete words' idf) x tf / (tf + norm), with tf the number of occurrences. Documents of the
 * complete words are found first, then the terms with the prefix are looked up in those.
 */
export function phrasePrefixLeaf(
  clause: PhrasePrefix,
  reader: InvertedReader,
  statistics: SnapshotStatistics | null,
  deadline: Deadline,
): SegmentLeaf {
  if (clause.words.some(({ term }) => reader.lookup(term) === null)) return NO_MATCHES;
  return foundPhraseLeaf(clause, reader, statistics, () => {
    const open = openPhrases(clause, reader, deadline);
    const frequencies = continued(clause, reader, open, deadline);
    const docs = [...frequencies.keys()].sort((a, b) => a - b);
    return {
      docs: Int32Array.from(docs),
      frequencies: Int32Array.from(docs, (doc) => frequencies.get(doc) as number),
    };
  });
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
export function eachContinuation(
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
export function positionsAt(cursor: PostingsCursor, deadline?: Deadline): readonly number[] {
  const positions = new Int32Array(cursor.tf());
  cursor.positions(positions);
  deadline?.spend(positions.length);
  return [...positions];
}
