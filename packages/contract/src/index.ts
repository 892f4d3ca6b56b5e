/** What programs use: the types of requests and responses, errors, and typed indexes. */
export type * from './accounts/request.ts';
export type * from './accounts/response.ts';
export type * from './aggregations/request.ts';
export type * from './aggregations/response.ts';
export type * from './aliases/request.ts';
export type { SearchApi } from './backend.ts';
export type * from './backups/request.ts';
export type * from './backups/response.ts';
export type * from './call.ts';
export type * from './cluster/request.ts';
export type * from './cluster/response.ts';
export type { Coordinates, KeyPart } from './coordinates.ts';
export type * from './diff/request.ts';
export type * from './diff/response.ts';
export type { HitReader } from './each-hit.ts';
export type * from './erasure/request.ts';
export type * from './erasure/response.ts';
export {
  ERROR_CODES,
  type ErrorAdvice,
  type ErrorCode,
  type ErrorPlace,
  errorBody,
  LhsError,
} from './errors.ts';
export type * from './explain/request.ts';
export type * from './explain/response.ts';
export type * from './generation-description.ts';
export type { Backend, Service } from './grouped.ts';
export type * from './index-request.ts';
export type * from './indexes/request.ts';
export type * from './indexes/response.ts';
export type * from './ingest/change-batch.ts';
export type * from './ingest/request.ts';
export type * from './ingest/response.ts';
export type * from './jobs/request.ts';
export type { Job, JobError, JobKind, JobOf, JobResults, JobState } from './jobs/response.ts';
export type { Json, JsonObject } from './json.ts';
export type * from './keys/request.ts';
export type * from './keys/response.ts';
export type * from './lag.ts';
export type { NextStep, SyncedBy } from './next-step.ts';
export type * from './points-in-time/request.ts';
export type * from './points-in-time/response.ts';
export type * from './query-text/request.ts';
export type * from './query-text/response.ts';
export type * from './saved-queries/request.ts';
export type * from './saved-queries/response.ts';
export type * from './search/agg-spec.ts';
export type { ClauseCount, ClauseElsewhere } from './search/clause-count.ts';
export * from './search/query-builder.ts';
export type { KeyKind, QueryTree, TagKeys, TagShape } from './search/query-tree.ts';
export type * from './search/request.ts';
export type * from './search/response.ts';
export type * from './shard-description.ts';
export type * from './source/request.ts';
export type * from './source/response.ts';
export { type DefinedIndex, defineIndex } from './typed/define-index.ts';
export type * from './typed/definition-object.ts';
export type * from './typed/definition-source.ts';
export type * from './typed/index-types.ts';
export * from './typed/typed-backend.ts';
export type * from './typed/typed-request.ts';
export type * from './typed/typed-results.ts';
export * from './version.ts';
export type * from './window-description.ts';
export type * from './windows/request.ts';
export type * from './windows/response.ts';
