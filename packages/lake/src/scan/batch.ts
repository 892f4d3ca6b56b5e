import type { RowBatch, RowColumn } from '@lakehouse-search/contract/internal';
import type { Value } from '../schema/type.ts';

/** A column of a batch. */
export type ColumnVector = RowColumn<Value>;

/** Rows of one data file, after all deletes, in file order. `columns` have the requested order. */
export type Batch = RowBatch<Value>;

/** Location of a row. */
export interface Locator {
  readonly file: string;
  readonly position: number;
}
