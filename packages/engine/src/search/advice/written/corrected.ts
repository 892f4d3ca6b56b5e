import type { ClauseCount } from '@lakehouse-search/contract';
import type { CountedClause } from '../clause-counts.ts';
import { isAlike } from './short-words.ts';

/** The query with each clause that has no hits replaced by its suggestion. */
export function corrected(
  query: string | undefined,
  counted: readonly CountedClause[],
): string | undefined {
  if (query === undefined) return undefined;
  let text = query;
  for (const { count, span } of counted.toReversed()) {
    const clause = meantBy(count);
    if (clause === undefined || span === undefined) continue;
    text = text.slice(0, span.from) + clause + text.slice(span.to);
  }
  return text === query ? undefined : text;
}

/** `corrected` for a query without hits. If any word may match, only the suggestions remain. */
export function correctedWords(
  query: string | undefined,
  counted: readonly CountedClause[],
): string | undefined {
  const meant = corrected(query, counted);
  const written = counted.map(({ span }) => span && query?.slice(span.from, span.to));
  const isAll = written.join('') === query?.replace(/\s+/g, '');
  if (meant === undefined || !isAll || counted.some(({ isField }) => isField)) return meant;
  return counted.flatMap(({ count }) => meantBy(count) ?? []).join(' ');
}

/**
 * The same text in another spelling, else the word in another field, else the nearest word; of a
 * word with hits, it and the values that have it in them.
 */
function meantBy({ clause, total, suggestion, elsewhere }: ClauseCount): string | undefined {
  if (total > 0 && elsewhere !== undefined)
    return `(${[clause, ...elsewhere.map((one) => one.clause)].join(' OR ')})`;
  const isSame = suggestion !== undefined && isAlike(suggestion, clause);
  return isSame ? suggestion : (elsewhere?.[0]?.clause ?? suggestion);
}
