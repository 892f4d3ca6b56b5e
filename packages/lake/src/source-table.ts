import type { FileScan, FileSet } from './metadata/file-set.ts';
import type { Snapshot, SnapshotRef } from './metadata/snapshot.ts';
import type { ReadRestrictions } from './restrictions/read-restrictions.ts';
import type { Batch, Locator } from './scan/batch.ts';
import type { RowSpan } from './scan/file-rows.ts';
import type { Schema, Value } from './schema/type.ts';

export type { CatalogConfig, TableConfig } from './catalog/config.ts';
export type { RefRetention, Snapshot, SnapshotRef } from './metadata/snapshot.ts';
export type { ReadRestrictions } from './restrictions/read-restrictions.ts';
export type { RowSpan } from './scan/file-rows.ts';

/** What a scan reads. */
export interface ScanOptions {
  /** Default: the current snapshot. A table without a snapshot scans as empty. */
  readonly snapshotId?: bigint;
  /**
   * Top-level column names of `schema`; default all. `_row_id` and `_last_updated_sequence_number`
   * are available in v3, `_row` (data file and position) in each version.
   */
  readonly columns?: readonly string[];
  /** Schema under which rows are read. Default: the current schema. */
  readonly schema?: Schema;
  /** A DuckDB SQL condition over the columns of `schema`. */
  readonly where?: string;
  /** Rows a batch, at most. Default 8,192. */
  readonly batchRows?: number;
  /** Only these files of the snapshot (paths as recorded). */
  readonly files?: ReadonlySet<string>;
  readonly signal?: AbortSignal;
}

/** The snapshots and columns of a request for changes. */
export interface ChangesOptions {
  /** null: from the empty table. */
  readonly from: bigint | null;
  readonly to: bigint;
  readonly key: readonly string[];
  /**
   * Columns besides the key; a row whose key and columns are equal before and after is no change.
   */
  readonly columns: readonly string[];
  readonly schema?: Schema;
  readonly signal?: AbortSignal;
}

/** A change as people see it: whole rows, values by column name. */
export type RowChange =
  | { readonly op: 'insert'; readonly key: Row; readonly after: Row }
  | { readonly op: 'update'; readonly key: Row; readonly before: Row; readonly after: Row }
  | { readonly op: 'delete'; readonly key: Row; readonly before: Row };
/** A row: values by column name. */
export type Row = Readonly<Record<string, Value>>;

/**
 * A data file of some snapshot under its deletes; `only`: its live rows at these positions alone.
 */
export interface FilePart {
  readonly scan: FileScan;
  /** Ascending, without repeats; null: every live row, or those of `span`. */
  readonly only: Int32Array | null;
  /** Of a Parquet file, row groups as `rowGroups` has them. Default: the whole file. */
  readonly span?: RowSpan | undefined;
}

/** What is read of file parts. */
export interface ReadOptions {
  /** Top-level column names of `schema`. */
  readonly columns: readonly string[];
  /** Schema under which rows are read. Default: the current schema. */
  readonly schema?: Schema;
  readonly signal?: AbortSignal;
}

/** Bytes that a look-up or a scan has read from files so far. */
export interface ReadCost {
  bytes: number;
  requests: number;
}

/** How a Parquet data file is laid out. Bytes are stored ones. */
export interface FileLayout {
  /** As recorded. */
  readonly path: string;
  readonly rows: number;
  readonly rowGroups: number;
  /** Rows and bytes of the largest row group. */
  readonly groupRows: number;
  readonly groupBytes: number;
  /** Columns as Parquet counts them (each leaf of a nested one), and those without offset index. */
  readonly columns: number;
  readonly withoutOffsetIndex: number;
  /** Average bytes of the pages of one row, all columns together. */
  readonly rowBytes: number;
}

/** How the data files of a snapshot are laid out. */
export interface TableLayout {
  /** Data files and rows of the snapshot. */
  readonly files: number;
  readonly rows: number;
  /** The Parquet files that were looked at. */
  readonly looked: readonly FileLayout[];
}

/** An Iceberg table at one metadata version. `refresh` gives the table at the newest version. */
export interface SourceTable {
  /** `namespace.table`, or the folder's name for a bare path. */
  readonly name: string;
  readonly uuid: string;
  /** What the catalog lets its caller read of the rows; absent: everything. */
  readonly restrictions?: ReadRestrictions | undefined;
  readonly formatVersion: 1 | 2 | 3;
  readonly location: string;
  readonly metadataFile: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly schema: Schema;
  readonly schemas: readonly Schema[];
  readonly snapshots: readonly Snapshot[];
  readonly refs: readonly SnapshotRef[];
  readonly currentSnapshotId: bigint | null;

  /** Throws snapshot_not_found. */
  snapshot(id: bigint): Snapshot;
  /** The schema of a snapshot (its schema-id, or the current one if it names none). */
  schemaOf(snapshotId: bigint): Schema;
  /** The ancestors of `id`, newest first, `id` included; ends where the parent is gone. */
  ancestry(id: bigint): readonly Snapshot[];
  /** The data files of a snapshot, each with its delete files. */
  files(snapshotId: bigint | null): Promise<FileSet>;
  /** The live rows of a snapshot, batch by batch. */
  scan(options?: ScanOptions): AsyncIterable<Batch>;
  /** The live rows of file parts, part by part. */
  read(parts: readonly FilePart[], options: ReadOptions): AsyncIterable<Batch>;
  /** The row groups of a data file; a file that has none is one. Only its footer is read. */
  rowGroups(scan: FileScan): Promise<readonly RowSpan[]>;
  /** Positions of a data file's deleted rows, ascending; only its delete files are read. */
  deadPositions(scan: FileScan): Promise<Int32Array>;
  /** The rows that differ between two snapshots. */
  rowChanges(options: ChangesOptions): AsyncIterable<RowChange>;
  /**
   * Rows at locators, in the given order; null if the file is not part of the snapshot or the
   * row is deleted. Page-level reads: only the pages that hold the rows are touched.
   */
  lookup(
    locators: readonly Locator[],
    columns: readonly string[],
    options?: { snapshotId?: bigint; cost?: ReadCost },
  ): Promise<readonly (Row | null)[]>;
  /**
   * Rows by key values (one array a key, in the order of `key`), in the given order; null if
   * absent.
   */
  lookupKeys(
    key: readonly string[],
    keys: readonly (readonly Value[])[],
    columns: readonly string[],
    options?: { snapshotId?: bigint; cost?: ReadCost },
  ): Promise<readonly ({ readonly row: Row; readonly locator: Locator } | null)[]>;
  /** The layout of at most `mostFiles` of a snapshot's Parquet files, chosen evenly. */
  layout(snapshotId: bigint | null, mostFiles: number): Promise<TableLayout>;
  /** The table at its newest metadata; this object stays as it is. */
  refresh(): Promise<SourceTable>;
  /** Releases the connections and files of the table. */
  close(): Promise<void>;
}
