import type { IndexStatus } from '@lakehouse-search/contract';
import { age, count, plural } from '../text/figures.ts';

/** How far an index is behind its table, in words. */
export function lagText(status: Pick<IndexStatus, 'status' | 'lag' | 'source_error'>): string {
  const { lag, source_error } = status;
  if (source_error !== undefined) return `the table cannot be reached: ${source_error.message}`;
  if (status.status === 'created') return 'not built yet';
  if (lag === undefined) return 'lag not known';
  if (lag.snapshots === 0) return 'at the table’s head';
  const { rows } = lag;
  const changed = rows === null ? '' : `, +${count(rows.added)} −${count(rows.deleted)} rows`;
  return `${plural(lag.snapshots, 'snapshot')} behind${changed}, for ${age(lag.seconds * 1000)}`;
}
