import type { FastifyReply } from 'fastify';

/**
 * Calls `work` once: when the response has been sent, or when the connection has closed before. It
 * may have closed already, while the caller was looked up: then no event follows.
 */
export function onceClosed({ raw }: FastifyReply, work: () => void): void {
  if (raw.closed) work();
  else raw.once('close', work);
}
