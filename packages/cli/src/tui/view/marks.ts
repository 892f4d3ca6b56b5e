import type { Hit } from '@lakehouse-search/contract';
import { prefixedQuery, queryWords } from '@lakehouse-search/contract/internal';
import { modeOf, type Question } from '../state/question.ts';
import { type Span, span } from './spans.ts';

/**
 * The words to mark, in lower case: those that the highlights of the hit mark, or, if the index
 * caches no text of the field that matched, the words of the query, the last one as a prefix.
 */
export function marksOf(hit: Hit, question: Question | undefined): ReadonlySet<string> {
  const segments = Object.values(hit.highlight ?? {}).flat(2);
  const marked = segments.filter((segment) => segment.marked);
  const texts = marked.length > 0 ? marked.map(({ text }) => text) : queryTexts(question);
  const words = texts.flatMap((text) => text.toLowerCase().match(WORDS) ?? []);
  const isPrefix = marked.length === 0 && question !== undefined && endsInPrefix(question);
  const last = isPrefix ? words.at(-1) : undefined;
  return new Set(last === undefined ? words : [...words, `${last}*`]);
}
const WORDS = /[\p{L}\p{N}_]+/gu;

const endsInPrefix = ({ query }: Question): boolean => prefixedQuery(query, []) !== query;

/** The words and phrases of a lexical query. */
function queryTexts(question: Question | undefined): readonly string[] {
  if (question === undefined || modeOf(question) !== 'lexical') return [];
  const { query } = question;
  return queryWords(query)
    .filter(({ kind }) => kind === 'word' || kind === 'quoted')
    .map(({ from, to }) => query.slice(from, to));
}

/** The text with those words marked; `te*` marks all words that begin with `te`. */
export function markedSpans(text: string, marks: ReadonlySet<string>): Span[] {
  if (marks.size === 0) return [span(text)];
  const prefixes = [...marks].filter((mark) => mark.endsWith('*')).map((mark) => mark.slice(0, -1));
  const isMarked = (word: string) =>
    marks.has(word) || prefixes.some((prefix) => word.startsWith(prefix));
  return text
    .split(/([\p{L}\p{N}_]+)/u)
    .filter((part) => part !== '')
    .map((part) => span(part, isMarked(part.toLowerCase()) ? 'mark' : 'plain'));
}
