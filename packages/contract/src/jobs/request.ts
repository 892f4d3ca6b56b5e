import type { ReindexRequest } from '../ingest/request.ts';
import type { JobKind, JobState } from './response.ts';

/**
 * `POST /v1/jobs`: the work of a new job. Each kind carries the fields of its blocking operation.
 * One kind exists now; others (alter, backup, verify, compact) join the union.
 */
export type StartJobRequest = { readonly kind: JobKind } & ReindexRequest;

/** `GET /v1/jobs/{id}`, `DELETE /v1/jobs/{id}`, and to watch a job. */
export interface JobRequest {
  readonly job_id: string;
}

/** `GET /v1/jobs`. Every field narrows the list. */
export interface ListJobsRequest {
  readonly index?: string;
  readonly state?: JobState;
  /** Jobs at most, 100 by default. */
  readonly limit?: number;
}
