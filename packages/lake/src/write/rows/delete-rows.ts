import { LakeError } from '../../base/errors.ts';
import { normalizeRecorded } from '../../base/files/table-files.ts';
import type { TableHandle } from '../../catalog/table-handle.ts';
import type { FileScan } from '../../metadata/file-set.ts';
import type { ManifestEntry } from '../../metadata/manifest.ts';
import type { Batch } from '../../scan/batch.ts';
import type { FilePart, SourceTable } from '../../source-table.ts';
import type { NewDeleteFile } from '../commit/manifest-writer.ts';
import type { NewDataFile } from '../files/data-files.ts';
import { type DeadInFile, writePositionDeletes, writeVectors } from './dead-rows.ts';
import { rewriteRows } from './rewrite-rows.ts';

/** Rows to delete by data file (recorded path). */
export type RowsByFile = Map<string, number[]>;

/** What deleting rows does to files: whole files go, others get delete files. */
export interface DeletePlan {
  readonly rows: number;
  readonly addedDeletes: readonly NewDeleteFile[];
  /** Copy-on-write: the rows that stay of files that are removed. */
  readonly rewritten: readonly NewDataFile[];
  /** Whether an entry of the parent snapshot is removed with it. */
  readonly removes: (entry: ManifestEntry) => boolean;
  /** New files, to be removed when the commit fails. */
  readonly written: readonly { readonly real: string }[];
}

/** Adds the rows of a batch, all or those that `keep` names. */
export function collectRows(into: RowsByFile, batch: Batch, keep?: (row: number) => boolean): void {
  const positions = into.get(batch.file) ?? [];
  for (let i = 0; i < batch.rows; i++) {
    if (keep === undefined || keep(i)) positions.push(batch.positions[i]);
  }
  if (positions.length > 0) into.set(batch.file, positions);
}

/**
 * Plans the deletion of rows at known places:
 * 1. a file that loses all its live rows is removed whole, its deletes with it;
 * 2. v3: other files get one vector, which takes in all that was dead before; the vector that it
 *    follows is removed;
 * 3. v2: other files get a position delete file.
 *
 * If the table's property `modeProperty` is copy-on-write, other files are removed too and their
 * remaining rows are rewritten. Throws `unsupported` for v1 without that, which has no delete
 * files.
 */
export async function planDeletes(
  source: SourceTable,
  table: TableHandle,
  rows: RowsByFile,
  modeProperty: string,
): Promise<DeletePlan> {
  const copies = table.metadata.properties[modeProperty] === 'copy-on-write';
  if (table.metadata.formatVersion === 1 && rows.size > 0 && !copies) throw v1();
  const { files } = await source.files(source.currentSnapshotId);
  const byPath = new Map(files.map((f) => [normalizeRecorded(f.data.path), f]));
  const gone = new Set<string>();
  const dead: DeadInFile[] = [];
  const kept: FilePart[] = [];
  for (const [path, fresh] of rows) {
    const scan = byPath.get(normalizeRecorded(path)) as FileScan;
    const live = await livePositions(source, scan);
    const stays = live.size > fresh.length;
    if (!stays || copies) gone.add(normalizeRecorded(path));
    if (stays && copies) kept.push({ scan, only: without(live, fresh) });
    if (stays && !copies)
      dead.push({ scan, fresh, before: deadPositions(scan.data.recordCount, live) });
  }
  const v3 = table.metadata.formatVersion === 3;
  const rewritten = kept.length === 0 ? [] : await rewriteRows(table, source, kept);
  const addedDeletes = await (v3 ? writeVectors : writePositionDeletes)(dead, table.files);
  const followed = new Set(v3 ? dead.map((d) => normalizeRecorded(d.scan.data.path)) : []);
  return {
    rows: [...rows.values()].reduce((n, r) => n + r.length, 0),
    addedDeletes,
    rewritten,
    removes: (entry) => isGone(entry, gone, followed),
    written: [...addedDeletes, ...rewritten],
  };
}

function isGone(entry: ManifestEntry, gone: ReadonlySet<string>, followed: ReadonlySet<string>) {
  if (entry.content === 'data') return gone.has(normalizeRecorded(entry.file.path));
  const { file } = entry;
  if (file.kind === 'equality' || file.referencedDataFile === null) return false;
  const target = normalizeRecorded(file.referencedDataFile);
  return gone.has(target) || (file.kind === 'vector' && followed.has(target));
}

/** The positions of a data file’s live rows. */
export async function livePositions(
  source: SourceTable,
  scan: FileScan,
): Promise<ReadonlySet<number>> {
  const live = new Set<number>();
  const options = { columns: [source.schema.fields[0].name], files: new Set([scan.data.path]) };
  for await (const batch of source.scan(options)) for (const at of batch.positions) live.add(at);
  return live;
}

function without(live: ReadonlySet<number>, fresh: readonly number[]): Int32Array {
  const gone = new Set(fresh);
  return Int32Array.from([...live].filter((at) => !gone.has(at))).sort();
}

function* deadPositions(records: number, live: ReadonlySet<number>): Generator<number> {
  for (let at = 0; at < records; at++) if (!live.has(at)) yield at;
}

function v1(): LakeError {
  return new LakeError('unsupported', 'rows of a format 1 table cannot be deleted one by one', {
    details: { expected: 'format 2 or 3; overwrite the table, or upgrade it' },
  });
}
