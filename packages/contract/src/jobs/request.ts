import type { BackupRequest, RestoreRequest } from '../backups/request.ts';
import type { ErasureRunRequest } from '../erasure/request.ts';
import type { AlterIndexRequest, RollbackIndexRequest } from '../indexes/request.ts';
import type {
  CompactRequest,
  ReindexRequest,
  UpgradeRequest,
  VerifyRequest,
} from '../ingest/request.ts';
import type { MoveWindowsRequest, ReindexWindowRequest } from '../windows/request.ts';
import type { JobKind, JobState } from './response.ts';

/** The requests of the operations that run as jobs. */
export interface JobRequests {
  readonly reindex: ReindexRequest;
  /** `apply` must be true: a plan alone is no job. */
  readonly alter: AlterIndexRequest;
  readonly rollback: RollbackIndexRequest;
  readonly compact: CompactRequest;
  /** `plan` must not be true: a plan alone is no job. */
  readonly upgrade: UpgradeRequest;
  readonly verify: VerifyRequest;
  readonly backup: BackupRequest;
  readonly restore: RestoreRequest;
  readonly move_windows: MoveWindowsRequest;
  readonly reindex_window: ReindexWindowRequest;
  readonly erase: ErasureRunRequest;
}

/** `POST /v1/jobs`: the work of a new job, with the fields of its blocking operation. */
export type StartJobRequest = {
  readonly [K in JobKind]: { readonly kind: K } & JobRequests[K];
}[JobKind];

/** `GET /v1/jobs/{id}`, `DELETE /v1/jobs/{id}`, and to watch a job. */
export interface JobRequest {
  readonly job_id: string;
}

/** `GET /v1/jobs`. Every field narrows the list. */
export interface ListJobsRequest {
  readonly index?: string | undefined;
  readonly state?: JobState | undefined;
  /** Jobs at most, 100 by default. */
  readonly limit?: number | undefined;
}
