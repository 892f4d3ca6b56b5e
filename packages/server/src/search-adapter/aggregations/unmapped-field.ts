/** Aggregations over a field that no index of the search has: no document has a value. */
import type { AggBucket, JsonObject } from '@lakehouse-search/contract';
import { isObject } from '../query/body.ts';
import { findExactField } from '../query/field-table.ts';
import { type AggPart, type AggSource, bucketOf, withSubs } from './agg-part.ts';

const NO_TERMS = { doc_count_error_upper_bound: 0, sum_other_doc_count: 0, buckets: [] };
const NO_STATS = { count: 0, min: null, max: null, avg: null, sum: 0 };

/** Results by kind, and the prefix of `typed_keys`. */
const RESULTS: Readonly<Record<string, readonly [type: string, result: JsonObject]>> = {
  terms: ['umterms', NO_TERMS],
  significant_terms: ['umsigterms', { buckets: [] }],
  avg: ['avg', { value: null }],
  min: ['min', { value: null }],
  max: ['max', { value: null }],
  sum: ['sum', { value: 0 }],
  stats: ['stats', NO_STATS],
  value_count: ['value_count', { value: 0 }],
  cardinality: ['cardinality', { value: 0 }],
  date_histogram: ['date_histogram', { buckets: [] }],
  histogram: ['histogram', { buckets: [] }],
};
const NEVER_EMPTY = ['missing', 'extended_bounds', 'keyed'];

/** The part of an aggregation over an unknown field; undefined: it has another answer. */
export function unmappedPart({ name, body, subs, index }: AggSource, kind: string) {
  if (!isObject(body) || typeof body.field !== 'string' || body.field.startsWith('_')) return;
  if (findExactField(index.table, body.field) !== undefined) return;
  if (kind === 'missing') return everyDocument(name, subs);
  const known = Object.hasOwn(RESULTS, kind) ? RESULTS[kind] : undefined;
  if (known === undefined || NEVER_EMPTY.some((option) => body[option] !== undefined)) return;
  return { type: known[0], specs: {}, finish: () => known[1] };
}

const everyDocument = (name: string, subs: AggSource['subs']): AggPart => ({
  type: 'missing',
  specs: { [name]: withSubs({ filter: { match_all: {} } }, subs) },
  finish: (results) => bucketOf({}, results[name] as Pick<AggBucket, 'doc_count' | 'aggs'>, subs),
});
