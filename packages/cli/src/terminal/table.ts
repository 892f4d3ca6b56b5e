import { cut, pad, width } from './text.ts';

/** A column of a printed table; figures stand right. */
export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

/**
 * Aligned columns without a box. The last column is cut where the line would not fit; with no rows,
 * only the titles. Returns lines.
 */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  terminalWidth: number,
  title: (text: string) => string = (text) => text,
): string[] {
  const widths = columns.map((c, i) => Math.max(width(c.title), ...rows.map((r) => width(r[i]))));
  const gaps = 2 * (columns.length - 1);
  const last = columns.length - 1;
  const before = widths.slice(0, last).reduce((a, b) => a + b, 0) + gaps;
  widths[last] = Math.max(8, Math.min(widths[last], terminalWidth - before));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) =>
        pad(
          i === last ? cut(cell, widths[i]) : cell,
          widths[i],
          columns[i].align === 'right' ? 'right' : 'left',
        ),
      )
      .join('  ')
      .trimEnd();
  return [title(line(columns.map((c) => c.title))), ...rows.map(line)];
}
