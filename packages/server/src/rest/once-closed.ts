import { LhsError } from '@lakehouse-search/contract';
import type { FastifyReply } from 'fastify';

/**
 * Calls `work` once: when the response has been sent, or when the connection has closed before. It
 * may have closed already, while the caller was looked up: then no event follows.
 */
export function onceClosed({ raw }: FastifyReply, work: () => void): void {
  if (raw.closed) work();
  else raw.once('close', work);
}

/** Throws interrupted if the client has left: of its body, no event will ever come. */
export function requireClient({ raw }: FastifyReply): void {
  if (raw.closed) throw new LhsError('interrupted', 'the client has left');
}
