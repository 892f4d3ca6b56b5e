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
  | 'published'
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

/** What an index takes. */
export interface IndexUsage {
  /** Bytes of the files of its live generation, by what they hold. */
  readonly bytes: {
    readonly postings: number;
    readonly columns: number;
    readonly stored: number;
    readonly vectors: number;
    readonly keys: number;
  };
  /** Its objects in the store where it was published last. Absent: it was not. */
  readonly objects?: { readonly count: number; readonly bytes: number };
  /** Of the last process that fetched blocks by location here. Absent: there was none. */
  readonly reads?: ReadUsage;
}

/** Blocks that the reads of a process have fetched from a store. */
export interface ReadUsage {
  readonly requests: number;
  readonly bytes: number;
}
