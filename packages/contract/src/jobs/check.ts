/** Requests that start, find and cancel jobs. */
import { checkBackupRequest, checkRestoreRequest } from '../backups/check.ts';
import { INDEX_FIELDS, name } from '../checks/shared.ts';
import { type Fields, object, oneOf, requestOf, whole, wrong } from '../checks/values.ts';
import { checkErasureRunRequest } from '../erasure/check.ts';
import { checkAlterRequest, checkRollbackRequest } from '../indexes/check.ts';
import type { AlterIndexRequest } from '../indexes/request.ts';
import {
  checkCompactRequest,
  checkReindexRequest,
  checkUpgradeRequest,
  checkVerifyRequest,
} from '../ingest/check.ts';
import type { UpgradeRequest } from '../ingest/request.ts';
import { REQUEST_LIMITS } from '../limits.ts';
import { checkMoveWindowsRequest, checkReindexWindowRequest } from '../windows/check.ts';
import type { JobRequest, JobRequests, ListJobsRequest, StartJobRequest } from './request.ts';
import type { JobKind, JobState } from './response.ts';

const STATES: Readonly<Record<JobState, true>> = {
  pending: true,
  building: true,
  cutting_over: true,
  done: true,
  failed: true,
  canceled: true,
};

/** The check of each kind's request. */
const CHECKS: { readonly [K in JobKind]: (request: unknown) => JobRequests[K] } = {
  reindex: checkReindexRequest,
  alter: applied,
  rollback: checkRollbackRequest,
  compact: checkCompactRequest,
  upgrade: notPlanned,
  verify: checkVerifyRequest,
  backup: checkBackupRequest,
  restore: checkRestoreRequest,
  move_windows: checkMoveWindowsRequest,
  reindex_window: checkReindexWindowRequest,
  erase: checkErasureRunRequest,
};
const isKind = oneOf(...Object.keys(CHECKS));

/** Checks the request of a kind's operation, as it runs in a job. Throws invalid_argument, … */
export const checkWork = <K extends JobKind>(kind: K, request: unknown): JobRequests[K] =>
  CHECKS[kind](request);

/** Checks a request to start a job: as its operation does. Throws invalid_argument, … */
export function checkStartJobRequest(value: unknown): StartJobRequest {
  object(value, '');
  const { kind, ...request } = value as { readonly kind: JobKind };
  isKind(kind, 'kind');
  return { kind, ...CHECKS[kind](request) } as StartJobRequest;
}

function applied(value: unknown): AlterIndexRequest {
  const request = checkAlterRequest(value);
  if (request.apply === true) return request;
  throw wrong('apply', request.apply, 'true: a plan alone is no job');
}

function notPlanned(value: unknown): UpgradeRequest {
  const request = checkUpgradeRequest(value);
  if (request.plan !== true) return request;
  throw wrong('plan', request.plan, 'false: a plan alone is no job');
}

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
