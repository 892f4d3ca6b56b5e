const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
const LEVELS = '▁▂▃▄▅▆▇█';

/** A bar of `part` (0 .. 1) of `columns`, to an eighth of a column; what is above 0 is seen. */
export function bar(part: number, columns: number): string {
  const eighths = Math.round(Math.min(Math.max(part, 0), 1) * columns * 8);
  const shown = part > 0 ? Math.max(1, eighths) : 0;
  return '█'.repeat(shown >> 3) + EIGHTHS[shown & 7];
}

/**
 * A line of levels over at most `columns` columns, the greatest value full; neighbours share a
 * column where there are more values. 0 is a blank.
 */
export function sparkline(values: readonly number[], columns: number): string {
  const width = Math.max(1, Math.min(columns, values.length));
  const sums = Array.from({ length: width }, (_, i) => {
    const from = Math.floor((i * values.length) / width);
    const to = Math.floor(((i + 1) * values.length) / width);
    return values.slice(from, to).reduce((a, b) => a + b, 0) / Math.max(1, to - from);
  });
  const most = Math.max(...sums, 0);
  return sums.map((sum) => (sum <= 0 ? ' ' : LEVELS[Math.ceil((sum / most) * 8) - 1])).join('');
}
