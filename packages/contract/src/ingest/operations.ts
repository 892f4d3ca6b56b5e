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
    scope: 'admin',
    nodes: 'each',
    plane: 'answers',
    check: checkReindexRequest,
    example: INDEX,
  }),
  sync: operation('POST /v1/index:sync', 'Admin/SyncIndex', {
    scope: 'admin',
    nodes: 'whole',
    plane: 'refuses',
    check: checkSyncRequest,
    example: INDEX,
  }),
  follow: operation('POST /v1/index:follow', 'Admin/Follow', {
    scope: 'admin',
    plane: 'refuses',
    stream: 'responses',
    check: checkFollowRequest,
    example: { ...INDEX, poll_ms: 1000 },
  }),
  status: operation('POST /v1/index:status', 'Admin/IngestionStatus', {
    scope: 'index_read',
    nodes: 'answering',
    idempotent: true,
    also: ['GET /v1/ingestion/{index}'],
    check: checkIndexRequest,
    example: INDEX,
  }),
  verify: operation('POST /v1/index:verify', 'Admin/VerifyIndex', {
    scope: 'ops',
    nodes: 'whole',
    check: checkVerifyRequest,
    example: { ...INDEX, sample: 1000 },
  }),
  compact: operation('POST /v1/index:compact', 'Admin/CompactIndex', {
    ...CHANGE,
    check: checkCompactRequest,
    example: INDEX,
  }),
  upgrade: operation('POST /v1/index:upgrade', 'Admin/UpgradeIndex', {
    ...CHANGE,
    check: checkUpgradeRequest,
    example: { ...INDEX, plan: true },
  }),
  applyBatch: operation('POST /v1/index:apply', 'Write/ApplyBatch', {
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
    scope: 'index_read',
    nodes: 'each',
    idempotent: true,
    check: checkIndexRequest,
    example: INDEX,
  }),
});
