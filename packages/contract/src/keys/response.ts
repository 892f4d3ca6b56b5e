import type { Coordinates } from '../coordinates.ts';
import type { JsonObject } from '../json.ts';
import type { TableLag } from '../lag.ts';

/** A row of the table. */
export interface KeyRow {
  readonly key: Coordinates;
  /** The key under its name in hits. */
  readonly coordinates: Coordinates;
  /** The value of a key of one column. */
  readonly id?: string;
  readonly fields: JsonObject;
  /** A snapshot after that of the index has written the row. */
  readonly newer?: true;
}

/** A key that no row has. */
export interface MissingKey extends Coordinates {
  /** The key under its name in hits. */
  readonly coordinates: Coordinates;
  /** The value of a key of one column. */
  readonly id?: string;
}

/** Rows of the table by key. */
export interface KeysResponse extends TableLag {
  /** One row per key that exists, in the order of the request; absent keys are in `missing`. */
  readonly rows: readonly KeyRow[];
  readonly missing: readonly MissingKey[];
  /**
   * Shards that did not answer: their keys were looked up in the table. Absent on a complete
   * answer.
   */
  readonly failed_shards?: number;
  /** The table's, at which the rows were read. */
  readonly snapshot: string | null;
  readonly index_generation: number;
  readonly took_ms: number;
  /** Bytes of data files that were read for it. Absent for the callers of a tenant. */
  readonly bytes_read?: number;
}
