import type { Facet, FacetsResponse, SearchResponse } from '@lakehouse-search/contract';
import { commandWords } from '../../terminal/errors/next-step.ts';
import { bar, count } from '../../terminal/figures.ts';
import { instantText } from '../../terminal/instants.ts';
import type { Style } from '../../terminal/style.ts';
import { cut, pad, printable, width } from '../../terminal/text.ts';

/** A value with its documents. */
export interface BarRow {
  readonly label: string;
  readonly count: number;
}

/**
 * Which fields have no facet and why, for standard error: `facet "title" skipped: it is TEXT, …`.
 */
export function skippedFacets({ skipped_facets: skipped = [] }: SearchResponse | FacetsResponse) {
  return skipped.map(({ field, reason }) =>
    printable(`facet "${field}" skipped: ${commandWords(reason)}`),
  );
}

/**
 * Facets as people read them: a field's values with bars, then what the others have together. The
 * bars of all fields begin at one column; each field's longest is its most frequent value.
 */
export function facetLines(facets: readonly Facet[], style: Style, columns: number): string[] {
  const head = Math.min(20, Math.max(0, ...facets.map(({ field }) => width(printable(field)))));
  const all = facets.map(({ field, buckets, other_count }) => {
    const rows = buckets.map(({ value, count: n }) => ({ label: instantText(value), count: n }));
    return {
      field,
      rows,
      more: other_count === 0 ? [] : [{ label: 'others', count: other_count }],
    };
  });
  const shown = all.flatMap(({ rows, more }) => [...rows, ...more]);
  const layout = shown.length === 0 ? undefined : barLayout(shown, columns - head - 2);
  return all.flatMap(({ field, rows, more }) => {
    const name = style.bold(pad(cut(printable(field), head), head));
    if (rows.length === 0 || layout === undefined) return [`${name}  ${style.dim('no values')}`];
    const lines = barLines(rows, more, style, layout);
    return lines.map((line, i) => `${i === 0 ? name : ' '.repeat(head)}  ${line}`);
  });
}

/** Columns of the labels, the figures and the longest bar. */
export interface BarLayout {
  readonly labels: number;
  readonly figures: number;
  readonly bars: number;
}

const LONGEST_BAR = 20;

/** What `rows` (at least one) need, in `columns`. */
export function barLayout(rows: readonly BarRow[], columns: number): BarLayout {
  const figures = Math.max(...rows.map((row) => width(count(row.count))));
  const widest = Math.max(...rows.map(({ label }) => width(printable(label))));
  const labels = Math.min(widest, Math.max(8, columns - figures - 10));
  return {
    labels,
    figures,
    bars: Math.max(0, Math.min(LONGEST_BAR, columns - labels - figures - 3)),
  };
}

/** A line a row: label, count, bar; then `others` without a bar, dim. */
export function barLines(
  rows: readonly BarRow[],
  others: readonly BarRow[],
  style: Style,
  { labels, figures, bars }: BarLayout,
): string[] {
  const most = Math.max(...rows.map((row) => row.count), 1);
  const line = (row: BarRow) =>
    `${pad(cut(printable(row.label), labels), labels)}  ${pad(count(row.count), figures, 'right')}`;
  return [
    ...rows.map((row) => `${line(row)} ${style.cyan(bar(row.count / most, bars))}`.trimEnd()),
    ...others.map((row) => style.dim(line(row))),
  ];
}
