import type { Json } from '../json.ts';

/** A delete file of the table, or a deletion vector in one (then with its place in it). */
export interface DeleteRef {
  readonly path: string;
  readonly offset?: number;
  readonly length?: number;
}

/**
 * A column of rows. `nulls[i] === 1` marks SQL NULL; `nulls` is null when there is none.
 * utf8: value i = bytes[offsets[i] .. offsets[i + 1]). int32: int, date (days). int64: long, time,
 * timestamps. float64: float, double. bool: 0 or 1. values: everything else.
 */
export type RowColumn =
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
  | { readonly kind: 'values'; readonly values: readonly unknown[] };

/** Rows of one data file, in file order. */
export interface RowBatch {
  readonly rows: number;
  readonly columns: readonly RowColumn[];
  /** The data file's path as recorded. */
  readonly file: string;
  /** Row ordinals in the data file, from 0; `rows` of them, ascending. */
  readonly positions: Int32Array;
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

/** A state of the source table: what an index's checkpoint says once it has been reached. */
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

/** What a change batch is made of: all removed places first, then the rows. */
export type BatchPart =
  /**
   * Rows of a data file that live there no more: all of them, or those at `positions` (ascending).
   * Positions at which the index has no row are ignored.
   */
  | {
      readonly kind: 'removed';
      readonly path: string;
      readonly positions: Int32Array | null;
    }
  /** Rows at places where the index has none: its columns are `CheckpointState.columns`. */
  | { readonly kind: 'rows'; readonly batch: RowBatch };

/**
 * One step `(from, to]` of a table. `from` is the checkpoint's snapshot: applied. `to` was reached
 * already: acknowledged, nothing is done. Anything else is refused (checkpoint_gap).
 */
export interface ChangeBatch {
  readonly table_uuid: string;
  readonly from: string | null;
  readonly to: SourceState;
  readonly parts: Iterable<BatchPart> | AsyncIterable<BatchPart>;
  /**
   * The rows hold also every row of `to` that has no document, having lost to another of its key
   * (`on_duplicate_key: last`). Needed where such rows exist and places are removed.
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
