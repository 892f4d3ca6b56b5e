import { parsePeriod, settleRelativeDate } from '../../schema/values/date-period.ts';
import { type Bound, mapLeaves, type Query } from '../query.ts';
import { findField, type QueryFields } from './fields.ts';

/**
 * The query with `now` in its DATE values written out, so that all shards and steps of a request
 * mean one instant. `now`: milliseconds since 1970. Filters of `knn` nodes keep theirs: they are
 * requests of their own.
 */
export const settleDates = (query: Query, fields: QueryFields, now: number): Query =>
  mapLeaves(query, (leaf) =>
    isValued(leaf) && isDate(leaf.field, fields) ? settleValues(leaf, now) : leaf,
  );

function isDate(name: string, fields: QueryFields): boolean {
  const found = findField(fields, name);
  return found?.kind === 'field' && found.plan.type === 'DATE';
}

type Valued = Extract<Query, { kind: 'term' | 'terms' | 'phrase' | 'match' | 'range' }>;

const isValued = (query: Query): query is Valued =>
  ['term', 'terms', 'phrase', 'match', 'range'].includes(query.kind);

function settleValues(query: Valued, now: number): Query {
  // A text that is no date stays as it was written, for the message about it.
  const text = (value: string) =>
    parsePeriod(value, now) === null ? value : settleRelativeDate(value, now);
  if (query.kind === 'range') {
    const { lower, upper } = query;
    const bound = (one: Bound | undefined) => one && { ...one, value: text(one.value) };
    return Object.freeze({ ...query, lower: bound(lower), upper: bound(upper) });
  }
  if (query.kind === 'terms') return Object.freeze({ ...query, values: query.values.map(text) });
  return Object.freeze({ ...query, value: text(query.value) });
}
