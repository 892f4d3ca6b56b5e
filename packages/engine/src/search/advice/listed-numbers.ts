import type { SearchRequest } from '@lakehouse-search/contract';
import { hasValues } from '../../query/bind/fields.ts';
import { escapeField } from '../../query/syntax/characters.ts';
import { queryFields } from '../../shard/request/query-fields.ts';
import type { SearchContext } from '../context.ts';
import { PLAIN, TRIED_FIELDS } from './meant.ts';
import { type Counted, totalWith } from './meant-queries.ts';

const NUMBER = String.raw`-?\d{1,15}(?:\.\d+)?`;
const LIST = new RegExp(String.raw`^\s*${NUMBER}(?:\s*[,;]\s*${NUMBER}){1,2}\s*$`);

/** Queries that the next number is added to: those with the most rows. */
const EXTENDED = 4;

interface OfFields extends Counted {
  /** The fields of the clauses. */
  readonly names: readonly string[];
}

/**
 * The query with the most rows for a list such as `40.7484, -73.9967`, each number the value of
 * another field; undefined: there is none, or the text is no such list.
 */
export async function listedNumbers(
  context: SearchContext,
  request: SearchRequest,
): Promise<Counted | undefined> {
  const { query: text = '' } = request;
  const fields = queryFields(context.mapping);
  const plans = [...fields.plans.values()].filter((plan) => hasValues(fields, plan));
  let found: readonly OfFields[] = [{ query: '', names: [], total: 0 }];
  for (const number of LIST.test(text) ? (text.match(/-?[\d.]+/g) ?? []) : []) {
    const holding = plans.filter(({ type }) => PLAIN[type]?.test(number)).slice(0, TRIED_FIELDS);
    const longer: OfFields[] = [];
    for (const { query, names } of found) {
      for (const { name } of holding.filter((plan) => !names.includes(plan.name))) {
        const both = `${query === '' ? '' : `${query} AND `}${escapeField(name)}:${number}`;
        const total = await totalWith(context, request, 'query', both);
        if (total) longer.push({ query: both, names: [...names, name], total });
      }
    }
    found = longer.toSorted((a, b) => b.total - a.total).slice(0, EXTENDED);
  }
  const [best] = found;
  return best?.total ? best : undefined;
}
