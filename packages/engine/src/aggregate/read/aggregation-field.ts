import { LhsError } from '@lakehouse-search/contract';
import { fastHint } from '../../query/bind/bounds.ts';
import {
  changeHint,
  fastField,
  fastNames,
  findField,
  type QueryFields,
  unknownFieldHint,
} from '../../query/bind/fields.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';

const DAY_MS = 86_400_000;

/** How numbers such as years or milliseconds since 1970 are grouped. */
const numberHint = (field: string): string =>
  `take {"histogram": ${JSON.stringify({ field, interval: 10 })}}: decades of years, ` +
  `or "interval": ${DAY_MS}: days of milliseconds`;

/**
 * The field that an aggregation names. Throws invalid_argument where the index has none of that
 * name, where neither it nor a field with its whole values is fast (with the setting that makes it
 * so), or of another type.
 */
export function aggregationField(
  name: string,
  kind: string,
  path: string,
  fields: QueryFields,
  types?: readonly string[],
): FieldPlan {
  const plan = declaredField(name, path, fields);
  const fast = fastField(plan, fields);
  if (fast === undefined) {
    const message = `"${path}" needs a fast field: "${name}" is ${plan.type} without fast`;
    const others = kind === 'cardinality' ? '' : undefined;
    throw new LhsError('invalid_argument', message, { hint: fastHint(plan, fields, others) });
  }
  if (types === undefined || types.includes(fast.type)) return fast;
  const allowed = types.join(', ');
  const message = `"${path}": ${kind} needs a field of ${allowed}; "${name}" is ${plan.type}`;
  const isNumber = plan.type === 'LONG' || plan.type === 'DOUBLE';
  const hint = kind.startsWith('date_') && isNumber ? numberHint(name) : fastNames(fields, types);
  throw new LhsError('invalid_argument', message, { hint });
}

/** What to do about a path without a declared field. */
export const declareHint = (path: string, { index }: QueryFields): string =>
  changeHint(`declare "${path}" as a fast field of a shape`, index);

/** A field of the mapping by name. Throws invalid_argument with the nearest name. */
export function declaredField(name: string, path: string, fields: QueryFields): FieldPlan {
  const found = findField(fields, name);
  if (found?.kind === 'field') return found.plan;
  const message =
    found === undefined
      ? `"${path}" names field "${name}", which is not in index "${fields.index}"`
      : `"${path}" names "${name}", a path without a declared field`;
  const advice =
    found === undefined ? unknownFieldHint(fields, name) : { hint: declareHint(name, fields) };
  throw new LhsError('invalid_argument', message, advice);
}
