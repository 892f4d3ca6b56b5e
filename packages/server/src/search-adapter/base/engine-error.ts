/** Errors as the imitated engine writes them: `{error: {root_cause, type, reason}, status}`. */
import { type ErrorCode, type JsonObject, LhsError } from '@lakehouse-search/contract';
import { restError } from '../../rest/send-error.ts';
import { RefusedDsl } from '../query/refusal.ts';

/** An error response. */
export interface EngineError {
  readonly status: number;
  readonly body: JsonObject;
  /** The error of the service behind it, for the record of the call. */
  readonly error: LhsError;
}

/** The name of the one node that is shown. */
export const NODE = 'lhs';

/** What is wrong. */
interface Cause {
  readonly type: string;
  readonly reason: string;
}

const CODES = Object.freeze({
  400: 'invalid_argument',
  406: 'invalid_argument',
  429: 'overloaded',
  501: 'unsupported',
} as const);
const TYPES: Partial<Readonly<Record<ErrorCode, string>>> = {
  invalid_argument: 'illegal_argument_exception',
  invalid_query: 'query_shard_exception',
  limit_exceeded: 'illegal_argument_exception',
  unauthenticated: 'security_exception',
  permission_denied: 'security_exception',
  index_not_found: 'index_not_found_exception',
  not_found: 'resource_not_found_exception',
  overloaded: 'es_rejected_execution_exception',
  deadline_exceeded: 'timeout_exception',
  interrupted: 'task_cancelled_exception',
  unsupported: 'unsupported_operation_exception',
  unreachable: 'no_shard_available_action_exception',
  source_unreachable: 'no_shard_available_action_exception',
  index_not_built: 'no_shard_available_action_exception',
  closed: 'node_closed_exception',
};

/** Any error as a response. `index`: the name that an index_not_found_exception names. */
export function engineError(thrown: unknown, index = '_all'): EngineError {
  if (thrown instanceof RefusedDsl) {
    const { status, type, reason } = thrown.refusal;
    const code = CODES[status];
    return {
      status,
      body: bodyOf(status, { type, reason }, index),
      error: new LhsError(code, reason),
    };
  }
  const { error, status } = restError(thrown);
  if (error.details.search_context !== undefined) return missingContext(error);
  if (error.code === 'index_not_found') return { ...missingIndex(error, index), error };
  const type = typeof thrown === 'object' ? (TYPES[error.code] ?? 'status_exception') : '';
  const reason = error.hint === undefined ? error.message : `${error.message} (${error.hint})`;
  return { status, body: bodyOf(status, { type, reason }, index), error };
}

/** Errors that the imitated engine finds in a shard, not while it reads the request. */
const SHARD_TYPES: ReadonlySet<string> = new Set(['query_shard_exception', 'parse_exception']);

function bodyOf(status: number, cause: Cause, index: string): JsonObject {
  if (!SHARD_TYPES.has(cause.type)) return errorJson(status, cause.type, cause.reason);
  const failed = { shard: 0, index, node: NODE, reason: { ...cause } };
  return shardsFailed(status, cause, failed, { caused_by: { ...cause } });
}

/** The body of an error of all shards. */
function shardsFailed(
  status: number,
  cause: Cause,
  failed: JsonObject,
  more: JsonObject = {},
): JsonObject {
  const type = 'search_phase_execution_exception';
  const error = { type, reason: 'all shards failed', phase: 'query', grouped: true };
  return {
    error: { root_cause: [{ ...cause }], ...error, failed_shards: [failed], ...more },
    status,
  };
}

/** The type and the reason of an error. */
export function causeOf(thrown: unknown, index: string): Cause {
  const { error } = engineError(thrown, index).body as { readonly error: JsonObject };
  const [cause] = error.root_cause as readonly JsonObject[];
  return { type: String(cause.type), reason: String(cause.reason) };
}

/** The body of an error. */
export function errorJson(status: number, type: string, reason: string, more: JsonObject = {}) {
  const cause = { type, reason, ...more };
  return { error: { root_cause: [cause], ...cause }, status };
}

function missingIndex(error: LhsError, requested: string) {
  const index = typeof error.details.index === 'string' ? error.details.index : requested;
  const more = {
    'resource.type': 'index_or_alias',
    'resource.id': index,
    index_uuid: '_na_',
    index,
  };
  const body = errorJson(404, 'index_not_found_exception', `no such index [${index}]`, more);
  return { status: 404, body };
}

/** A point in time or scroll that has been closed, has expired, or never was. */
export function noSearchContext(id: string): LhsError {
  const message = `No search context found for id [${id.slice(0, 100)}]`;
  return new LhsError('not_found', message, { details: { search_context: true } });
}

function missingContext(error: LhsError): EngineError {
  const cause = { type: 'search_context_missing_exception', reason: error.message };
  const failed = { shard: -1, index: null, reason: cause };
  return { status: 404, body: shardsFailed(404, cause, failed), error };
}
