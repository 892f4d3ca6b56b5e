import type { ChangeBatch } from './change-batch.ts';

/**
 * A column of rows. `nulls[i] === 1` marks SQL NULL; `nulls` is null when there is none.
 * utf8: string, uuid as text; value i = bytes[offsets[i] .. offsets[i + 1]).
 * int32: int, date (days). int64: long, time, timestamps (µs or ns, by the column's type).
 * float64: float (widened), double. bool: 0 or 1. values: everything else (decimal, binary, lists,
 * structs, maps, variants).
 */
export type RowColumn<V = unknown> =
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
  | { readonly kind: 'values'; readonly values: readonly V[] };

/** Rows of one data file, in file order. */
export interface RowBatch<V = unknown> {
  readonly rows: number;
  readonly columns: readonly RowColumn<V>[];
  /** The data file's path as recorded. */
  readonly file: string;
  /** Row ordinals in the data file, from 0; `rows` of them, ascending. */
  readonly positions: Int32Array;
}

/** A part of a change batch in memory; see `BatchPart`. */
export type TypedPart =
  | {
      readonly kind: 'removed';
      readonly path: string;
      readonly positions: Int32Array | null;
    }
  | { readonly kind: 'rows'; readonly batch: RowBatch };

/** A change batch in memory: what an engine applies. It never crosses a process. */
export interface TypedBatch extends Omit<ChangeBatch, 'version' | 'parts'> {
  readonly parts: Iterable<TypedPart> | AsyncIterable<TypedPart>;
  /** Snapshots between `from` and `to` whose changes it contains, newest first. */
  readonly passed?: readonly string[];
}
