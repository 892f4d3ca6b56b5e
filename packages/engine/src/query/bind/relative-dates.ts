import { parsePeriod, settleRelativeDate } from '../../schema/date-period.ts';
import type { Bound, Query } from '../query.ts';
import { findField, type QueryFields } from './fields.ts';

/**
 * The query with `now` in its DATE values written out, so that all shards and steps of a request
 * mean one instant. `now`: milliseconds since 1970. Filters of `knn` nodes keep theirs: they are
 * requests of their own.
 */
export function settleDates(query: Query, fields: QueryFields, now: number): Query {
  const settle = (part: Query) => settleDates(part, fields, now);
  switch (query.kind) {
    case 'bool': {
      const { must, should, must_not, filter } = query;
      const parts = { must, should, must_not, filter };
      const settled = Object.entries(parts).map(([name, list]) => [name, list.map(settle)]);
      return Object.freeze({ ...query, ...Object.fromEntries(settled) });
    }
    case 'boost':
      return Object.freeze({ ...query, query: settle(query.query) });
    case 'dis_max':
      return Object.freeze({ ...query, queries: query.queries.map(settle) });
    case 'constant_score':
      return Object.freeze({ ...query, filter: settle(query.filter) });
    case 'boosting': {
      const { positive, negative } = query;
      const parts = { positive: settle(positive), negative: settle(negative) };
      return Object.freeze({ ...query, ...parts });
    }
    case 'term':
    case 'terms':
    case 'phrase':
    case 'match':
    case 'range':
      return isDate(query.field, fields) ? settleValues(query, now) : query;
    default:
      return query;
  }
}

function isDate(name: string, fields: QueryFields): boolean {
  const found = findField(fields, name);
  return found?.kind === 'field' && found.plan.type === 'DATE';
}

type Valued = Extract<Query, { kind: 'term' | 'terms' | 'phrase' | 'match' | 'range' }>;

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
