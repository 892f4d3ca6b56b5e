import type { Facet } from '@lakehouse-search/engine';
import { bar } from '../terminal/bars.ts';
import { count } from '../terminal/figures.ts';
import type { Style } from '../terminal/style.ts';
import { cut, pad, printable, width } from '../terminal/text.ts';

/** A value with its documents. */
export interface BarRow {
  readonly label: string;
  readonly count: number;
}

/** Facets as people read them: a field's values with bars, then what the others have together. */
export function facetLines(facets: readonly Facet[], style: Style, columns: number): string[] {
  const head = Math.min(20, Math.max(0, ...facets.map(({ field }) => width(field))));
  return facets.flatMap(({ field, buckets, other_count }) => {
    const rows = buckets.map(({ value, count: n }) => ({ label: value, count: n }));
    if (rows.length === 0) return [`${pad(cut(field, head), head)}  ${style.dim('no values')}`];
    const more = other_count === 0 ? [] : [{ label: 'others', count: other_count }];
    const lines = barLines(rows, more, style, columns - head - 2);
    const blank = ' '.repeat(head);
    return lines.map((line, i) => {
      const name = i === 0 ? style.bold(pad(cut(field, head), head)) : blank;
      return `${name}  ${line}`;
    });
  });
}

const LONGEST_BAR = 20;

/** A line a row: label, count, bar; then `others` without a bar, dim. */
export function barLines(
  rows: readonly BarRow[],
  others: readonly BarRow[],
  style: Style,
  columns: number,
): string[] {
  const all = [...rows, ...others];
  const figures = Math.max(...all.map((row) => width(count(row.count))));
  const widest = Math.max(...all.map(({ label }) => width(label)));
  const labels = Math.min(widest, Math.max(8, columns - figures - 10));
  const room = Math.max(0, Math.min(LONGEST_BAR, columns - labels - figures - 3));
  const most = Math.max(...rows.map((row) => row.count), 1);
  const line = (row: BarRow) =>
    `${pad(cut(printable(row.label), labels), labels)}  ${pad(count(row.count), figures, 'right')}`;
  return [
    ...rows.map((row) => `${line(row)} ${style.cyan(bar(row.count / most, room))}`.trimEnd()),
    ...others.map((row) => style.dim(line(row))),
  ];
}
