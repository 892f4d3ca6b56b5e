import { checkIndexRequest } from '../checks/shared.ts';
import { INDEX, STATE } from '../examples.ts';
import { operation } from '../operation.ts';
import {
  checkApplyBatchRequest,
  checkCompactRequest,
  checkFollowRequest,
  checkReindexRequest,
  checkSyncRequest,
  checkUpgradeRequest,
  checkVerifyRequest,
} from './check.ts';

const CHANGE = { scope: 'ops', nodes: 'each', plane: 'answers' } as const;

/** The operations of the state of an index and its table. */
export const INGEST_OPERATIONS = Object.freeze({
  reindex: operation('POST /v1/index:reindex', 'Admin/ReindexIndex', {
    member: 'indexes.reindex',
    scope: 'admin',
    nodes: 'each',
    plane: 'answers',
    activity: 'only',
    check: checkReindexRequest,
    example: INDEX,
  }),
  sync: operation('POST /v1/index:sync', 'Admin/SyncIndex', {
    member: 'indexes.sync',
    scope: 'admin',
    nodes: 'whole',
    plane: 'refuses',
    check: checkSyncRequest,
    example: INDEX,
  }),
  follow: operation('POST /v1/index:follow', 'Admin/Follow', {
    member: 'indexes.follow',
    scope: 'admin',
    plane: 'refuses',
    stream: 'responses',
    check: checkFollowRequest,
    example: { ...INDEX, poll_ms: 1000 },
  }),
  status: operation('POST /v1/index:status', 'Admin/IngestionStatus', {
    member: 'indexes.status',
    scope: 'index_read',
    nodes: 'answering',
    idempotent: true,
    also: ['GET /v1/ingestion/{index}'],
    check: checkIndexRequest,
    example: INDEX,
  }),
  verify: operation('POST /v1/index:verify', 'Admin/VerifyIndex', {
    member: 'indexes.verify',
    scope: 'ops',
    nodes: 'whole',
    check: checkVerifyRequest,
    example: { ...INDEX, sample: 1000 },
  }),
  compact: operation('POST /v1/index:compact', 'Admin/CompactIndex', {
    member: 'indexes.compact',
    ...CHANGE,
    activity: 'only',
    check: checkCompactRequest,
    example: INDEX,
  }),
  upgrade: operation('POST /v1/index:upgrade', 'Admin/UpgradeIndex', {
    member: 'indexes.upgrade',
    ...CHANGE,
    activity: 'only',
    check: checkUpgradeRequest,
    example: { ...INDEX, plan: true },
  }),
  applyBatch: operation('POST /v1/index:apply', 'Write/ApplyBatch', {
    member: 'indexes.applyBatch',
    scope: 'admin',
    nodes: 'each',
    plane: 'refuses',
    idempotent: true,
    stream: 'requests',
    check: checkApplyBatchRequest,
    example: {
      ...INDEX,
      batch: { version: 1, table_uuid: 'uuid', from: '41', to: STATE, parts: [] },
    },
  }),
  getCheckpoint: operation('POST /v1/index:checkpoint', 'Write/GetCheckpoint', {
    member: 'indexes.checkpoint',
    scope: 'index_read',
    nodes: 'each',
    idempotent: true,
    check: checkIndexRequest,
    example: INDEX,
  }),
});
