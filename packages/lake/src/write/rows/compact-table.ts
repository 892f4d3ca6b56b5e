/**
 * Compaction: small data files, and files with many deleted rows, are rewritten with their deletes
 * applied, as a `replace` snapshot. Steps, done anew if another writer commits first:
 *
 * 1. Choose the files (plan-compaction.ts).
 * 2. Write the live rows of each bin to new files.
 * 3. Commit a snapshot without the old data files, and without delete files that apply to no data
 *    file any more.
 *
 * Files of former snapshots stay until these are expired (expire-snapshots.ts).
 */
import { loadTable } from '../../catalog/load-table.ts';
import type { TableHandle } from '../../catalog/table-handle.ts';
import type { FileScan } from '../../metadata/file-set.ts';
import type { ManifestEntry } from '../../metadata/manifest.ts';
import type { TableConfig } from '../../source-table.ts';
import { tableOf } from '../../table.ts';
import { commitTable, discard } from '../commit/commit.ts';
import { type PreparedSnapshot, snapshotMetadata } from '../commit/snapshot-commit.ts';
import type { NewDataFile } from '../files/data-files.ts';
import { type CompactionRule, deleteFileKey, planCompaction } from './plan-compaction.ts';
import { rewriteRows } from './rewrite-rows.ts';

/** How a table is compacted. */
export interface CompactOptions extends Partial<CompactionRule> {
  /** Choose the files and write nothing. */
  readonly dryRun?: boolean;
  /** Stops between two new files; throws its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What a compaction did, or would do. */
export interface CompactResult {
  /** null: nothing was committed. */
  readonly snapshot: string | null;
  /** Data files of the table before. */
  readonly filesBefore: number;
  /** Data files that were rewritten, and their bytes. */
  readonly rewritten: number;
  readonly bytes: number;
  /** Data files of the table afterwards; of a plan, about. */
  readonly filesAfter: number;
  /** Rows in new files; of a plan, in the files that it would rewrite, deleted ones included. */
  readonly rows: number;
}

const TARGET_BYTES = 128 * 2 ** 20;

/** Compacts a table. Throws unsupported, commit_conflict, and what reading the table throws. */
export async function compactTableFiles(
  config: TableConfig,
  { dryRun = false, signal, targetBytes = TARGET_BYTES, all = false }: CompactOptions = {},
): Promise<CompactResult> {
  let result: CompactResult | null = null;
  let written: NewDataFile[] = [];
  const loaded = await loadTable(config);
  const { store } = loaded.files;
  try {
    await commitTable(loaded, async (table) => {
      await store.remove(written.map(({ real }) => real));
      written = [];
      const source = tableOf(table);
      try {
        const { files } = await source.files(source.currentSnapshotId);
        const bins = planCompaction(files, { targetBytes, all });
        result = planned(files, bins);
        if (dryRun || bins.length === 0) return null;
        for (const bin of bins) {
          signal?.throwIfAborted();
          const parts = bin.map((scan) => ({ scan, only: null }));
          written.push(...(await rewriteRows(table, source, parts)));
        }
        const prepared = await commitOf(table, files, new Set(bins.flat()), written);
        const rows = written.reduce((sum, { recordCount }) => sum + recordCount, 0);
        const filesAfter = files.length - result.rewritten + written.length;
        result = { ...result, snapshot: String(prepared.snapshotId), filesAfter, rows };
        return prepared;
      } finally {
        await source.close();
      }
    });
  } catch (error) {
    await discard(error, store, written);
    throw error;
  }
  return result as unknown as CompactResult;
}

function planned(files: readonly FileScan[], bins: readonly (readonly FileScan[])[]) {
  const old = bins.flat();
  return {
    snapshot: null,
    filesBefore: files.length,
    rewritten: old.length,
    bytes: old.reduce((sum, { data }) => sum + data.fileSize, 0),
    filesAfter: files.length - old.length + bins.length,
    rows: old.reduce((sum, { data }) => sum + data.recordCount, 0),
  };
}

/** The snapshot without the old files, and without deletes that only they needed. */
function commitOf(
  table: TableHandle,
  files: readonly FileScan[],
  old: ReadonlySet<FileScan>,
  addedData: readonly NewDataFile[],
): Promise<PreparedSnapshot> {
  const gone = new Set([...old].map(({ data }) => data.path));
  const needed = new Set(
    files.filter((scan) => !old.has(scan)).flatMap(({ deletes }) => deletes.map(deleteFileKey)),
  );
  const removes = ({ content, file }: ManifestEntry) =>
    content === 'data' ? gone.has(file.path) : !needed.has(deleteFileKey(file));
  const change = {
    operation: 'replace' as const,
    addedData,
    addedDeletes: [],
    removes,
    mayRemove: true,
  };
  return snapshotMetadata(table.metadata, table.files, change, 'main');
}
