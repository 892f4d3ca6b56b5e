import { clausesOf, isOperator, isWord, type Written } from '../../../query/bind/remarks.ts';
import { positiveQueries } from '../../../query/query.ts';
import type { ReadRequest } from '../read-request.ts';

/** The bare words of the query string, those side by side in one list. */
export function bareWords({ checked, tree }: ReadRequest): readonly (readonly Written[])[] {
  const { query: text } = checked.request;
  const lists: Written[][] = [];
  let end = -1;
  for (const clause of text === undefined ? [] : clausesOf(tree, text, positiveQueries)) {
    if (!isWord(clause) || isOperator(clause)) continue;
    const isNext = end >= 0 && text?.slice(end, clause.from).trim() === '';
    if (isNext) lists.at(-1)?.push(clause);
    else lists.push([clause]);
    end = clause.to;
  }
  return lists;
}

/** The words of a query string that has nothing else, or of its only phrase; none: it is another one. */
export function wordsAlone({ checked, tree }: ReadRequest): readonly string[] {
  const { query: text = '' } = checked.request;
  const clauses = clausesOf(tree, text, positiveQueries);
  const [first] = clauses;
  const isPhrase = clauses.length === 1 && /^\s*"[^"\\]*"\s*$/.test(text);
  if (!isPhrase && !clauses.every((clause) => isWord(clause) && !isOperator(clause))) return [];
  const values =
    isPhrase && 'value' in first.query ? first.query.value.split(/\s+/) : clauses.map(wordText);
  return values
    .map((word) => word.replace(/[,;]+$/, ''))
    .filter((word) => /[\p{L}\p{N}]/u.test(word));
}

/** The text of a word. */
export const wordText = ({ query }: Written): string => ('value' in query ? query.value : '');
