import { INDEX, JOB } from '../examples.ts';
import { operation } from '../operation.ts';
import { checkJobRequest, checkListJobsRequest, checkStartJobRequest } from './check.ts';

const READ = { scope: 'index_read', plane: 'answers', idempotent: true } as const;

/** The operations of jobs. */
export const JOB_OPERATIONS = Object.freeze({
  startJob: operation('POST /v1/jobs', 'Admin/StartJob', {
    member: 'jobs.start',
    scope: 'admin',
    plane: 'answers',
    status: 202,
    defaults: { kind: 'reindex' },
    activity: 'only',
    check: checkStartJobRequest,
    example: { ...INDEX, kind: 'reindex' },
  }),
  getJob: operation('GET /v1/jobs/{job_id}', 'Admin/GetJob', {
    member: 'jobs.get',
    ...READ,
    check: checkJobRequest,
    example: JOB,
  }),
  listJobs: operation('GET /v1/jobs', 'Admin/ListJobs', {
    member: 'jobs.list',
    ...READ,
    list: 'jobs',
    check: checkListJobsRequest,
    example: { ...INDEX, limit: 10 },
  }),
  cancelJob: operation('DELETE /v1/jobs/{job_id}', 'Admin/CancelJob', {
    member: 'jobs.cancel',
    scope: 'admin',
    plane: 'answers',
    idempotent: true,
    activity: 'named',
    check: checkJobRequest,
    example: JOB,
  }),
  watchJob: operation('GET /v1/jobs/{job_id}/watch', 'Admin/WatchJob', {
    member: 'jobs.watch',
    ...READ,
    stream: 'responses',
    check: checkJobRequest,
    example: JOB,
  }),
});
