import type { SearchRequest } from '@lakehouse-search/contract';

/** A remark on `and`, `or` and `not` in small letters, which are words; undefined: there are none. */
export function operatorRemark({ query, syntax }: SearchRequest): string | undefined {
  if (query === undefined || syntax === 'kql' || query.includes('"')) return undefined;
  const word = /(?:^|\s)(and|or|not)(?=\s)/.exec(query)?.[1];
  if (word === undefined) return undefined;
  return `"${word}" is a word here: write ${word.toUpperCase()}, or use --syntax kql`;
}
