import { K1 } from '../../inverted/format.ts';
import type { InvertedReader } from '../../inverted/inverted-reader.ts';
import { termTest } from '../../postings/term-test.ts';
import { scoredDetail } from '../explain/detail.ts';
import { termFrequency } from '../explain/postings.ts';
import { termName } from '../explain/term-name.ts';
import { explainText, termFactors } from '../explain/text.ts';
import { NO_MATCHES, type SegmentLeaf } from '../weight/leaf.ts';
import type { SnapshotStatistics } from '../weight/statistics.ts';
import { TextTerm } from '../weight/term-leaf.ts';
import type { ClauseOf, LeafModule } from './module.ts';
import { bytesText } from './terms-leaf.ts';

type TermClause = ClauseOf<'term'>;

/**
 * A term of a field. On TEXT BM25: boost x idf x tf / (tf + norm); on KEYWORD boost x idf /
 * (1 + k1).
 */
export const termModule: LeafModule<TermClause> = {
  key: ({ term }) => bytesText(term),
  leaf(clause, { reader, statistics }) {
    const inverted = reader.inverted(clause.field.id);
    return inverted === null ? NO_MATCHES : termLeaf(clause, inverted, statistics);
  },
  terms: ({ term }, visitor) => visitor.word(term),
  scoresWords: true,
  partName: ({ field, term }) => termName(field, term),
  explain(clause, doc, name) {
    const { field, term } = clause;
    const inverted = doc.reader.inverted(field.id);
    const frequency = inverted === null ? 0 : termFrequency(inverted, term, doc.doc);
    if (inverted === null || frequency === 0) return null;
    const factors = termFactors(clause, [term], doc);
    if (inverted.text) return explainText(field, factors, inverted, frequency, doc, name);
    const all = { ...factors, tf: 1 / (1 + K1) };
    return scoredDetail(name, all, 'a value has no length', doc.guarded);
  },
};

/** The score of every document with a term of a field that is not TEXT. */
export const valueScore = (
  { field, term, boost }: Pick<TermClause, 'field' | 'term' | 'boost'>,
  statistics: SnapshotStatistics,
): number => (statistics.idf(field, term) * boost) / (1 + K1);

function termLeaf(
  { field, term, boost }: TermClause,
  reader: InvertedReader,
  statistics: SnapshotStatistics | null,
): SegmentLeaf {
  const info = reader.lookup(term);
  if (info === null) return NO_MATCHES;
  if (statistics !== null && reader.text) {
    const weight = statistics.idf(field, term) * boost;
    return new TextTerm(reader, info, weight, statistics.field(field));
  }
  const score = statistics === null ? boost : valueScore({ field, term, boost }, statistics);
  const fill = (bits: Int32Array): void => reader.fill(info, bits);
  return { constant: score, fill, most: info.df, ...termTest(reader, info) };
}
