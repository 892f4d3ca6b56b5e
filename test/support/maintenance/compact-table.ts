/**
 * Compaction: the live rows of a table in as few files as its partitions allow, as a `replace`
 * snapshot. All old data files and their delete files are removed. Everything is done anew when
 * somebody else commits meanwhile.
 */
import { loadTable } from '../../../packages/lake/src/catalog/load-table.ts';
import type { TableHandle } from '../../../packages/lake/src/catalog/table-handle.ts';
import type { TableConfig } from '../../../packages/lake/src/source-table.ts';
import { tableOf } from '../../../packages/lake/src/table.ts';
import { commitTable } from '../../../packages/lake/src/write/commit.ts';
import type { NewDataFile } from '../../../packages/lake/src/write/data-files.ts';
import { removeFiles } from '../../../packages/lake/src/write/remove-files.ts';
import { rewriteRows } from '../../../packages/lake/src/write/rewrite-rows.ts';
import { snapshotMetadata } from '../../../packages/lake/src/write/snapshot-commit.ts';

/** What a compaction did. `snapshotId` is null where there was nothing to rewrite. */
export interface CompactResult {
  readonly snapshotId: bigint | null;
  readonly filesBefore: number;
  readonly filesAfter: number;
  readonly rows: number;
}

/** Rewrites all live rows of the current snapshot. Throws unsupported, commit_conflict. */
export async function compactTable(config: TableConfig): Promise<CompactResult> {
  let result: CompactResult = { snapshotId: null, filesBefore: 0, filesAfter: 0, rows: 0 };
  let written: readonly NewDataFile[] = [];
  try {
    await commitTable(await loadTable(config), async (table) => {
      await removeFiles(written.map((f) => f.real));
      written = [];
      const source = tableOf(table);
      try {
        const { files } = await source.files(source.currentSnapshotId);
        if (files.length === 0) return null;
        const parts = files.map((scan) => ({ scan, only: null }));
        written = await rewriteRows(table, source, parts);
        const prepared = await commitOf(table, written);
        const rows = written.reduce((n, f) => n + f.recordCount, 0);
        const { snapshotId } = prepared;
        result = { snapshotId, filesBefore: files.length, filesAfter: written.length, rows };
        return prepared;
      } finally {
        await source.close();
      }
    });
  } catch (error) {
    await removeFiles(written.map((f) => f.real));
    throw error;
  }
  return result;
}

function commitOf(table: TableHandle, addedData: readonly NewDataFile[]) {
  const change = {
    operation: 'replace' as const,
    addedData,
    addedDeletes: [],
    removes: () => true,
    mayRemove: true,
  };
  return snapshotMetadata(table.metadata, table.files, change, 'main');
}
