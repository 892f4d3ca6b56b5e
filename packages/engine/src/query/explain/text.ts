import type { ExplainDetail, ScoreFactors } from '@lakehouse-search/contract';
import { withCommas } from '@lakehouse-search/contract/internal';
import type { InvertedReader } from '../../inverted/inverted-reader.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { ClauseOf, ExplainedDoc } from '../clauses/module.ts';
import { normAt } from '../weight/term-leaf.ts';
import { scoredDetail } from './detail.ts';

/** What a score owes to the index. */
export type TermFactors = Pick<ScoreFactors, 'boost' | 'idf' | 'docs' | 'df'>;

/** The factors of a clause that needs all of some terms. */
export function termFactors(
  { field, boost }: Pick<ClauseOf<'term'>, 'field' | 'boost'>,
  terms: readonly Uint8Array[],
  { statistics }: ExplainedDoc,
): TermFactors {
  const idf = terms.reduce((sum, term) => sum + statistics.idf(field, term), 0);
  const df = terms.map((term) => statistics.documentFrequency(field.id, term));
  return { boost, idf, docs: statistics.field(field).docs, df };
}

/** The score of a term or phrase that a document has `frequency` times in a TEXT field. */
export function explainText(
  plan: FieldPlan,
  factors: TermFactors,
  inverted: InvertedReader,
  frequency: number,
  { doc, statistics, guarded }: ExplainedDoc,
  name: string,
): ExplainDetail {
  const field = statistics.field(plan);
  const tf = frequency / (frequency + normAt(inverted, field, doc));
  const length = inverted.lengthOf(doc);
  const average_length = field.averageLength;
  const times = frequency === 1 ? '1 time' : `${withCommas(frequency)} times`;
  const words = length === 1 ? '1 word' : `${withCommas(length)} words`;
  const average = guarded ? '' : `, ${average_length.toFixed(1)} on average`;
  const all = { ...factors, tf, frequency, length, average_length };
  return scoredDetail(name, all, `${times} in ${words}${average}`, guarded);
}

/** The explanation of a phrase; `frequencyIn`: how many times the document has it. */
export function explainPhrase(
  clause: ClauseOf<'phrase' | 'phrase_prefix'>,
  subject: ExplainedDoc,
  name: string,
  frequencyIn: (inverted: InvertedReader) => number,
): ExplainDetail | null {
  const inverted = subject.reader.inverted(clause.field.id);
  const frequency = inverted === null ? 0 : frequencyIn(inverted);
  if (inverted === null || frequency === 0) return null;
  const terms = clause.words.map(({ term }) => term);
  const factors = termFactors(clause, terms, subject);
  return explainText(clause.field, factors, inverted, frequency, subject, name);
}
