import type { ClauseElsewhere } from '@lakehouse-search/contract';
import { readPeriod } from '../../../query/bind/comparison.ts';
import { printQuery } from '../../../query/syntax/print.ts';
import { queryFields } from '../../../shard/request/query-fields.ts';
import { countIfValid } from '../count-if-valid.ts';
import { type Guesser, TRIED_FIELDS } from '../guesser.ts';

const TYPES: ReadonlySet<string> = new Set(['LONG', 'DOUBLE', 'DATE']);

/** A bare period, such as `1990..1999`, in fields of numbers and dates. */
export async function periodsElsewhere(
  { context, count }: Guesser,
  text: string,
): Promise<readonly ClauseElsewhere[]> {
  const [from, to] = readPeriod(text, true) ?? [];
  if (from === undefined || to === undefined) return [];
  const [lower, upper] = [from, to].map((value) => ({ value, inclusive: true }));
  const { plans, fast } = queryFields(context.mapping);
  const fields = [...plans.values()].filter(({ id, type }) => TYPES.has(type) && fast.has(id));
  const found: ClauseElsewhere[] = [];
  for (const { name: field } of fields.slice(0, TRIED_FIELDS)) {
    const query = { kind: 'range', field, lower, upper } as const;
    const clause = printQuery(query);
    const total = (await countIfValid(count, query)) ?? 0;
    if (clause !== undefined && total > 0) found.push({ clause, total });
  }
  return found;
}
