/** A number of a query that its texts have, as the value of a field: `roosevelt 1941`, `30`. */
import type { SearchRequest } from '@lakehouse-search/contract';
import { escapeField, escapeWord, quote } from '../../../query/syntax/characters.ts';
import type { SearchContext } from '../../context.ts';
import { hasYears } from '../dates/between-dates.ts';
import { TRIED_FIELDS } from '../guesser.ts';
import { PLAIN } from '../meant.ts';
import { type Reasoned, totalWith } from '../meant-queries.ts';
import { fieldsOfWords } from '../together/in-fields.ts';

const WORD = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}'-]*$/u;
const OPERATOR = /^(?:and|or|not)$/i;
const YEAR = /^[12]\d{3}$/;

/**
 * The query with most rows in which a number is the value of a field: a year beside other words or
 * alone, or a short number alone that more rows have as a value. Undefined: there is none.
 */
export async function numberAmong(
  context: SearchContext,
  request: SearchRequest,
  total: number,
): Promise<Reasoned | undefined> {
  const words = (request.query ?? '').trim().split(/\s+/);
  const [number, ...others] = words.filter((word) => /^\d+$/.test(word));
  const isPlain = words.every((word) => WORD.test(word) && !OPERATOR.test(word));
  if (total === 0 || number === undefined || others.length > 0 || !isPlain) return undefined;
  const beside = words.filter((word) => word !== number).map(escapeWord);
  if (beside.length > 0 && !YEAR.test(number)) return undefined;
  const countOf = async (query: string) => (await totalWith(context, request, 'query', query)) ?? 0;
  if (beside.length > 0 && (await countOf(quote(words.join(' ')))) > 0) return undefined;
  let best: Reasoned | undefined;
  for (const plan of fieldsWith(number, context, beside.length > 0)) {
    const query = [`${escapeField(plan.name)}:${number}`, ...beside].join(' AND ');
    const found = await countOf(query);
    const isMore = found > (best?.total ?? 0) && found !== total;
    // more rows with a long number beside those with it in their texts are another note
    const isElsewhere = beside.length === 0 && number.length > 3 && found > total;
    if (!isMore || isElsewhere || (found < total && !hasYears(plan))) continue;
    best = { why: `"${number}" may be a value of ${plan.name}`, query, total: found };
  }
  return best;
}

/** The fields of numbers and dates that may have a number; of years and dates only, or all. */
const fieldsWith = (number: string, context: SearchContext, isYear: boolean) =>
  fieldsOfWords(context)
    .filter((plan) => PLAIN[plan.type]?.test(number) && (!isYear || hasYears(plan)))
    .slice(0, TRIED_FIELDS);
