import { fieldNamed, type QueryFields } from '../../../query/bind/fields.ts';

const CALL = /^\s*(avg|average|mean|sum|min|max)\s*\(\s*([^()]+?)\s*\)\s*$/i;

/** What a query such as `avg(Sales)` is, if it names a field; undefined: it is none. */
export function asAggregation(text: string, fields: QueryFields): string | undefined {
  const [, called = '', name = ''] = CALL.exec(text) ?? [];
  const field = fieldNamed(fields, name);
  if (field === undefined) return undefined;
  const kind = /^(?:average|mean)$/i.test(called) ? 'avg' : called.toLowerCase();
  const aggs = `{"${kind}": {"${kind}": {"field": ${JSON.stringify(field)}}}}`;
  return `${text} is no query: it is the aggregation ${aggs}`;
}
