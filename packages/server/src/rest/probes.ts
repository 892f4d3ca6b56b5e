import { setTimeout as sleep } from 'node:timers/promises';
import { LhsError } from '@lakehouse-search/contract';
import type { FastifyInstance } from 'fastify';
import { sendError } from './send-error.ts';

/** A probe that gets no answer within some seconds means nothing: 503 means something. */
const READY_MS = 2000;

/** Adds `GET /livez` and `GET /readyz`: no authentication, no rate limit. */
export function addProbes(rest: FastifyInstance, ready: () => Promise<object | undefined>): void {
  const options = { config: { isProbe: true } };
  rest.get('/livez', options, async () => ({ status: 'ok' }));
  rest.get('/readyz', options, async (request, reply) => {
    try {
      const more = await withinTime(ready(), READY_MS);
      return { status: 'ok', ...more };
    } catch (error) {
      sendError(request, reply, error);
      return reply;
    }
  });
}

async function withinTime<T>(answer: Promise<T>, ms: number): Promise<T> {
  const done = new AbortController();
  const late = async (): Promise<never> => {
    await sleep(ms, undefined, { signal: done.signal });
    throw new LhsError('unreachable', `what the service needs did not answer within ${ms} ms`);
  };
  try {
    return await Promise.race([answer, late()]);
  } finally {
    done.abort();
  }
}
