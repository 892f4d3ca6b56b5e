import type { Deadline } from '../../base/deadline.ts';
import { hasBit } from '../../bitmap/bitmap.ts';
import type { InvertedReader } from '../../inverted/inverted-reader.ts';
import type { PostingsCursor } from '../../postings/cursors.ts';
import type { Leaf, PhraseWord } from '../bind/clause.ts';
import { NO_MATCHES, RANGE_DOCS, type SegmentLeaf } from './leaf.ts';
import { type SloppyPhrase, sloppyFrequency } from './sloppy.ts';
import type { SnapshotStatistics } from './statistics.ts';
import { normAt } from './term-leaf.ts';

type PhraseClause = Leaf & { readonly kind: 'phrase' };

/**
 * A phrase in one segment: boost x (sum of the words' idf) x tf / (tf + norm), tf as sloppy.ts
 * defines it. Documents are found once: those that hold all words, rarest first, then their
 * positions. `statistics` is null where nothing is scored.
 */
export function phraseLeaf(
  clause: PhraseClause,
  reader: InvertedReader,
  statistics: SnapshotStatistics | null,
  deadline: Deadline,
): SegmentLeaf {
  const infos = clause.words.map((word) => reader.lookup(word.term));
  if (infos.some((info) => info === null)) return NO_MATCHES;
  let found: Matches | null = null;
  const matches = (): Matches => {
    if (found === null) found = findPhrase(clause, reader, deadline);
    return found;
  };
  const scores = (): Float64Array => {
    const { docs, frequencies } = matches();
    if (found!.scores === null && statistics !== null) {
      const weight = phraseWeight(clause, statistics);
      const field = statistics.field(clause.field);
      found!.scores = Float64Array.from(docs, (doc, i) => {
        const frequency = frequencies[i];
        return weight * (frequency / (frequency + normAt(reader, field, doc)));
      });
    }
    return found!.scores!;
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

interface Matches {
  readonly docs: Int32Array;
  readonly frequencies: Int32Array;
  scores: Float64Array | null;
}

/** Boost times the sum of idfs, in the order of the words. */
function phraseWeight(clause: PhraseClause, statistics: SnapshotStatistics): number {
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

function lowerBound(docs: Int32Array, target: number): number {
  let low = 0;
  let high = docs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (docs[middle] < target) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A word of the phrase as it is walked: words with the same term share a cursor. */
interface WalkedTerm {
  readonly cursor: PostingsCursor;
  readonly df: number;
}

function findPhrase(clause: PhraseClause, reader: InvertedReader, deadline: Deadline): Matches {
  const same = clause.words.map((word) => firstWithTerm(clause.words, word));
  const terms = clause.words.map((word, i): WalkedTerm | null => {
    if (same[i] !== i) return null;
    const info = reader.lookup(word.term)!;
    return { cursor: reader.postings(info), df: info.df };
  });
  const walked = terms.filter((term) => term !== null).sort((a, b) => a.df - b.df);
  const phrase: SloppyPhrase = {
    offsets: clause.words.map((word) => word.offset),
    same,
    slop: clause.slop,
  };
  const docs: number[] = [];
  const frequencies: number[] = [];
  eachCommonDoc(walked, reader.docs, deadline, (doc) => {
    const own = terms.map((term) => (term === null ? null : positionsOf(term.cursor)));
    for (const positions of own) deadline.spend(positions?.length ?? 0);
    const frequency = sloppyFrequency(
      phrase,
      same.map((i) => own[i]!),
    );
    if (frequency === 0) return;
    docs.push(doc);
    frequencies.push(frequency);
  });
  return { docs: Int32Array.from(docs), frequencies: Int32Array.from(frequencies), scores: null };
}

function firstWithTerm(words: readonly PhraseWord[], word: PhraseWord): number {
  return words.findIndex((other) => Buffer.compare(other.term, word.term) === 0);
}

function positionsOf(cursor: PostingsCursor): Int32Array {
  const positions = new Int32Array(cursor.tf());
  cursor.positions(positions);
  return positions;
}

/** Calls `visit` with every document that all cursors hold; they stand on it. */
function eachCommonDoc(
  terms: readonly WalkedTerm[],
  docs: number,
  deadline: Deadline,
  visit: (doc: number) => void,
): void {
  const lead = terms[0].cursor;
  for (let doc = lead.next(); doc < docs; ) {
    deadline.spend(terms.length);
    let next = doc;
    for (let i = 1; i < terms.length && next === doc; i++) next = terms[i].cursor.advance(doc);
    if (next === doc) {
      visit(doc);
      doc = lead.next();
    } else doc = lead.advance(next);
  }
}
