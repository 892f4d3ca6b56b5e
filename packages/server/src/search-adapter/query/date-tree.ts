/** Clauses on DATE fields: numbers are milliseconds since 1970, and texts cover what they write. */
import type { Json, JsonObject } from '@lakehouse-search/contract';
import { shown } from './body.ts';
import { type Instant, millisInstant, readInstant } from './date-instant.ts';
import type { TableField } from './field-table.ts';
import { illegal } from './refusal.ts';
import type { QueryScope, Tree } from './scope.ts';

/** `format` and `time_zone` of a query. */
export interface DateOptions {
  readonly format?: string | undefined;
  readonly timeZone?: string | undefined;
}

/** The instants of a value of a DATE field. Throws RefusedDsl. */
export function dateInstant(
  field: TableField,
  value: Json,
  options: DateOptions,
  { fields: { now } }: QueryScope,
): Instant {
  const isSeconds = options.format === 'epoch_second';
  if (typeof value === 'number' && Number.isFinite(value) && !isSeconds) {
    if (Math.abs(value) <= 8.64e15) return millisInstant(value);
  } else if (typeof value === 'string' || typeof value === 'number') {
    return readInstant(String(value), { ...options, now }, field.name);
  }
  throw illegal(`failed to parse date [${shown(value)}] of field [${field.name}]`);
}

/** A day, a second, a millisecond: all that a value of a DATE field covers. */
export function dateTerm(
  field: TableField,
  value: Json,
  options: DateOptions,
  scope: QueryScope,
): Tree {
  const { first, last } = dateInstant(field, value, options, scope);
  return { range: { field: field.name, gte: String(first), lte: String(last) } };
}

/** The bounds of a range of dates: `gt` and `lte` round up. */
export function dateBounds(
  field: TableField,
  bounds: JsonObject,
  options: DateOptions,
  scope: QueryScope,
): JsonObject {
  const read = Object.entries(bounds).map(([name, value]) => {
    const { first, last } = dateInstant(field, value, options, scope);
    return [name, String(name === 'gt' || name === 'lte' ? last : first)];
  });
  return Object.fromEntries(read);
}
