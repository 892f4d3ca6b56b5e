/** The part of an answer that says how far the index is behind its table. */
export interface TableLag {
  /** Snapshots that a sync would apply: 0 at the head; null: not known. */
  readonly lag_snapshots: number | null;
  /** Age in milliseconds of the look at the table that says so; absent: there was none yet. */
  readonly lag_checked_ms?: number;
}
