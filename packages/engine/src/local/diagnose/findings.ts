import type { NextStep } from '@lakehouse-search/contract';

/** What a finding is about. */
export type FindingKind =
  | 'backup'
  | 'disk'
  | 'failed_job'
  | 'kept_generations'
  | 'merge'
  | 'model'
  | 'orphans'
  | 'snapshot_expiry'
  | 'source'
  | 'stale_lock'
  | 'sync';

/** Something about an index that its owner should know. */
export interface IndexFinding {
  readonly kind: FindingKind;
  /** problem: searches, syncs or the next build fail or will fail. note: it costs something. */
  readonly level: 'problem' | 'note';
  /** A sentence. */
  readonly detail: string;
  /** What to do. */
  readonly advice: string;
  readonly next?: readonly NextStep[];
  /** Bytes on disk that it is about. */
  readonly bytes?: number;
}
