import type { Query } from '../../../query/query.ts';
import { printQuery } from '../../../query/syntax/print.ts';
import { queryFields } from '../../../shard/request/query-fields.ts';
import { type Guesser, leavesOf } from '../guesser.ts';
import { withTotal } from '../meant-queries.ts';
import type { MeantWord } from '../meant-word.ts';
import { wholePeriod } from './whole-period.ts';

/** The clause of the whole period that a clause names, if it finds more than the clause. */
export async function meantPeriod(
  { context, count }: Guesser,
  node: Query,
  total: number,
): Promise<MeantWord | undefined> {
  const fields = queryFields(context.mapping);
  for (const query of leavesOf(node).flatMap((leaf) => wholePeriod(leaf, fields) ?? [])) {
    const clause = printQuery(query);
    const found = await count(query);
    if (clause === undefined || found <= total) continue;
    const note = `a date is its first instant: ${clause} takes all of it`;
    return { clause, total: found, note: total === 0 ? note : withTotal(note, found) };
  }
  return undefined;
}
