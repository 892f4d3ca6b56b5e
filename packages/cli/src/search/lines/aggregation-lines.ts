/**
 * Results of aggregations as people read them: bars, a sparkline for times, figures in a line.
 * Dates are texts.
 */
import type {
  AggBucket,
  AggResult,
  AggResults,
  AggSpecs,
  Json,
  JsonObject,
} from '@lakehouse-search/contract';
import { count, sparkline } from '../../terminal/figures.ts';
import { instantText } from '../../terminal/instants.ts';
import type { Style } from '../../terminal/style.ts';
import { cut, pad, printable, width, wrap } from '../../terminal/text.ts';
import { barLayout, barLines } from './facet-lines.ts';

/** The lines of all aggregations, each under its name. `specs`: the request. */
export function aggregationLines(
  results: AggResults,
  specs: AggSpecs,
  style: Style,
  columns: number,
): string[] {
  const names = Object.keys(results);
  const head = Math.min(24, Math.max(0, ...names.map(width)));
  return names.flatMap((name) => {
    const spec = (specs[name] ?? {}) as JsonObject;
    const lines = resultLines(results[name], spec, style, columns - head - 2);
    return lines.map((line, i) => {
      const shown = i === 0 ? style.bold(pad(cut(printable(name), head), head)) : ' '.repeat(head);
      return `${shown}  ${line}`;
    });
  });
}

function resultLines(result: AggResult, spec: JsonObject, style: Style, columns: number): string[] {
  const nested = (spec.aggs ?? {}) as AggSpecs;
  if ('buckets' in result) {
    if (result.buckets.length === 0) return [style.dim('nothing')];
    const isLong = isOfTimes(spec) || (isOfNumbers(spec) && result.buckets.length > MOST_BARS);
    const lines =
      isLong && Object.keys(nested).length === 0
        ? [lineOfLevels(result.buckets, style, columns)]
        : bucketLines(result, nested, style, columns);
    return [...lines, ...cutLines(result, style)];
  }
  if ('doc_count' in result) {
    const inner = result.aggs === undefined ? [] : nestedLines(result.aggs, nested, style, columns);
    return [count(result.doc_count), ...inner];
  }
  return wrap(figures(result, style), columns, '');
}

type Buckets = Extract<AggResult, { readonly buckets: readonly AggBucket[] }>;

/** What `size` left out. */
function cutLines(result: Buckets, style: Style): string[] {
  if (!('total_buckets' in result) || result.total_buckets === undefined) return [];
  const [n, all] = [count(result.buckets.length), count(result.total_buckets)];
  return [style.dim(`${n} of ${all} buckets shown; raise size`)];
}

function bucketLines(result: Buckets, nested: AggSpecs, style: Style, columns: number): string[] {
  const rows = result.buckets.map(({ key, doc_count: n, bg_count: all }) => {
    const label = all === undefined ? keyText(key) : `${keyText(key)} of ${count(all)}`;
    return { label, count: n };
  });
  const left = 'sum_other_doc_count' in result ? result.sum_other_doc_count : 0;
  const others = left === 0 ? [] : [{ label: 'others', count: left }];
  const lines = barLines(rows, others, style, barLayout([...rows, ...others], columns));
  return lines.flatMap((line, i) => {
    const aggs = result.buckets[i]?.aggs;
    return aggs === undefined ? [line] : [line, ...nestedLines(aggs, nested, style, columns)];
  });
}

function nestedLines(aggs: AggResults, specs: AggSpecs, style: Style, columns: number): string[] {
  return aggregationLines(aggs, specs, style, columns - 2).map((line) => `  ${line}`);
}

const isOfTimes = (spec: JsonObject): boolean =>
  'date_histogram' in spec || 'DateHistogram' in spec;
const isOfNumbers = (spec: JsonObject): boolean => 'histogram' in spec || 'Histogram' in spec;

/** A histogram of numbers with more buckets is a line of levels. */
const MOST_BARS = 20;

/** `2025-09-01 ▂▃▃▅▇█▆▅ 2025-12-01  0 to 1,322, most at 2025-10-14`. */
function lineOfLevels(buckets: readonly AggBucket[], style: Style, columns: number): string {
  const counts = buckets.map((bucket) => bucket.doc_count);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const peak = keyText(buckets[counts.indexOf(most)].key);
  const [from, to] = [keyText(buckets[0].key), keyText(buckets.at(-1)!.key)];
  const scale =
    least === most ? `${count(least)} each` : `${count(least)} to ${count(most)}, most at ${peak}`;
  const tail = `${to}  ${scale}`;
  const room = Math.max(8, Math.min(60, columns - width(from) - width(tail) - 2));
  return `${from} ${style.cyan(sparkline(counts, room))} ${tail}`;
}

function figures(result: AggResult, style: Style): string {
  if ('values' in result) {
    const parts = result.values.map(({ percent, value }) => `p${percent} ${figure(value)}`);
    return [...parts, ...(result.exact ? [] : [style.dim('estimated')])].join(' · ');
  }
  if ('value' in result) {
    if (!('exact' in result)) return figure(result.value);
    const { value, exact, standard_error: error } = result;
    return exact ? count(value) : `about ${count(value)} (± ${((error ?? 0) * 100).toFixed(1)} %)`;
  }
  if (!('avg' in result)) return '';
  const { count: n, min, max, sum, avg } = result;
  const parts = sum === null && n > 0 ? { min, max, avg } : { min, max, sum, avg };
  const shown = Object.entries(parts).map(([name, value]) => `${name} ${figure(value)}`);
  return [`count ${count(n)}`, ...shown].join(' · ');
}

/** Four digits may be a year. */
const keyText = (key: Json): string =>
  typeof key === 'number' && Number.isInteger(key) && Math.abs(key) < 10_000
    ? String(key)
    : figure(key);

function figure(value: Json): string {
  if (typeof value !== 'number') return value === null ? '-' : instantText(String(value));
  if (Number.isInteger(value)) return count(value);
  const digits = Math.trunc(Math.abs(value)).toFixed(0).length;
  return String(Number(value.toPrecision(Math.min(15, Math.max(6, digits + 2)))));
}
