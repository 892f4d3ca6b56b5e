import type { DataFile } from '../metadata/file-set.ts';
import { readFooter } from '../parquet/footer.ts';
import type { RowSpan } from './file-rows.ts';
import type { ReadContext } from './read-context.ts';

/**
 * The row groups of a data file, the whole file if its format has none. Throws data_file_missing,
 * data_file_invalid.
 */
export async function rowGroupsOf(
  { files }: ReadContext,
  { path, format, recordCount }: DataFile,
): Promise<readonly RowSpan[]> {
  if (format !== 'parquet') return [[0, recordCount]];
  const place = { path: files.resolve(path), role: 'data' as const };
  const file = await files.store.open(place.path, place.role);
  try {
    const { rowGroups } = await readFooter(file, place);
    return rowGroups.map(({ firstRow, rows }) => [firstRow, firstRow + rows]);
  } finally {
    await file.close();
  }
}
