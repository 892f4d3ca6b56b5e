import type { FastifyInstance } from 'fastify';
import { sendError } from './send-error.ts';

/** Adds `GET /livez` and `GET /readyz`: no authentication, no rate limit. */
export function addProbes(rest: FastifyInstance, ready: () => Promise<void>): void {
  rest.get('/livez', async () => ({ status: 'ok' }));
  rest.get('/readyz', async (request, reply) => {
    try {
      await ready();
      return { status: 'ok' };
    } catch (error) {
      sendError(request, reply, error);
      return reply;
    }
  });
}
