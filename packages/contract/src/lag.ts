/** How far the index is behind its table; part of every response. */
export interface TableLag {
  /** Snapshots that a sync would apply: 0 at the head; null: not known. */
  readonly lag_snapshots: number | null;
  /** Age in milliseconds of the check of the table; absent before the first check ends. */
  readonly lag_checked_ms?: number;
}
