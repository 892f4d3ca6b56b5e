import type { Analyzer } from '../../analysis/analyzer.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { Clause, PhraseWord } from './clause.ts';

const encoder = new TextEncoder();

/**
 * The words that an analyzer makes of a query's text; the first stands at offset 0. Holes of
 * dropped words stay.
 */
export function analyzeWords(analyzer: Analyzer, text: string): readonly PhraseWord[] {
  const bytes = encoder.encode(text);
  const words: PhraseWord[] = [];
  let first = -1;
  analyzer.analyze(bytes, 0, bytes.length, 0, {
    token(source, from, to, position) {
      if (first < 0) first = position;
      words.push({ term: source.slice(from, to), offset: position - first });
    },
  });
  return words.sort((a, b) => a.offset - b.offset);
}

/** A term of one word, a phrase of several; null: there are none. */
export function phraseOf(
  field: FieldPlan,
  words: readonly PhraseWord[],
  slop: number,
  boost: number,
): Clause | null {
  if (words.length === 0) return null;
  if (words.length === 1) return { kind: 'term', boost, field, term: words[0].term };
  return { kind: 'phrase', boost, field, words, slop };
}
