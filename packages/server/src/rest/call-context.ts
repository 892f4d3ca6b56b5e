import { type CallContext, LhsError, type Principal } from '@lakehouse-search/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { onceClosed } from './once-closed.ts';

/** The context of a call, without a signal. Throws invalid_argument. */
export function contextOf(
  request: FastifyRequest,
  principal: Principal | undefined,
): Omit<CallContext, 'signal'> {
  const deadline = deadlineOf(request.headers['lhs-timeout-ms']);
  const own = deadline === undefined ? {} : { deadline };
  return principal === undefined ? own : { ...own, principal };
}

/** A signal that is aborted when the client closes the connection. */
export function signalOf(reply: FastifyReply): {
  readonly signal: AbortSignal;
  readonly abort: () => void;
} {
  const controller = new AbortController();
  const abort = () => controller.abort();
  onceClosed(reply, () => {
    if (!reply.raw.writableEnded) abort();
  });
  return { signal: controller.signal, abort };
}

/** The header `lhs-timeout-ms` as a time. Throws invalid_argument. */
function deadlineOf(header: string | readonly string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^\d{1,10}$/.test(header)) return Date.now() + Number(header);
  const message = `the header "lhs-timeout-ms" is ${JSON.stringify(header)}: expected milliseconds`;
  throw new LhsError('invalid_argument', message);
}
