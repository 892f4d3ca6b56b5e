import type { FileLayout, TableLayout } from '@lakehouse-search/lake';
import { bytes, count, plural } from '../terminal/figures.ts';

/** Data files whose footers are read. */
export const LAYOUT_FILES = 16;

/** A layout that makes it slow to read single rows. */
export interface LayoutFinding {
  readonly kind: 'no_offset_index' | 'large_row_groups' | 'large_pages';
  /** Files that have it, of those that were looked at. */
  readonly files: number;
  readonly detail: string;
  /** Settings of writers that help. */
  readonly advice: string;
}

/**
 * More rows or bytes than that are a large row group; our own writer makes groups of 20,480 rows.
 */
const GROUP_ROWS = 131_072;
const GROUP_BYTES = 32_000_000;
/** A row group of so few bytes has few pages: it needs no offset index. */
const INDEXED_BYTES = 4_000_000;
/** More bytes than that for one row are large pages. */
const ROW_BYTES = 4_000_000;

/** What makes `--hydrate` and `keys get` slow in a table, the most costly first. */
export function layoutFindings({ looked }: TableLayout): readonly LayoutFinding[] {
  const found = [noOffsetIndex(looked), largeGroups(looked), largePages(looked)];
  return found.filter((finding) => finding !== null);
}

type Files = readonly FileLayout[];

const most = (files: Files, figure: (file: FileLayout) => number): number =>
  files.reduce((all, file) => Math.max(all, figure(file)), 0);

function noOffsetIndex(looked: Files): LayoutFinding | null {
  const files = looked.filter((f) => f.withoutOffsetIndex > 0 && f.groupBytes > INDEXED_BYTES);
  if (files.length === 0) return null;
  return {
    kind: 'no_offset_index',
    files: files.length,
    detail:
      `${share(files, looked)} no offset index: the first look-up in each column ` +
      'walks its page headers',
    advice: 'write one: pyarrow write_page_index=True; Spark, Trino and Flink write one by default',
  };
}

function largeGroups(looked: Files): LayoutFinding | null {
  const files = looked.filter((f) => f.groupRows > GROUP_ROWS || f.groupBytes > GROUP_BYTES);
  if (files.length === 0) return null;
  const rows = count(most(files, ({ groupRows }) => groupRows));
  const size = bytes(most(files, ({ groupBytes }) => groupBytes));
  return {
    kind: 'large_row_groups',
    files: files.length,
    detail:
      `${share(files, looked)} row groups of more than ${count(GROUP_ROWS)} rows or ` +
      `${bytes(GROUP_BYTES)} (the largest has ${rows} rows, ${size}): each row of a page of hits ` +
      'is in different pages',
    advice:
      'write row groups of about 20,000 rows: pyarrow row_group_size=20480, pyiceberg ' +
      'write.parquet.row-group-limit=20480, Spark write.parquet.row-group-size-bytes=8388608',
  };
}

function largePages(looked: Files): LayoutFinding | null {
  const files = looked.filter(({ rowBytes }) => rowBytes > ROW_BYTES);
  if (files.length === 0) return null;
  const size = bytes(most(files, ({ rowBytes }) => rowBytes));
  return {
    kind: 'large_pages',
    files: files.length,
    detail: `${share(files, looked)} large pages: ${size} are read for one row of all columns`,
    advice:
      'write smaller pages: pyarrow data_page_size=131072, pyiceberg and Spark ' +
      'write.parquet.page-size-bytes=131072; sort rows that are found together (by time, by ' +
      'tenant), or read fewer columns (--columns)',
  };
}

function share(files: Files, looked: Files): string {
  const verb = files.length === 1 ? 'has' : 'have';
  return `${count(files.length)} of ${plural(looked.length, 'file')} ${verb}`;
}
