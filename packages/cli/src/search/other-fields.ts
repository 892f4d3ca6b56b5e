import type { Backend, IndexDescription, SearchRequest } from '@lakehouse-search/contract';
import { count } from '../terminal/figures.ts';

/** Fields that are tried, at most. */
const TRIED = 8;
/** Words without a sign of the query syntax. */
const PLAIN_WORDS = /^[\p{L}\p{N}\p{M}\s.,_'’]+$/u;

/**
 * For a search of plain words without hits: the other TEXT fields that contain them, each with its
 * number of hits and its query, as lines. Bare words look into one field only.
 */
export async function hitsInOtherFields(
  backend: Backend,
  request: SearchRequest,
  { fields }: Pick<IndexDescription, 'fields'>,
): Promise<string[]> {
  const { query } = request;
  if (query === undefined || !PLAIN_WORDS.test(query)) return [];
  const texts = fields.filter(({ type, indexed }) => type === 'TEXT' && indexed).slice(0, TRIED);
  const lines: string[] = [];
  for (const { name } of texts) {
    const there = `${name}:(${query.trim()})`;
    const { total } = await backend.search({ ...request, query: there, limit: 1 });
    if (total > 0) lines.push(`${name} has ${count(total)}: ${there}`);
  }
  return lines;
}

/** A remark on `and`, `or` and `not` in small letters, which are words; undefined: there are none. */
export function operatorRemark({ query, syntax }: SearchRequest): string | undefined {
  if (query === undefined || syntax === 'kql' || query.includes('"')) return undefined;
  const word = /(?:^|\s)(and|or|not)(?=\s)/.exec(query)?.[1];
  if (word === undefined) return undefined;
  return `"${word}" is a word here: write ${word.toUpperCase()}, or use --syntax kql`;
}
