import type { Field } from '../schema/type.ts';
import type { ColumnVector } from './batch.ts';

/** Rows of a file that follow one another: `firstRow` is the ordinal of the first. */
export interface FileRows {
  readonly firstRow: number;
  readonly rows: number;
  readonly columns: readonly ColumnVector[];
}

/** A data or delete file whose header or footer has been read and checked. */
export interface OpenFile {
  /** The number of rows that the file itself states; null where it states none (Avro). */
  readonly rowCount: number | null;
  /**
   * Whether the file has a top-level column with this field id (by name mapping where it has no
   * ids).
   */
  has(fieldId: number): boolean;
  /** All rows in file order; `fields` are columns that the file has. Errors name the file. */
  read(fields: readonly Field[]): AsyncGenerator<FileRows>;
}

/** Which reader takes Parquet files: `auto` is the rule of `duckdb/parquet-plan.ts`. */
export type ParquetEngine = 'auto' | 'own';
