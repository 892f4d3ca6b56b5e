import type { Analyzer } from '../../analysis/analyzer.ts';
import type { PhraseWord } from './clause.ts';

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
