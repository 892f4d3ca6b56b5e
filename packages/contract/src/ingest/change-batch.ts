import type { Json } from '../json.ts';

/** A delete file of the table, or a deletion vector in one (then with its range in the file). */
export interface DeleteRef {
  readonly path: string;
  readonly offset?: number;
  readonly length?: number;
}

/** A data file of a snapshot, and the deletes that apply to it. */
export interface SourceFile {
  /** As the table records it. */
  readonly path: string;
  readonly records: number;
  /** Data sequence number, decimal. */
  readonly sequence: string;
  readonly deletes: readonly DeleteRef[];
}

/** A state of the source table; a checkpoint records it once the index has reached it. */
export interface SourceState {
  /** Snapshot id, decimal; null: the table has no snapshot. */
  readonly snapshot_id: string | null;
  /** Sequence number of the snapshot, decimal. */
  readonly sequence: string;
  /**
   * The columns that the definition uses, as Iceberg writes a schema: under the definition's names,
   * with the field ids that the index is bound to and the types under which rows are read.
   */
  readonly schema: Json;
  /** The branch or tag that is followed; absent: the table's current snapshot. */
  readonly ref?: string;
  readonly files: readonly SourceFile[];
}

/**
 * A column of rows, one value per row; null is SQL NULL.
 *
 * | kind | columns | a value |
 * |---|---|---|
 * | utf8 | string, uuid | a string; `{"base64": "…"}` for bytes that are not UTF-8 |
 * | int32 | int, date (days since 1970) | a number |
 * | int64 | long, time, timestamps (in the type's unit) | a number up to 2^53, else its digits |
 * | float64 | float, double | a number, or "NaN", "Infinity", "-Infinity", "-0" |
 * | bool | boolean | true or false |
 * | values | everything else | a tagged value (docs/in-step.md) |
 */
export type WireColumn =
  | { readonly kind: 'utf8'; readonly values: readonly (string | WireBytes | null)[] }
  | { readonly kind: 'int32'; readonly values: readonly (number | null)[] }
  | { readonly kind: 'int64' | 'float64'; readonly values: readonly (number | string | null)[] }
  | { readonly kind: 'bool'; readonly values: readonly (boolean | null)[] }
  | { readonly kind: 'values'; readonly values: readonly Json[] };

/** Bytes in base64. */
export interface WireBytes {
  readonly base64: string;
}

/** A part of a change batch. All removed rows come first, then the rows to write. */
export type BatchPart =
  /**
   * Rows of a data file that are no longer there: all of them, or those at `positions` (ascending).
   * Positions at which the index has no row are ignored.
   */
  | {
      readonly kind: 'removed';
      readonly path: string;
      readonly positions: readonly number[] | null;
    }
  /**
   * Rows at positions where the index has none, in file order. `file`: the data file's path as
   * recorded. `positions`: row ordinals in the file, ascending. Its columns are
   * `CheckpointState.columns`.
   */
  | {
      readonly kind: 'rows';
      readonly file: string;
      readonly positions: readonly number[];
      readonly columns: readonly WireColumn[];
    };

/**
 * One step `(from, to]` of a table, as JSON. If `from` is the checkpoint's snapshot, the step is
 * applied. If `to` was reached before, it is acknowledged without effect. Everything else is
 * refused (checkpoint_gap).
 */
export interface ChangeBatch {
  readonly version: 1;
  readonly table_uuid: string;
  readonly from: string | null;
  readonly to: SourceState;
  /** An array in JSON; in a process, or over a stream, the parts may come one by one. */
  readonly parts: readonly BatchPart[] | AsyncIterable<BatchPart>;
  /**
   * The rows hold also every row of `to` that has no document, having lost to another of its key
   * (`on_duplicate_key: last`). Needed if such rows exist and rows are removed.
   */
  readonly with_dropped?: boolean;
}

/** Up to where an index has followed its table, and what a change batch must hold to go on. */
export interface CheckpointState extends SourceState {
  readonly table_uuid: string;
  /** Snapshots that were reached before, the latest first. */
  readonly applied: readonly string[];
  /** Columns of a batch's rows, in this order; the first `key_columns` are the key. */
  readonly columns: readonly string[];
  readonly key_columns: number;
  readonly index_generation: number;
}
