import { deleteRows } from '@lakehouse-search/lake';
import { startTickets } from '../support/tickets.ts';
import type { ConformanceTarget } from './conformance-suite.ts';

/** `lhs serve all` with the index `tickets` in so many shards. */
export async function startOne(shards: number): Promise<ConformanceTarget> {
  const service = await startTickets({ shards });
  // The index still has this row: a search that hydrates it finds nothing.
  await deleteRows(service.source, "id = '59'");
  const roles = ['reader', 'operator'];
  const everything = [...roles, 'admin'];
  return {
    url: service.server.url,
    grpc: service.server.grpc,
    shards,
    headers: {
      reader: await service.token({ roles: ['reader'] }),
      both: await service.token({ roles }),
      admin: await service.token({ roles: everything }),
      scoped: await service.token({ roles: everything, indexes: ['other'] }),
      tenant: await service.token({ roles, tenant: 'closed' }),
    },
    stop: () => service.stop(),
  };
}
