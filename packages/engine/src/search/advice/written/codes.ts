import type { ClauseElsewhere } from '@lakehouse-search/contract';
import { visiblePlans } from '../../../query/bind/fields.ts';
import type { Query } from '../../../query/query.ts';
import { escapeField } from '../../../query/syntax/characters.ts';
import { queryFields } from '../../../shard/request/query-fields.ts';
import { type Guesser, TRIED_FIELDS } from '../guesser.ts';

const CODES = /^(\p{L}{1,4})(\d{1,9})[-–]\1?(\d{1,9})$/u;
/** Codes of a range that are listed, at most. */
const LISTED = 16;

/** The codes of `E10-E14` or `E10-14`; none if it is no such text. */
export function codesOf(text: string): readonly string[] {
  const [, letters, from = '', to = ''] = CODES.exec(text) ?? [];
  const count = from.length === to.length ? Number(to) - Number(from) + 1 : 0;
  return Array.from({ length: count > 1 && count <= LISTED ? count : 0 }, (_, i) => {
    return letters + String(Number(from) + i).padStart(from.length, '0');
  });
}

/** The codes of a bare `E10-E14` in fields of whole values, with those that begin with them. */
export async function codesElsewhere(
  { context, count }: Guesser,
  text: string,
): Promise<readonly ClauseElsewhere[]> {
  const codes = codesOf(text);
  const visible = visiblePlans(queryFields(context.mapping));
  const plans = visible.filter(({ inverted }) => inverted?.kind === 'keyword');
  const found: ClauseElsewhere[] = [];
  for (const { name: field } of codes.length === 0 ? [] : plans.slice(0, TRIED_FIELDS)) {
    const should = codes.map((value): Query => ({ kind: 'prefix', field, value }));
    const total = await count({ kind: 'bool', must: [], should, must_not: [], filter: [] });
    const values = codes.map((code) => `${code}*`).join(' OR ');
    if (total > 0) found.push({ clause: `${escapeField(field)}:(${values})`, total });
  }
  return found;
}
