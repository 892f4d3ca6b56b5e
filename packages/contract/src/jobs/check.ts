/** Requests that start, find and cancel jobs. */
import { INDEX_FIELDS, name } from '../checks/shared.ts';
import { type Fields, oneOf, requestOf, whole } from '../checks/values.ts';
import { REINDEX_FIELDS, refuseResumedAsOf } from '../ingest/check.ts';
import { REQUEST_LIMITS } from '../limits.ts';
import type { JobRequest, ListJobsRequest, StartJobRequest } from './request.ts';
import type { JobState } from './response.ts';

const STATES: Readonly<Record<JobState, true>> = {
  pending: true,
  building: true,
  cutting_over: true,
  done: true,
  failed: true,
  canceled: true,
};

const START_FIELDS: Fields<StartJobRequest> = { ...REINDEX_FIELDS, kind: oneOf('reindex') };
const readStart = requestOf<StartJobRequest>(START_FIELDS, 'kind');

/** Checks a request to start a job. Throws invalid_argument. */
export const checkStartJobRequest = (value: unknown): StartJobRequest =>
  refuseResumedAsOf(readStart(value));

/** Checks a request that names a job. Throws invalid_argument. */
export const checkJobRequest = requestOf<JobRequest>({ job_id: name }, 'job_id');

const LIST_FIELDS: Fields<ListJobsRequest> = {
  ...INDEX_FIELDS,
  state: oneOf(...Object.keys(STATES)),
  limit: whole(1, REQUEST_LIMITS.listedJobs),
};
const readList = requestOf<ListJobsRequest>(LIST_FIELDS);

/** Checks a request for a list of jobs. Throws invalid_argument or limit_exceeded. */
export const checkListJobsRequest = (request: unknown = {}): ListJobsRequest => readList(request);
