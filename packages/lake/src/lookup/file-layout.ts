import type { DataFile, FileSet } from '../metadata/file-set.ts';
import type { RowGroup } from '../parquet/footer.ts';
import { openParquet, type ParquetFile } from '../parquet/parquet-file.ts';
import type { FileLayout, TableLayout } from '../source-table.ts';
import type { LookupTable } from './lookup-files.ts';

/** Columns of a file whose pages are counted, the largest first. */
const COLUMNS = 64;

/**
 * How the Parquet files of a set are laid out, as far as it decides what a look-up costs: of at
 * most `most` files, chosen evenly, the footers and the page headers (or the offset index) of the
 * largest row group. Throws data_file_missing, data_file_invalid.
 */
export async function layoutOf(
  table: LookupTable,
  set: FileSet,
  most: number,
): Promise<TableLayout> {
  const parquet = set.files.map(({ data }) => data).filter(({ format }) => format === 'parquet');
  const chosen = evenly(parquet, most);
  const looked: FileLayout[] = [];
  for (const data of chosen) looked.push(await fileLayout(table, data));
  return {
    files: set.files.length,
    rows: set.files.reduce((sum, { data }) => sum + data.recordCount, 0),
    looked,
  };
}

function evenly<T>(items: readonly T[], most: number): readonly T[] {
  if (items.length <= most) return items;
  return Array.from({ length: most }, (_, i) => items[Math.floor((i * items.length) / most)]);
}

async function fileLayout(table: LookupTable, data: DataFile): Promise<FileLayout> {
  const { files } = table.context;
  const file = await openParquet(files.resolve(data.path), { store: files.store });
  try {
    const { rows, rowGroups, schema } = file.footer;
    const largest = rowGroups.reduce((a, b) => (bytesOf(b) > bytesOf(a) ? b : a), NO_GROUP);
    return {
      path: data.path,
      rows,
      rowGroups: rowGroups.length,
      groupRows: Math.max(0, ...rowGroups.map((group) => group.rows)),
      groupBytes: bytesOf(largest),
      columns: schema.leaves.length,
      withoutOffsetIndex: schema.leaves.filter(({ column }) =>
        rowGroups.some(({ chunks }) => chunks[column].offsetIndex === null),
      ).length,
      rowBytes: await rowBytes(file, rowGroups.indexOf(largest)),
    };
  } finally {
    await file.close();
  }
}

const NO_GROUP: RowGroup = { firstRow: 0, rows: 0, chunks: [] };

function bytesOf({ chunks }: RowGroup): number {
  return chunks.reduce((sum, chunk) => sum + chunk.length, 0);
}

/** Stored bytes of a page of each column: what one row takes to read. */
async function rowBytes(file: ParquetFile, group: number): Promise<number> {
  if (group < 0) return 0;
  const { chunks } = file.footer.rowGroups[group];
  const largest = chunks.map((chunk, column) => ({ column, bytes: chunk.length }));
  largest.sort((a, b) => b.bytes - a.bytes);
  let sum = 0;
  for (const { column, bytes } of largest.slice(0, COLUMNS)) {
    const { pages } = await file.directory(group, column);
    sum += bytes / Math.max(1, pages.length);
  }
  return Math.round(sum);
}
