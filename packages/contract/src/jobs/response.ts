import type { BackupResponse, RestoreResponse } from '../backups/response.ts';
import type { Progress, ShardProgress, WindowProgress } from '../call.ts';
import type { ErasureResponse } from '../erasure/response.ts';
import type { ErrorCode } from '../errors.ts';
import type { AlterPlan, RollbackResponse } from '../indexes/response.ts';
import type {
  CompactResponse,
  ReindexResponse,
  UpgradeResponse,
  VerifyResponse,
} from '../ingest/response.ts';
import type { MoveWindowsResponse, ReindexWindowResponse } from '../windows/response.ts';

/**
 * pending -> building -> cutting_over -> done. A job that has not ended can become `failed` or
 * `canceled`: then everything that it staged is discarded and the live generation is intact.
 */
export type JobState = 'pending' | 'building' | 'cutting_over' | 'done' | 'failed' | 'canceled';

/** The states of a job that has ended. They never change. */
export const ENDED_JOB_STATES: ReadonlySet<JobState> = new Set(['done', 'failed', 'canceled']);

/** What a job of each kind ends with. */
export interface JobResults {
  readonly reindex: ReindexResponse;
  readonly alter: AlterPlan;
  readonly rollback: RollbackResponse;
  readonly compact: CompactResponse;
  readonly upgrade: UpgradeResponse;
  readonly verify: VerifyResponse;
  readonly backup: BackupResponse;
  readonly restore: RestoreResponse;
  readonly move_windows: MoveWindowsResponse;
  readonly reindex_window: ReindexWindowResponse;
  readonly erase: ErasureResponse;
}

/** What a job does: the long operation that it runs. */
export type JobKind = keyof JobResults;

/** Kinds of jobs that replace the live generation of an index. Each index has one at a time. */
export const BUILD_KINDS: ReadonlySet<JobKind> = new Set(['reindex', 'alter', 'rollback']);

/** Why a job failed. */
export interface JobError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * A job record: an immutable snapshot of a job at one moment. The progress of a job that runs in
 * another process is at most a second old.
 */
export type Job = { readonly [K in JobKind]: JobOf<K> }[JobKind];

/** The record of a job of one kind. */
export interface JobOf<K extends JobKind> {
  readonly job_id: string;
  readonly kind: K;
  /** The index's own name; of a restore, the name of the index that it makes. */
  readonly index: string;
  readonly state: JobState;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  /** ISO 8601, UTC. Absent until the job has ended. */
  readonly ended_at?: string;
  /** Documents: one entry per shard of the generation that is built or read, by ordinal. */
  readonly shards: readonly ShardProgress[];
  /** Windows that have documents so far; absent if the index has no windows. */
  readonly windows?: readonly WindowProgress[];
  /** What the work does now; absent before its first report, and after its end. */
  readonly phase?: Progress['phase'];
  /** As requested. */
  readonly as_of?: string;
  /** The snapshot that is being built. */
  readonly snapshot?: string;
  /** Bytes of the staged generation so far. */
  readonly bytes?: number;
  /** Bytes that were copied, of those to copy. Present in the phase `copying`. */
  readonly bytes_done?: number;
  readonly bytes_total?: number;
  /** Estimated milliseconds until the end of the current phase. */
  readonly eta_ms?: number;
  /** The process that runs the job; absent after its end. */
  readonly owner?: { readonly pid: number; readonly host: string };
  /** Present if cancellation was requested and the job has not stopped yet. */
  readonly canceling?: true;
  /** Present if the job's process ended in the middle and a resumed reindex can continue. */
  readonly resumable?: true;
  /** Present in the state `done`. */
  readonly result?: JobResults[K];
  /** Present in the state `failed`. */
  readonly error?: JobError;
}
