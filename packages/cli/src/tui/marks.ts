import type { Hit } from '@lakehouse-search/contract';
import { queryWords } from './query-words.ts';
import { modeOf, type Question } from './question.ts';
import { type Span, span } from './spans.ts';

/**
 * The words to mark, in small letters: those that the highlights of the hit mark; where the index
 * keeps no text of the field that matched, the words of the query itself.
 */
export function marksOf(hit: Hit, question: Question | undefined): ReadonlySet<string> {
  const segments = Object.values(hit.highlight ?? {}).flat(2);
  const marked = segments.filter((segment) => segment.marked);
  const texts = marked.length > 0 ? marked.map(({ text }) => text) : queryTexts(question);
  return new Set(texts.flatMap((text) => text.toLowerCase().match(WORDS) ?? []));
}
const WORDS = /[\p{L}\p{N}_]+/gu;

/** The words and phrases of a lexical query. */
function queryTexts(question: Question | undefined): readonly string[] {
  if (question === undefined || modeOf(question) !== 'lexical') return [];
  const { query } = question;
  return queryWords(query)
    .filter(({ kind }) => kind === 'word' || kind === 'quoted')
    .map(({ from, to }) => query.slice(from, to));
}

/** The text with those words marked. */
export function markedSpans(text: string, marks: ReadonlySet<string>): Span[] {
  if (marks.size === 0) return [span(text)];
  return text
    .split(/([\p{L}\p{N}_]+)/u)
    .filter((part) => part !== '')
    .map((part) => span(part, marks.has(part.toLowerCase()) ? 'mark' : 'plain'));
}
