// A route that searches. Closing the server closes the engine.
import { LhsError, openLocal } from '@lakehouse-search/engine';
import Fastify from 'fastify';
import { fillIncidents } from './lake-table.ts';

const dataDir = process.argv[2] ?? 'data';
await fillIncidents(dataDir);
const backend = await openLocal(dataDir);
const server = Fastify();
server.addHook('onClose', () => backend.close());
server.setErrorHandler((error, _, reply) => {
  if (!(error instanceof LhsError)) throw error;
  const { code, status, message, hint } = error;
  return reply.code(status).send({ code, message, hint });
});
server.get<{ Querystring: { q?: string } }>('/search', async ({ query }) => {
  const { hits, total } = await backend.search({ index: 'incidents', query: query.q || undefined });
  return { total, hits: hits.map(({ score, fields }) => ({ score, ...fields })) };
});
console.log(await server.listen({ port: Number(process.env.PORT ?? 3000) }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => server.close());
