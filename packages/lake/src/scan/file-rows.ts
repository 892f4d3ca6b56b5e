import type { Field } from '../schema/type.ts';
import type { ColumnVector } from './batch.ts';

/**
 * Rows of a file that follow one another, `firstRow` being the ordinal of the first; or, if
 * `positions` is there, rows with those ordinals.
 */
export interface FileRows {
  readonly firstRow: number;
  readonly positions?: Int32Array;
  readonly rows: number;
  readonly columns: readonly ColumnVector[];
}

/** Rows of a file from the ordinal `from` up to `to`, which is not among them. */
export type RowSpan = readonly [from: number, to: number];

/** A data or delete file whose header or footer has been read and checked. */
export interface OpenFile {
  /** The number of rows that the file itself states; null if it states none (Avro). */
  readonly rowCount: number | null;
  /**
   * Whether the file has a top-level column with this field id (by name mapping if it has no
   * ids).
   */
  has(fieldId: number): boolean;
  /**
   * Rows in file order: all, or of a Parquet file those of `span`, for which only their pages are
   * read; `fields` are columns that the file has. Errors name the file.
   */
  read(fields: readonly Field[], span?: RowSpan): AsyncGenerator<FileRows>;
  /** The rows at `positions`, ascending, by point reads; absent if the format has none. */
  readAt?(fields: readonly Field[], positions: Int32Array): AsyncGenerator<FileRows>;
}

/**
 * Which reader takes Parquet files: `duckdb` is the rule of `duckdb/parquet-plan.ts`; `own` is our
 * own reader for all of them; `auto` is the rule, but for small files, which our own reader is
 * through with before DuckDB has begun.
 */
export type ParquetEngine = 'auto' | 'duckdb' | 'own';
