import type { CallContext, Principal } from '@lakehouse-search/contract';
import type { Operation } from '@lakehouse-search/contract/internal';
import type { AgentBackend } from '@lakehouse-search/mcp';
import type { Arrival } from '../access/access.ts';
import { type Calls, indexOf, refusedCaller } from '../calls/calls.ts';
import { publicError } from '../calls/public-error.ts';
import type { CallRecord } from '../observe/observer.ts';
import { childOf, type Span, spanRecord } from '../observe/trace-context.ts';

/** The caller of a request. */
export interface AgentCaller {
  readonly arrival: Arrival;
  readonly authorization: string | undefined;
  /** The span of the request; each of its operations has a child of it. */
  readonly span: Span;
}

/**
 * The backend of one request: each operation goes the way of a call of REST, under the token of the
 * caller, and is recorded as one.
 */
export function agentBackend(calls: Calls, caller: AgentCaller): AgentBackend {
  const run = (operation: Operation) => async (request: unknown, call?: CallContext) => {
    const began = performance.now();
    let principal: Principal | undefined;
    let release: (() => void) | undefined;
    try {
      const begun = await calls.begin(operation, caller.arrival, caller.authorization, request);
      ({ principal, release } = begun);
      const context = principal === undefined ? call : { ...call, principal };
      const answer = await calls.run(operation, request, context ?? {}, caller.span);
      calls.observer?.ended(recordOf(operation, caller, request, principal, began, undefined));
      return answer;
    } catch (error) {
      const known = publicError(error);
      principal ??= refusedCaller(error);
      calls.observer?.ended(recordOf(operation, caller, request, principal, began, known));
      throw known;
    } finally {
      release?.();
    }
  };
  return {
    search: run('search'),
    semantic: run('semantic'),
    hybrid: run('hybrid'),
    aggregate: run('aggregate'),
    getKeys: run('getKeys'),
    indexes: { list: run('listIndexes'), describe: run('describeIndex') },
  } as AgentBackend;
}

const OK = 200;

function recordOf(
  operation: Operation,
  { arrival, span }: AgentCaller,
  request: unknown,
  principal: Principal | undefined,
  began: number,
  error: ReturnType<typeof publicError> | undefined,
): CallRecord {
  const index = indexOf(request);
  return {
    ...arrival,
    ...spanRecord(childOf(span)),
    operation,
    ...(index === undefined ? {} : { index }),
    ...(principal === undefined ? {} : { subject: principal.subject }),
    ...(principal?.tenant === undefined ? {} : { tenant: principal.tenant }),
    status: error?.status ?? OK,
    ...(error === undefined ? {} : { code: error.code, cause: error.cause }),
    micros: Math.round((performance.now() - began) * 1000),
    bytes_in: 0,
    bytes_out: 0,
  };
}
