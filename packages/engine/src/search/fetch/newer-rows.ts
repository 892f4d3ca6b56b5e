import type { SearchContext } from '../context.ts';
import type { ReadTableRows } from './table-rows.ts';

/**
 * By row of an answer: true if a snapshot after that of the index has written the row, so that it
 * may differ from its document.
 */
export function newerRows(
  { snapshot }: SearchContext,
  read: ReadTableRows,
): (at: number) => boolean {
  const isLater = read.snapshot !== (snapshot.checkpoint?.snapshot_id ?? null);
  return (at) => isLater && read.moved?.[at] === true;
}
