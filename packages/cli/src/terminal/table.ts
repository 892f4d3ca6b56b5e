import { cut, pad, printable, width } from './text.ts';

/** A column of a printed table; figures stand right. */
export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

/**
 * Aligned columns without a box. Where a line would not fit, the last column is cut, then the
 * widest of those that stand left; with no rows, only the titles. Cells are plain texts, from
 * anywhere. Returns lines.
 */
export function table(
  columns: readonly Column[],
  texts: readonly (readonly string[])[],
  terminalWidth: number,
  title: (text: string) => string = (text) => text,
): string[] {
  const rows = texts.map((cells) => cells.map(printable));
  const widths = columns.map((c, i) => Math.max(width(c.title), ...rows.map((r) => width(r[i]))));
  fit(widths, columns, terminalWidth - 2 * (columns.length - 1));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => pad(cut(cell, widths[i]), widths[i], columns[i].align ?? 'left'))
      .join('  ')
      .trimEnd();
  return [title(line(columns.map((c) => c.title))), ...rows.map(line)];
}

const LEAST = 8;

/** Narrows the columns until they fit into `room`; figures are never cut. */
function fit(widths: number[], columns: readonly Column[], room: number): void {
  const last = columns.length - 1;
  let over = widths.reduce((a, b) => a + b, 0) - room;
  const narrow = (i: number) => {
    const by = Math.max(0, Math.min(over, widths[i] - LEAST));
    widths[i] -= by;
    over -= by;
  };
  narrow(last);
  const others = columns.flatMap((c, i) => (i === last || c.align === 'right' ? [] : [i]));
  for (const i of others.sort((a, b) => widths[b] - widths[a])) narrow(i);
}
