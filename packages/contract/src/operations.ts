import { ACCOUNT_OPERATIONS } from './accounts/operations.ts';
import { AGGREGATION_OPERATIONS } from './aggregations/operations.ts';
import { ALIAS_OPERATIONS } from './aliases/operations.ts';
import { BACKUP_OPERATIONS } from './backups/operations.ts';
import { CLUSTER_OPERATIONS } from './cluster/operations.ts';
import { DIFF_OPERATIONS } from './diff/operations.ts';
import { ERASURE_OPERATIONS } from './erasure/operations.ts';
import { EXPLAIN_OPERATIONS } from './explain/operations.ts';
import { INDEX_OPERATIONS } from './indexes/operations.ts';
import { INGEST_OPERATIONS } from './ingest/operations.ts';
import { JOB_OPERATIONS } from './jobs/operations.ts';
import { KEY_OPERATIONS } from './keys/operations.ts';
import type { NodeRule, OperationRow } from './operation.ts';
import { PIT_OPERATIONS } from './points-in-time/operations.ts';
import { QUERY_TEXT_OPERATIONS } from './query-text/operations.ts';
import { SAVED_QUERY_OPERATIONS } from './saved-queries/operations.ts';
import { SEARCH_OPERATIONS } from './search/operations.ts';
import type { Operation } from './service.ts';
import { SOURCE_OPERATIONS } from './source/operations.ts';
import { WINDOW_OPERATIONS } from './windows/operations.ts';

/**
 * Every operation of a service, each declared once beside its request and response. REST, gRPC,
 * OpenAPI, the checks of clients and servers, scopes and gateways derive from it.
 */
export const OPERATIONS = Object.freeze({
  ...SEARCH_OPERATIONS,
  ...AGGREGATION_OPERATIONS,
  ...EXPLAIN_OPERATIONS,
  ...DIFF_OPERATIONS,
  ...PIT_OPERATIONS,
  ...QUERY_TEXT_OPERATIONS,
  ...KEY_OPERATIONS,
  ...INDEX_OPERATIONS,
  ...SOURCE_OPERATIONS,
  ...JOB_OPERATIONS,
  ...CLUSTER_OPERATIONS,
  ...ALIAS_OPERATIONS,
  ...SAVED_QUERY_OPERATIONS,
  ...INGEST_OPERATIONS,
  ...WINDOW_OPERATIONS,
  ...BACKUP_OPERATIONS,
  ...ERASURE_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
}) satisfies { readonly [K in Operation]: OperationRow };

/** The names of all operations. */
export const OPERATION_NAMES = Object.freeze(Object.keys(OPERATIONS) as Operation[]);

/** The operations of indexes that a control plane answers. */
export type OperationOfPlane = {
  [K in Operation]: ['answers' & (typeof OPERATIONS)[K]['plane']] extends [never] ? never : K;
}[Operation];

/** The operations over a fixed list of nodes that follow these rules. */
export type OperationOver<R extends NodeRule> = {
  [K in Operation]: [R & (typeof OPERATIONS)[K]['nodes']] extends [never] ? never : K;
}[Operation];
