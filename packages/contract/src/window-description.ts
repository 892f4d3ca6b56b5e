/** A window of an index: its documents with a date in one period. */
export interface WindowDescription {
  /** `2026`, `2026-03`, `2026-03-09` (of a week its Monday); `none`: documents without a date. */
  readonly window: string;
  /** First day, `YYYY-MM-DD`, UTC; null: documents without a date. */
  readonly from: string | null;
  /** The first day behind the window; null: documents without a date. */
  readonly to: string | null;
  readonly num_docs: number;
  readonly deleted_docs: number;
  readonly segments: number;
  /** Size of all files; of a cold window, most of them are in the object store. */
  readonly bytes: number;
  /** `cold`: files of the window are in an object store. */
  readonly tier: 'hot' | 'cold';
  /** Bytes on the local disk. Absent: the window is hot. */
  readonly local_bytes?: number;
}

/** How an index is cut into windows. */
export interface WindowList {
  /** The DATE field. */
  readonly field: string;
  readonly every: 'day' | 'week' | 'month' | 'year';
  /** By time, documents without a date last. */
  readonly windows: readonly WindowDescription[];
}
