import type { Value } from '../schema/type.ts';

/**
 * A column of a batch. `nulls[i] === 1` marks SQL NULL; `nulls` is null when there is none.
 * utf8: string, uuid as text; value i = bytes[offsets[i] .. offsets[i + 1]).
 * int32: int, date (days). int64: long, time, timestamps (µs or ns, by the column's type).
 * float64: float (widened), double. bool: 0 or 1. values: everything else (decimal, binary, lists,
 * structs, maps, variants).
 */
export type ColumnVector =
  | {
      readonly kind: 'utf8';
      readonly nulls: Uint8Array | null;
      readonly offsets: Int32Array;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: 'int32'; readonly nulls: Uint8Array | null; readonly values: Int32Array }
  | { readonly kind: 'int64'; readonly nulls: Uint8Array | null; readonly values: BigInt64Array }
  | { readonly kind: 'float64'; readonly nulls: Uint8Array | null; readonly values: Float64Array }
  | { readonly kind: 'bool'; readonly nulls: Uint8Array | null; readonly values: Uint8Array }
  | { readonly kind: 'values'; readonly values: readonly Value[] };

/** Rows of one data file, after all deletes, in file order. `columns` have the requested order. */
export interface Batch {
  readonly rows: number;
  readonly columns: readonly ColumnVector[];
  /** The data file's path as recorded (the `path` of its `DataFile`). */
  readonly file: string;
  /** Row ordinals in the data file, from 0; `rows` of them, ascending. */
  readonly positions: Int32Array;
}

/** Location of a row. */
export interface Locator {
  readonly file: string;
  readonly position: number;
}
