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
