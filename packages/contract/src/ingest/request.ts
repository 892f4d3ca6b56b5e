import type { IndexRequest } from '../index-request.ts';
import type { ChangeBatch } from './change-batch.ts';

/**
 * `POST /v1/index:reindex`. `as_of`: a snapshot, branch or tag; default: what the index follows.
 */
export interface ReindexRequest {
  readonly index?: string | undefined;
  readonly as_of?: string | undefined;
  /** Continue the build of a job whose process ended in the middle. Not with `as_of`. */
  readonly resume?: boolean | undefined;
  /** Threads that build, the caller's among them. Default: one per core. The index is the same. */
  readonly threads?: number | undefined;
  /** Bytes of memory that the build may take, from 224 MiB on. Default: 1 GiB. */
  readonly memory_bytes?: number | undefined;
}

/** `lhs index sync`. `until`: a snapshot, branch or tag; default: the head. */
export interface SyncRequest {
  readonly index?: string | undefined;
  readonly until?: string | undefined;
  /**
   * Whether one commit applies all new snapshots (`true`), or one commit each (`false`). Default:
   * one commit if there are more than 16.
   */
  readonly net?: boolean | undefined;
  /** Milliseconds to wait while another process writes the index (30,000). */
  readonly wait_ms?: number | undefined;
}

/** A change batch for an index. */
export interface ApplyBatchRequest {
  readonly index?: string | undefined;
  readonly batch: ChangeBatch;
}

/** `POST /v1/index:compact`. `segments`: how many may be left, 1 by default. */
export interface CompactRequest {
  readonly index?: string | undefined;
  readonly segments?: number | undefined;
}

/** `POST /v1/index:upgrade`. `plan`: return what would be rewritten, and change nothing. */
export interface UpgradeRequest {
  readonly index?: string | undefined;
  readonly plan?: boolean | undefined;
}

/** `POST /v1/index:verify`. */
export interface VerifyRequest {
  readonly index?: string | undefined;
  /** Snapshot, branch or tag to compare with. Default: the checkpoint's. */
  readonly snapshot?: string | undefined;
  /** Compare this many documents, chosen evenly, instead of all. */
  readonly sample?: number | undefined;
  readonly repair?: boolean | undefined;
  /** A kept generation instead of the live one. Not with `repair`. */
  readonly generation?: number | undefined;
  /**
   * Also index the rows again, in a temporary folder, and compare terms, positions, values and
   * vectors. With `sample`: those of the sample.
   */
  readonly deep?: boolean | undefined;
}

/** Follows the table of an index until the call is aborted. */
export interface FollowRequest extends IndexRequest {
  /**
   * Longest pause in milliseconds between two looks at the catalog while nothing happens (5,000).
   */
  readonly poll_ms?: number | undefined;
}
