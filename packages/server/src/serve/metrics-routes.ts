import { LhsError } from '@lakehouse-search/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Access } from '../access/access.ts';
import type { Metrics } from '../observe/metrics.ts';
import { onceClosed } from '../rest/once-closed.ts';
import { statsProxy } from './stats-proxy.ts';

/** What `/metrics` and `/v1/stats` are made of. */
export interface MetricsRoutesOptions {
  readonly metrics: Metrics;
  readonly access: Access;
  /** `/metrics` needs no credentials. */
  readonly isPublic: boolean;
  /** The Prometheus server behind `/v1/stats`. */
  readonly server?: string;
}

/** Adds `/metrics` and the three paths of `/v1/stats` to a REST server. */
export function metricsRoutes(options: MetricsRoutesOptions) {
  const { metrics, access, isPublic, server } = options;
  const require = async (request: FastifyRequest, scope: 'ops' | 'index_read') => {
    const { id, ip: remote, headers } = request;
    const arrival = { request_id: String(id), remote, transport: 'rest' as const };
    const principal = await access.authenticate(headers.authorization, arrival);
    if (principal === undefined) return;
    const { scopes, tenant, indexes } = principal;
    if (scopes.includes(scope) && tenant === undefined && indexes === undefined) return;
    const message = `metrics require the \`${scope}\` scope, without a tenant or a list of indexes`;
    throw new LhsError('permission_denied', message, { details: { scope } });
  };
  return (rest: FastifyInstance): void => {
    rest.get('/metrics', async (request, reply) => {
      if (!isPublic) await require(request, 'ops');
      return reply.type(metrics.contentType).send(await metrics.text());
    });
    const proxy = statsProxy(server);
    for (const path of ['query', 'query_range', 'alerts'] as const) {
      rest.get(`/v1/stats/${path}`, async (request, reply) => {
        await require(request, 'index_read');
        const query = request.query as Readonly<Record<string, unknown>>;
        const left = new AbortController();
        onceClosed(reply, () => left.abort());
        const answer = await proxy(path, query, left.signal);
        return reply.code(answer.status).type('application/json').send(answer.body);
      });
    }
  };
}
