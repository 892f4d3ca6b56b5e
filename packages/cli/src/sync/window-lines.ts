import type { MoveWindowsResponse, WindowStatus } from '@lakehouse-search/contract';
import { bytes, count, duration, plural } from '../terminal/figures.ts';
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
    { title: 'tier' },
    ...['rows', 'deleted', 'segments', 'size', 'on disk'].map((title) => ({ title, ...right })),
  ];
  const rows = windows.map((one) => [
    one.window,
    one.from ?? '',
    one.to ?? '',
    one.tier,
    count(one.num_docs),
    count(one.deleted_docs),
    count(one.segments),
    bytes(one.bytes),
    bytes(one.local_bytes ?? one.bytes),
  ]);
  return [head, '', ...table(titles, rows, columns, style.dim)];
}

/** What moving windows did. */
export function movedLines(done: MoveWindowsResponse): string[] {
  const { index, cooled, warmed, bytes_copied, objects_removed, took_ms } = done;
  const parts = [
    ...(cooled.length === 0 ? [] : [`${plural(cooled.length, 'window')} cooled: ${list(cooled)}`]),
    ...(warmed.length === 0 ? [] : [`${plural(warmed.length, 'window')} warmed: ${list(warmed)}`]),
  ];
  if (parts.length === 0) parts.push('every window is in its tier');
  if (bytes_copied > 0) parts.push(`${bytes(bytes_copied)} fetched`);
  const removed = objects_removed === 0 ? '' : ` · ${plural(objects_removed, 'object')} removed`;
  return [`${index}  ${parts.join(' · ')} · ${duration(took_ms)}${removed}`];
}

const SHOWN = 6;
const list = (names: readonly string[]): string =>
  names.length <= SHOWN ? names.join(', ') : `${names.slice(0, SHOWN).join(', ')}, …`;
