import type { FilePart, FileScan, SourceTable } from '@lakehouse-search/lake';
import { restrictedTable } from '../sync/build/scratch-index.ts';

/**
 * The rows of a table's snapshot at every n-th position of its data files, about `rows` of them, as
 * a table: what scans it reads those rows alone.
 */
export async function sampleOf(
  table: SourceTable,
  snapshotId: bigint | null,
  rows: number,
): Promise<SourceTable> {
  const { files } = await table.files(snapshotId);
  const all = files.reduce((sum, { data }) => sum + data.recordCount, 0);
  const step = Math.max(1, Math.ceil(all / rows));
  return restrictedTable(table, evenly(files, step));
}

/** Every `step`-th row over all files, counted through. */
function evenly(files: readonly FileScan[], step: number): readonly FilePart[] {
  let before = 0;
  return files.map((scan) => {
    const { recordCount } = scan.data;
    const first = (step - (before % step)) % step;
    before += recordCount;
    if (step === 1) return { scan, only: null };
    const count = Math.max(0, Math.ceil((recordCount - first) / step));
    return { scan, only: Int32Array.from({ length: count }, (_, i) => first + i * step) };
  });
}
