/**
 * Answers of aggregations as rows of one table: one a bucket, one a figure. `agg` is the name,
 * inner ones `outer/inner`; `within` are the keys of the buckets around as a JSON array; the rest
 * of the columns stand only where some row has them.
 */
import type { AggBucket, AggResult, AggResults, Facet } from '@lakehouse-search/contract';
import type { OutputRow } from '../../output/columns.ts';
import { columnsOf, kindOfValues } from '../../output/value-kinds.ts';
import type { RowTable } from '../../output/write-answer.ts';

/**
 * Facets as rows, one a value: `field`, `value`, `count`, and `other_count`, the documents in all
 * further values of the field. A field without values has no row.
 */
export function facetTable(facets: readonly Facet[]): RowTable {
  const columns = [
    { name: 'field', kind: 'text' as const },
    { name: 'value', kind: 'text' as const },
    { name: 'count', kind: 'long' as const },
    { name: 'other_count', kind: 'long' as const },
  ];
  const rows = facets.flatMap(({ field, buckets, other_count }) =>
    buckets.map(({ value, count }) => ({ field, value, count, other_count })),
  );
  return { columns, rows };
}

const NAMES = [
  ...['agg', 'within', 'key', 'from', 'to', 'doc_count', 'bg_count', 'score'],
  ...['count', 'min', 'max', 'sum', 'avg', 'percent', 'value', 'exact', 'standard_error'],
];

/** Columns of values of several fields, which may have several types. */
const MIXED: ReadonlySet<string> = new Set(['key', 'min', 'max', 'avg', 'value']);

/** The rows of all answers, in their order, inner ones after the bucket that they are of. */
export function aggregationTable(results: AggResults): RowTable {
  const rows = [...rowsOf(results, '', [])];
  const names = NAMES.filter((name) => rows.some((row) => present(row[name])));
  const columns = columnsOf(names.length === 0 ? ['agg'] : names, rows).map((column) =>
    MIXED.has(column.name) && kindOfValues(rows.map((row) => row[column.name])) === 'json'
      ? { ...column, kind: 'text' as const }
      : column,
  );
  return { columns, rows };
}

const present = (value: unknown): boolean => value !== null && value !== undefined;

function* rowsOf(results: AggResults, path: string, within: readonly unknown[]): Rows {
  const around = within.length === 0 ? {} : { within: [...within] };
  for (const [name, result] of Object.entries(results)) {
    yield* resultRows(result, { agg: path + name, ...around }, within);
  }
}
type Rows = Generator<OutputRow, void>;

function* resultRows(result: AggResult, head: OutputRow, within: readonly unknown[]): Rows {
  if ('buckets' in result) {
    for (const bucket of result.buckets) yield* bucketRows(bucket, head, within);
  } else if ('doc_count' in result) {
    const { aggs, ...figures } = result;
    yield { ...head, ...figures };
    if (aggs !== undefined) yield* rowsOf(aggs, `${head.agg}/`, within);
  } else if ('values' in result) {
    const { exact } = result;
    for (const { percent, value } of result.values) yield { ...head, percent, value, exact };
  } else yield { ...head, ...result };
}

function* bucketRows(bucket: AggBucket, head: OutputRow, within: readonly unknown[]): Rows {
  const { aggs, ...figures } = bucket;
  yield { ...head, ...figures };
  if (aggs !== undefined) yield* rowsOf(aggs, `${head.agg}/`, [...within, bucket.key]);
}
