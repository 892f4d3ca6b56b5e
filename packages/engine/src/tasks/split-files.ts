import type { FileScan, RowSpan, SourceTable } from '@lakehouse-search/lake';
import { fromSource } from '../source/source-errors.ts';
import type { Split } from './lines.ts';

/** A split with its number of rows. */
interface SizedSplit {
  readonly split: Split;
  readonly rows: number;
}

/** The splits of a task, and the number of their rows. */
export interface TaskSplits {
  readonly splits: readonly Split[];
  readonly rows: number;
}

/** The entries of data files by path: a snapshot may name a path twice. */
export const scansByPath = (files: readonly FileScan[]): ReadonlyMap<string, readonly FileScan[]> =>
  Map.groupBy(files, ({ data }) => data.path);

/** The number of rows of entries, deleted ones too. */
export const recordsOf = (scans: readonly FileScan[]): number =>
  scans.reduce((sum, { data }) => sum + data.recordCount, 0);

/**
 * Divides data files among at most `tasks` tasks of about as many rows each, in the order of the
 * files. Files with more rows than a task are cut between row groups.
 */
export async function splitFiles(
  table: SourceTable,
  files: readonly FileScan[],
  tasks: number,
): Promise<readonly TaskSplits[]> {
  const total = recordsOf(files);
  const sized: SizedSplit[] = [];
  for (const [path, scans] of scansByPath(files)) {
    const rows = recordsOf(scans);
    const isLarge = scans.length === 1 && rows * tasks > total;
    const spans = isLarge ? await fromSource(() => table.rowGroups(scans[0])) : [];
    if (spans.length < 2) sized.push({ split: { path }, rows });
    else for (const [from, to] of spans) sized.push({ split: { path, from, to }, rows: to - from });
  }
  return inShares(sized, total, tasks).map((own) => ({
    splits: joined(own.map(({ split }) => split)),
    rows: own.reduce((sum, { rows }) => sum + rows, 0),
  }));
}

/** Groups items with `total` rows: each goes to the share of the rows that its middle is in. */
export function inShares<T extends { readonly rows: number }>(
  items: readonly T[],
  total: number,
  shares: number,
): readonly (readonly T[])[] {
  let before = 0;
  const shareOf = ({ rows }: T): number => {
    const middle = before + rows / 2;
    before += rows;
    return Math.min(shares - 1, Math.floor((middle * shares) / Math.max(1, total)));
  };
  return [...Map.groupBy(items, shareOf).values()];
}

/** Row groups of one file that follow each other as one split. */
function joined(splits: readonly Split[]): readonly Split[] {
  const all: Split[] = [];
  for (const split of splits) {
    const last = all.at(-1);
    if (last?.path === split.path && last.to === split.from && split.to !== undefined)
      all[all.length - 1] = { ...last, to: split.to };
    else all.push(split);
  }
  return all;
}

/** The rows of a split; undefined: all of the file. */
export const spanOf = ({ from, to }: Split): RowSpan | undefined =>
  from === undefined || to === undefined ? undefined : [from, to];
