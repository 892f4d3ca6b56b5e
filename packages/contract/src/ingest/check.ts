/** Requests that build an index, sync it with its table and verify it. */

import { INDEX_FIELDS, name, path, snapshotId } from '../checks/shared.ts';
import {
  type Check,
  type Fields,
  flag,
  list,
  object,
  orNull,
  record,
  requestOf,
  whole,
  wrong,
} from '../checks/values.ts';
import { LhsError } from '../errors.ts';
import { REQUEST_LIMITS } from '../limits.ts';
import type { ChangeBatch, DeleteRef, SourceFile, SourceState } from './change-batch.ts';
import type {
  ApplyBatchRequest,
  CompactRequest,
  FollowRequest,
  ReindexRequest,
  SyncRequest,
  UpgradeRequest,
  VerifyRequest,
} from './request.ts';

/** Files of a snapshot, deletes of a file. */
const MOST_FILES = 2 ** 24;
const MOST_ROWS = Number.MAX_SAFE_INTEGER;
const MOST_SEGMENTS = 1_000_000;

const REINDEX_FIELDS: Fields<ReindexRequest> = {
  ...INDEX_FIELDS,
  as_of: name,
  resume: flag,
  threads: whole(1, REQUEST_LIMITS.buildThreads),
  memory_bytes: whole(REQUEST_LIMITS.buildMemoryBytes, Number.MAX_SAFE_INTEGER),
};
const readReindex = requestOf<ReindexRequest>(REINDEX_FIELDS);

/** Checks a request to build an index. Throws invalid_argument. */
export const checkReindexRequest = (value: unknown): ReindexRequest =>
  refuseResumedAsOf(readReindex(value));

function refuseResumedAsOf(request: ReindexRequest): ReindexRequest {
  if (request.resume !== true || request.as_of === undefined) return request;
  throw new LhsError('invalid_argument', '"resume" does not go with "as_of"', {
    hint: 'a resumed build has the snapshot that it began with: leave "as_of" out',
  });
}

const SYNC_FIELDS: Fields<SyncRequest> = {
  ...INDEX_FIELDS,
  until: name,
  net: flag,
  wait_ms: whole(0, REQUEST_LIMITS.waitMillis),
};
/** Checks a request to sync. Throws invalid_argument. */
export const checkSyncRequest = requestOf<SyncRequest>(SYNC_FIELDS);

const COMPACT_FIELDS: Fields<CompactRequest> = {
  ...INDEX_FIELDS,
  segments: whole(1, MOST_SEGMENTS),
};
/** Checks a request to compact. Throws invalid_argument or limit_exceeded. */
export const checkCompactRequest = requestOf<CompactRequest>(COMPACT_FIELDS);

const UPGRADE_FIELDS: Fields<UpgradeRequest> = { ...INDEX_FIELDS, plan: flag };
/** Checks a request to upgrade. Throws invalid_argument. */
export const checkUpgradeRequest = requestOf<UpgradeRequest>(UPGRADE_FIELDS);

const VERIFY_FIELDS: Fields<VerifyRequest> = {
  ...INDEX_FIELDS,
  snapshot: name,
  sample: whole(1, MOST_ROWS),
  repair: flag,
  deep: flag,
  generation: whole(1, MOST_ROWS),
};
const readVerify = requestOf<VerifyRequest>(VERIFY_FIELDS);

/** Checks a request to verify. Throws invalid_argument. */
export function checkVerifyRequest(value: unknown): VerifyRequest {
  const request = readVerify(value);
  if (request.repair !== true) return request;
  const other = (['sample', 'deep', 'generation'] as const).find(
    (key) => request[key] !== undefined,
  );
  if (other === undefined) return request;
  throw new LhsError('invalid_argument', `"repair" does not go with "${other}"`, {
    hint: `a repair compares the hashes of all rows of the live generation: leave "${other}" out`,
  });
}

const FOLLOW_FIELDS: Fields<FollowRequest> = {
  ...INDEX_FIELDS,
  poll_ms: whole(REQUEST_LIMITS.pollLeastMillis, REQUEST_LIMITS.pollMillis),
};
/** Checks a request to follow a table. Throws invalid_argument or limit_exceeded. */
export const checkFollowRequest = requestOf<FollowRequest>(FOLLOW_FIELDS);

const count = whole(0, MOST_ROWS);
const DELETE_FIELDS: Fields<DeleteRef> = { path, offset: count, length: count };
const FILE_FIELDS: Fields<SourceFile> = {
  path,
  records: count,
  sequence: snapshotId,
  deletes: list(record(DELETE_FIELDS, ['path']), MOST_FILES),
};
const STATE_FIELDS: Fields<SourceState> = {
  snapshot_id: orNull(snapshotId),
  sequence: snapshotId,
  schema: object,
  ref: name,
  files: list(record(FILE_FIELDS, ['path', 'records', 'sequence', 'deletes']), MOST_FILES),
};
/** The parts are checked one by one when they come (decode-part.ts). */
const parts: Check = (value, field) => {
  const streamed = typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
  if (!Array.isArray(value) && !streamed) throw wrong(field, value, 'an array of parts');
};
/** The form of batches that this version reads. */
const version: Check = (value, field) => {
  if (value !== 1) throw wrong(field, value, '1');
};
const BATCH_FIELDS: Fields<ChangeBatch> = {
  version,
  table_uuid: name,
  from: orNull(snapshotId),
  to: record(STATE_FIELDS, ['snapshot_id', 'sequence', 'schema', 'files']),
  parts,
  with_dropped: flag,
};
const APPLY_FIELDS: Fields<ApplyBatchRequest> = {
  ...INDEX_FIELDS,
  batch: record(BATCH_FIELDS, ['version', 'table_uuid', 'from', 'to', 'parts']),
};
/** Checks a change batch but for its parts. Throws invalid_argument or limit_exceeded. */
export const checkApplyBatchRequest = requestOf<ApplyBatchRequest>(APPLY_FIELDS, 'batch');
