import type { WindowStatus } from '@lakehouse-search/contract';
import { bytes, count, plural } from '../terminal/figures.ts';
import type { Style } from '../terminal/style.ts';
import { table } from '../terminal/table.ts';

/** The windows of an index as a table. */
export function windowLines(status: WindowStatus, style: Style, columns: number): string[] {
  const { index, field, every, windows } = status;
  const head = `${index}  ${plural(windows.length, 'window')}, one per ${every} of ${field}`;
  const right = { align: 'right' } as const;
  const titles = [
    { title: 'window' },
    { title: 'from' },
    { title: 'to' },
    ...['rows', 'deleted', 'segments', 'size'].map((title) => ({ title, ...right })),
  ];
  const rows = windows.map((one) => [
    one.window,
    one.from ?? '',
    one.to ?? '',
    count(one.num_docs),
    count(one.deleted_docs),
    count(one.segments),
    bytes(one.bytes),
  ]);
  return [head, '', ...table(titles, rows, columns, style.dim)];
}
