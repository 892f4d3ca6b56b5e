import type { SearchRequest } from '@lakehouse-search/contract';
import { escapeField } from '../../../query/syntax/characters.ts';
import type { FieldPlan } from '../../../schema/field-plan.ts';
import type { SearchContext } from '../../context.ts';
import { type Reasoned, totalWith } from '../meant-queries.ts';
import { fieldsOfWords } from '../together/in-fields.ts';

const DATE = String.raw`(\d{4}(?:-\d\d){0,2})`;
const BETWEEN = new RegExp(
  String.raw`^\s*(?:between|from)\s+${DATE}\s+(?:and|to)\s+${DATE}\s*$`,
  'i',
);

/** Whether a field has dates or years. */
export const hasYears = ({ type, name }: FieldPlan): boolean =>
  type === 'DATE' || (type === 'LONG' && /year/i.test(name));

/** The range with the most rows of a field of dates or years for `between 2008 and 2009`; undefined: none. */
export async function betweenDates(
  context: SearchContext,
  request: SearchRequest,
): Promise<Reasoned | undefined> {
  const [written, from, to] = BETWEEN.exec(request.query ?? '') ?? [];
  if (written === undefined) return undefined;
  let best: Reasoned | undefined;
  for (const { name } of fieldsOfWords(context).filter(hasYears)) {
    const query = `${escapeField(name)}:[${from} TO ${to}]`;
    const total = (await totalWith(context, request, 'query', query)) ?? 0;
    if (total > (best?.total ?? 0))
      best = { why: `"${written}" is searched as words`, query, total };
  }
  return best;
}
