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
    return { status, body: errorJson(status, type, reason), error: new LhsError(code, reason) };
  }
  const { error, status } = restError(thrown);
  if (error.details.search_context !== undefined) return missingContext(error);
  if (error.code === 'index_not_found') return { ...missingIndex(error, index), error };
  const type = typeof thrown === 'object' ? (TYPES[error.code] ?? 'status_exception') : '';
  const reason = error.hint === undefined ? error.message : `${error.message} (${error.hint})`;
  return { status, body: errorJson(status, type, reason), error };
}

/** The type and the reason of an error. */
export function causeOf(
  thrown: unknown,
  index: string,
): { readonly type: string; readonly reason: string } {
  const { error } = engineError(thrown, index).body as { readonly error: JsonObject };
  return { type: String(error.type), reason: String(error.reason) };
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
  const reason = { type: 'search_context_missing_exception', reason: error.message };
  const failed = { shard: -1, index: null, reason };
  const body = {
    error: {
      root_cause: [reason],
      type: 'search_phase_execution_exception',
      reason: 'all shards failed',
      phase: 'query',
      grouped: true,
      failed_shards: [failed],
    },
    status: 404,
  };
  return { status: 404, body, error };
}
