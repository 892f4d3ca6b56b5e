/** Conditions such as `rating > 8` of fields that an index lacks, in a query string that fails. */
import type { LhsError } from '@lakehouse-search/contract';
import { meantQuery } from './correction.ts';
import { type QueryFields, unknownField } from './fields.ts';
import { conditionClauses, conditionsIn, type NameOf } from './written-conditions.ts';

/** The error of the condition in which another error is; undefined: it is in none. */
export function unknownCondition(
  { place }: LhsError,
  text: string,
  fields: QueryFields,
): LhsError | undefined {
  if (place === undefined) return undefined;
  const unknown = conditionsIn(text, fields).find(
    ({ from, to, field }) => field === undefined && from <= place.from && place.from < to,
  );
  if (unknown === undefined) return undefined;
  const { from, read } = unknown;
  return unknownField(fields, read.name, text, { from, to: from + read.name.length });
}

/** The query string with its conditions as clauses; undefined: it has none. */
export function asClauses(text: string, fields: QueryFields): string | undefined {
  const named: NameOf = ({ field, read }) => field ?? read.name;
  return meantQuery(
    text,
    conditionClauses(text, fields, () => '', named),
  )?.query;
}
