import { INDEX, JOB } from '../examples.ts';
import { operation } from '../operation.ts';
import { checkJobRequest, checkListJobsRequest, checkStartJobRequest } from './check.ts';

const READ = { scope: 'index_read', plane: 'answers', idempotent: true } as const;

/** The operations of jobs. */
export const JOB_OPERATIONS = Object.freeze({
  startJob: operation('POST /v1/jobs', 'Admin/StartJob', {
    scope: 'admin',
    plane: 'answers',
    status: 202,
    defaults: { kind: 'reindex' },
    check: checkStartJobRequest,
    example: { ...INDEX, kind: 'reindex' },
  }),
  getJob: operation('GET /v1/jobs/{job_id}', 'Admin/GetJob', {
    ...READ,
    check: checkJobRequest,
    example: JOB,
  }),
  listJobs: operation('GET /v1/jobs', 'Admin/ListJobs', {
    ...READ,
    list: 'jobs',
    check: checkListJobsRequest,
    example: { ...INDEX, limit: 10 },
  }),
  cancelJob: operation('DELETE /v1/jobs/{job_id}', 'Admin/CancelJob', {
    scope: 'admin',
    plane: 'answers',
    idempotent: true,
    check: checkJobRequest,
    example: JOB,
  }),
  watchJob: operation('GET /v1/jobs/{job_id}/watch', 'Admin/WatchJob', {
    ...READ,
    stream: 'responses',
    check: checkJobRequest,
    example: JOB,
  }),
});
