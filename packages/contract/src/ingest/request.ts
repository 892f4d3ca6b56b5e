import type { ChangeBatch } from './change-batch.ts';

/** `POST /v1/index:reindex`. `as_of`: a snapshot, branch or tag; default: what the index follows. */
export interface ReindexRequest {
  readonly index?: string;
  readonly as_of?: string;
}

/** `lhs index sync`. `until`: a snapshot, branch or tag; default: the head. */
export interface SyncRequest {
  readonly index?: string;
  readonly until?: string;
}

/** A change batch for an index. */
export interface ApplyBatchRequest {
  readonly index?: string;
  readonly batch: ChangeBatch;
}

/** `POST /v1/index:compact`. `segments`: how many may be left, 1 by default. */
export interface CompactRequest {
  readonly index?: string;
  readonly segments?: number;
}

/** `POST /v1/index:verify`. */
export interface VerifyRequest {
  readonly index?: string;
  /** Snapshot, branch or tag to compare with. Default: the checkpoint's. */
  readonly snapshot?: string;
  /** Compare this many documents, chosen evenly, instead of all. */
  readonly sample?: number;
  readonly repair?: boolean;
}
