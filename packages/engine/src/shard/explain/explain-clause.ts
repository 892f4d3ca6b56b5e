/**
 * A bound clause on one document: whether it matches, its score, and what the score is made of, by
 * the scorer's own statistics and formulas (query/weight/term-leaf.ts, phrase-leaf.ts), with the
 * document's own postings.
 */
import type { ExplainDetail, ScoreFactors } from '@lakehouse-search/contract';
import { Deadline } from '../../base/deadline.ts';
import { hasBit, wordsOf } from '../../bitmap/bitmap.ts';
import { K1 } from '../../inverted/format.ts';
import type { InvertedReader } from '../../inverted/inverted-reader.ts';
import type { BoolClause, Clause, Leaf, PhraseWord } from '../../query/bind/clause.ts';
import { precomputedScore } from '../../query/bind/precomputed.ts';
import { segmentLeaf } from '../../query/weight/leaves.ts';
import { eachContinuation, positionsAt } from '../../query/weight/phrase-prefix-leaf.ts';
import { normAt } from '../../query/weight/term-leaf.ts';
import { sloppyFrequency } from '../../scoring/phrase-match.ts';
import { similarityWords } from './explain-near.ts';
import { matchedTerms } from './matched-terms.ts';
import { figure, type Subject, whole } from './subject.ts';
import { shownField, shownTerm, termName } from './term-name.ts';

type Term = Leaf & { readonly kind: 'term' };
type Phrase = Leaf & { readonly kind: 'phrase' };
type PhrasePrefix = Leaf & { readonly kind: 'phrase_prefix' };

/** The explanation of a clause that the document matches, named `name`; null: it does not. */
export function explainClause(
  clause: Clause,
  subject: Subject,
  name: string,
): ExplainDetail | null {
  if (clause.kind === 'none') return null;
  if (clause.kind === 'bool') return explainBool(clause, subject, name);
  if (clause.kind === 'max') {
    const { parts, tie } = clause;
    const details = parts.map((part, i) => explainClause(part, subject, partName(part, name, i)));
    return maxDetail(
      name,
      details.filter((part) => part !== null),
      tie,
    );
  }
  if (clause.kind === 'demoted') {
    const { part, negative, factor } = clause;
    const detail = explainClause(part, subject, name);
    const demoted = detail !== null && explainClause(negative, subject, name) !== null;
    return demoted ? demotedDetail(name, detail, factor) : detail;
  }
  if (clause.kind === 'term') return explainTerm(clause, subject, name);
  if (clause.kind === 'phrase' || clause.kind === 'phrase_prefix')
    return explainPhrase(clause, subject, name);
  if (clause.kind === 'precomputed') return explainGiven(clause, subject, name);
  const bits = new Int32Array(wordsOf(subject.reader.docs));
  segmentLeaf(clause, subject.reader, null, new Deadline()).fill(bits);
  if (!hasBit(bits, subject.doc)) return null;
  return constantDetail(name, clause.boost, matchedTerms(clause, subject));
}

function explainBool(clause: BoolClause, subject: Subject, name: string): ExplainDetail | null {
  const all = (parts: readonly Clause[]) =>
    parts.map((part, i) => explainClause(part, subject, partName(part, name, i)));
  const must = all(clause.must);
  const narrowing = all(clause.filter);
  if (must.includes(null) || narrowing.includes(null)) return null;
  const should = all(clause.should).filter((part) => part !== null);
  if (should.length < clause.minimum) return null;
  if (all(clause.mustNot).some((part) => part !== null)) return null;
  const [only] = clause.must;
  if (clause.must.length === 1 && clause.should.length === 0 && only?.kind === 'all') {
    return constantDetail(name, only.boost);
  }
  const details = [...must, ...should].filter((part) => part !== null);
  if (details.length === 1) return details[0];
  return sumDetail(name, details);
}

function partName(part: Clause, name: string, at: number): string {
  if (part.kind === 'term') return termName(part.field, part.term);
  return part.kind === 'phrase' ? phraseName(part) : `${name} (${at + 1})`;
}

/** `field:"some words"`. */
function phraseName({ field, words }: Phrase): string {
  return `${shownField(field)}:"${words.map(({ term }) => shownTerm(field, term)).join(' ')}"`;
}

function explainGiven(
  { precomputed: given, boost }: Leaf & { readonly kind: 'precomputed' },
  subject: Subject,
  name: string,
): ExplainDetail | null {
  const own = precomputedScore(given, subject.reader.id, subject.doc);
  if (own === null) return null;
  const boosted = boost === 1 ? '' : `${figure(boost)} × `;
  const near = given.near === undefined ? '' : `, ${similarityWords(given.near, subject)}`;
  const description = `${name}: ${boosted}${figure(own)}, one of the ${given.label}${near}`;
  return { description, score: boost * own, details: [], clause: name };
}

/** A clause that scores the same wherever it matches. */
export function constantDetail(clause: string, score: number, by = ''): ExplainDetail {
  const description = `${clause}: constant ${figure(score)}${by === '' ? '' : `, ${by}`}`;
  return { description, score, details: [], clause };
}

/** A clause whose score is the sum of its parts'. */
export function sumDetail(clause: string, details: readonly ExplainDetail[]): ExplainDetail {
  const score = details.reduce((sum, part) => sum + part.score, 0);
  const parts = details.length === 1 ? '1 part' : `${details.length} parts`;
  const description = `${clause}: sum of ${parts}`;
  return { description, score, details, clause };
}

/** The best of some parts, and the others times `tie`; null: there are none. */
export function maxDetail(
  clause: string,
  details: readonly ExplainDetail[],
  tie: number,
): ExplainDetail | null {
  if (details.length === 0) return null;
  const best = Math.max(...details.map((part) => part.score));
  const first = details.findIndex((part) => part.score === best);
  const parts = details.map((part, i) => (i === first ? part : lesserDetail(part, tie)));
  const score = parts.reduce((sum, part) => sum + part.score, 0);
  const count = details.length === 1 ? '1 part' : `${details.length} parts`;
  return { description: `${clause}: best of ${count}`, score, details: parts, clause };
}

/** A part of a `dis_max` that another part exceeds. */
function lesserDetail({ clause, score }: ExplainDetail, tie: number): ExplainDetail {
  const description = `${clause}: ${figure(score)} × ${figure(tie)}, as another clause scores more`;
  return { description, score: tie * score, details: [], clause };
}

/** A part whose score is multiplied, because a negative clause matches. */
export function demotedDetail(
  clause: string,
  detail: ExplainDetail,
  factor: number,
): ExplainDetail {
  const why = `times ${figure(factor)}, as the negative clause matches`;
  const change = { score: (factor - 1) * detail.score, details: [], clause };
  const details = [detail, { ...change, description: `${clause}: ${why}` }];
  return { description: `${clause}: ${why}`, score: factor * detail.score, details, clause };
}

function explainTerm(clause: Term, subject: Subject, name: string): ExplainDetail | null {
  const { reader, doc, statistics } = subject;
  const inverted = reader.inverted(clause.field.id);
  const frequency = inverted === null ? 0 : frequencyOf(inverted, clause.term, doc);
  if (inverted === null || frequency === 0) return null;
  const df = [statistics.documentFrequency(clause.field.id, clause.term)];
  const idf = statistics.idf(clause.field, clause.term);
  const { docs } = statistics.field(clause.field);
  const common = { boost: clause.boost, idf, docs, df };
  if (!inverted.text) {
    const tf = 1 / (1 + K1);
    return scoredDetail(name, { ...common, tf }, 'a value has no length', subject);
  }
  return textDetail(clause, subject, inverted, name, frequency, common);
}

function explainPhrase(
  clause: Phrase | PhrasePrefix,
  subject: Subject,
  name: string,
): ExplainDetail | null {
  const { reader, statistics } = subject;
  const inverted = reader.inverted(clause.field.id);
  const frequency = inverted === null ? 0 : frequencyIn(clause, inverted, subject.doc);
  if (inverted === null || frequency === 0) return null;
  const idf = clause.words.reduce((sum, { term }) => sum + statistics.idf(clause.field, term), 0);
  const df = clause.words.map(({ term }) => statistics.documentFrequency(clause.field.id, term));
  const { docs } = statistics.field(clause.field);
  const common = { boost: clause.boost, idf, docs, df };
  return textDetail(clause, subject, inverted, name, frequency, common);
}

function textDetail(
  clause: Term | Phrase | PhrasePrefix,
  subject: Subject,
  inverted: InvertedReader,
  name: string,
  frequency: number,
  common: Pick<ScoreFactors, 'boost' | 'idf' | 'docs' | 'df'>,
): ExplainDetail {
  const { doc, statistics, guarded } = subject;
  const field = statistics.field(clause.field);
  const tf = frequency / (frequency + normAt(inverted, field, doc));
  const length = inverted.lengthOf(doc);
  const average_length = field.averageLength;
  const times = frequency === 1 ? '1 time' : `${whole(frequency)} times`;
  const words = length === 1 ? '1 word' : `${whole(length)} words`;
  const average = guarded ? '' : `, ${average_length.toFixed(1)} on average`;
  const factors = { ...common, tf, frequency, length, average_length };
  return scoredDetail(name, factors, `${times} in ${words}${average}`, subject);
}

/**
 * `idf 5.31 (df 311 of 446,015) × tf 0.92 (1 time in 6 words, 8.1 on average)`. The callers of a
 * tenant get the score alone: its factors count the documents of all tenants.
 */
function scoredDetail(
  clause: string,
  factors: ScoreFactors,
  where: string,
  { guarded }: Subject,
): ExplainDetail {
  const { boost, idf, tf, df, docs } = factors;
  const score = idf * boost * tf;
  if (guarded) {
    const description = `${clause}: score ${figure(score)}, ${where}`;
    return { description, score, details: [], clause };
  }
  const boosted = boost === 1 ? '' : `boost ${figure(boost)} × `;
  const found = `df ${df.map(whole).join(' + ')} of ${whole(docs)}`;
  const sum = df.length > 1 ? 'idf of all words' : 'idf';
  const made = `${boosted}${sum} ${figure(idf)} (${found}) × tf ${figure(tf)} (${where})`;
  return { description: `${clause}: ${made}`, score, details: [], clause, factors };
}

/** Times that a document has a term; 1 in KEYWORD fields. */
function frequencyOf(inverted: InvertedReader, term: Uint8Array, doc: number): number {
  const info = inverted.lookup(term);
  if (info === null) return 0;
  const postings = inverted.postings(info);
  return postings.advance(doc) === doc ? postings.tf() : 0;
}

/** The positions of a term in a document, rising; empty where it is not there. */
export function positionsIn(inverted: InvertedReader, term: Uint8Array, doc: number): Int32Array {
  const info = inverted.lookup(term);
  if (info === null) return new Int32Array(0);
  const postings = inverted.postings(info);
  if (postings.advance(doc) !== doc) return new Int32Array(0);
  const positions = new Int32Array(postings.tf());
  postings.positions(positions);
  return positions;
}

function frequencyIn(clause: Phrase | PhrasePrefix, inverted: InvertedReader, doc: number): number {
  if (clause.kind === 'phrase') return phraseFrequency(clause, inverted, doc);
  const [first, ...others] = clause.words.map(({ term, offset }) => {
    return [...positionsIn(inverted, term, doc)].map((position) => position - offset);
  });
  const ends = new Set(prefixPositions(clause.last.term, inverted, doc));
  const whole = first.filter((start) => others.every((starts) => starts.includes(start)));
  return whole.filter((start) => ends.has(start + clause.last.offset)).length;
}

/** The positions of a document's words that begin with `prefix`. */
export function prefixPositions(
  prefix: Uint8Array,
  inverted: InvertedReader,
  doc: number,
): readonly number[] {
  const positions: number[] = [];
  eachContinuation(prefix, inverted, (cursor) => {
    if (cursor.advance(doc) === doc) positions.push(...positionsAt(cursor));
  });
  return positions;
}

/** Times that a document has a phrase, within `slop` (the clause's own unless told). */
export function phraseFrequency(
  clause: Phrase,
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

function firstWithTerm(words: readonly PhraseWord[], word: PhraseWord): number {
  return words.findIndex((other) => Buffer.compare(other.term, word.term) === 0);
}
