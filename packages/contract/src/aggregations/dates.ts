/** Dates in the results of aggregations, in the form in which hits have them. */
import type { Json } from '../json.ts';
import type { AggSpec, AggSpecs } from '../search/agg-spec.ts';
import type { AggBucket, AggResult, AggResults } from '../search/response.ts';

const MICROS = 1_000_000n;

/** Microseconds since 1970 as ISO 8601; other values, and years that Date lacks, unchanged. */
export function isoInstant<T extends Json>(micros: T): T | string {
  if (typeof micros !== 'number' && !/^-?\d+$/.test(String(micros))) return micros;
  const whole = BigInt(typeof micros === 'number' ? Math.floor(micros) : String(micros));
  const fraction = ((whole % MICROS) + MICROS) % MICROS;
  const at = new Date(Number((whole - fraction) / 1000n));
  if (Number.isNaN(at.getTime())) return micros;
  return `${at.toISOString().slice(0, -5)}.${String(fraction).padStart(6, '0')}Z`;
}

/** Kinds whose figures are values of the field. */
const FIGURES = ['stats', 'min', 'max', 'avg', 'percentiles'];

/**
 * Results with ISO 8601 texts in place of microseconds since 1970: keys of date histograms, and
 * figures of the fields in `dates`. A sum of dates means nothing: it is null. `specs`: the request.
 */
export function withDates(
  results: AggResults,
  specs: AggSpecs,
  dates: ReadonlySet<string>,
): AggResults {
  const entries = Object.entries(results).map(([name, result]): [string, AggResult] => {
    const { aggs = {}, ...kinds }: Partial<AggSpec> & { aggs?: AggSpecs } = specs[name] ?? {};
    const [[tag, options] = ['', null]] = Object.entries(kinds);
    const kind = tag.replace(/(?!^)[A-Z]/g, '_$&').toLowerCase();
    const inner = { specs: aggs, dates };
    if ('buckets' in result) return [name, datedBuckets(result, kind, inner)];
    if ('doc_count' in result) return [name, datedBucket(result, inner)];
    const { field } = (options ?? {}) as { readonly field?: string };
    const isDate = FIGURES.includes(kind) && dates.has(field ?? '');
    return [name, isDate ? datedFigures(result) : result];
  });
  return Object.fromEntries(entries);
}

interface Inner {
  readonly specs: AggSpecs;
  readonly dates: ReadonlySet<string>;
}

function datedBuckets<Result extends { readonly buckets: readonly AggBucket[] }>(
  result: Result,
  kind: string,
  inner: Inner,
): Result {
  const buckets = result.buckets.map((bucket) => {
    const key = kind === 'date_histogram' ? isoInstant(bucket.key) : bucket.key;
    return datedBucket({ ...bucket, key }, inner);
  });
  return { ...result, buckets };
}

function datedBucket<Bucket extends { readonly aggs?: AggResults }>(
  bucket: Bucket,
  { specs, dates }: Inner,
): Bucket {
  if (bucket.aggs === undefined) return bucket;
  return { ...bucket, aggs: withDates(bucket.aggs, specs, dates) };
}

function datedFigures(result: AggResult): AggResult {
  if ('values' in result) {
    const values = result.values.map(({ percent, value }) => ({
      percent,
      value: isoInstant(value),
    }));
    return { ...result, values };
  }
  if ('avg' in result) {
    const { count, min, max, avg } = result;
    const dated = { min: isoInstant(min), max: isoInstant(max), avg: isoInstant(avg) };
    return { count, ...dated, sum: null };
  }
  if (!('value' in result)) return result;
  return { ...result, value: isoInstant<number | string | null>(result.value) };
}
