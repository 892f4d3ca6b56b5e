import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appendRows, type CatalogConfig, createTable } from '@lakehouse-search/lake';
import { FLOATS, schemaOf } from '../../../../test/support/schema.ts';
import { startService, type TestService, type TestServiceOptions } from './service.ts';

const SCHEMA = schemaOf({
  ...{ id: 'string', title: 'string', status: 'string', size: 'long', at: 'timestamptz' },
  ...{ vec: FLOATS, price: 'double', ok: 'boolean', host: 'string', meta: 'variant' },
});

/** The rows of the table; tests compare responses with plain loops over them. */
export const TICKETS = Array.from({ length: 60 }, (_, n) => ({
  id: String(n),
  title: `${['payment', 'login', 'search'][n % 3]} ${n % 2 === 0 ? 'timeout' : 'down'} ${n}`,
  status: n % 4 === 0 ? 'closed' : 'open',
  size: n === 5 ? 3n ** 35n : BigInt(n),
  at: new Date(Date.UTC(2026, n % 12, 3)).toISOString(),
  vec: [n, 60 - n],
  price: n / 2,
  ok: n % 2 === 0,
  host: `10.0.${n % 4}.${n}`,
  meta: { kind: n % 2 === 0 ? 'pull' : 'push', commits: n, note: `merged by ${n % 5}` },
}));

/** Keys of the definition of the index `tickets` but its name and source. */
export const TICKET_FIELDS = `tenant_field: status
fields:
  - { name: title, type: TEXT, cached: true }
  - { name: status, type: KEYWORD, fast: true, cached: true }
  - { name: size, type: LONG, fast: true, cached: true }
  - { name: at, type: DATE, cached: true }
  - { name: price, type: DOUBLE, sensitive: true }
  - { name: ok, type: BOOL }
  - { name: host, type: IP }
  - { name: words, type: TEXT, source: title, analyzer: plain, max_bytes: 100 }
  - { name: title_vec, type: VECTOR, source: title, dims: 384, model: default }
  - { name: vec, type: VECTOR, dims: 2 }
variants:
  - column: meta
    flatten: true
    discriminator: kind
    shapes:
      - { name: push, when: push, fields: [{ path: commits, type: LONG, fast: true }] }
analyzers:
  - { name: plain, tokenizer: standard, filters: [lowercase] }
`;

/** A server with the index `tickets` of 60 rows, whose table is `ops.tickets` of `main`. */
export interface TicketService extends TestService {
  readonly warehouse: string;
  /** The table. */
  readonly source: { readonly catalog: CatalogConfig; readonly table: string };
}

/** The table of the index `tickets` in a new folder, with its rows. */
export async function createTickets(): Promise<Pick<TicketService, 'warehouse' | 'source'>> {
  const warehouse = mkdtempSync(join(tmpdir(), 'lhs-tickets-'));
  const catalog = { type: 'filesystem', warehouse: join(warehouse, 'lake') } as const;
  const source = { catalog, table: 'ops.tickets' };
  await createTable(catalog, source.table, { schema: SCHEMA, formatVersion: 3 });
  await appendRows(source, { kind: 'rows', rows: TICKETS });
  return { warehouse, source };
}

/** Starts it; requests of the examples of the OpenAPI document succeed. */
export async function startTickets({
  shards = 1,
  ...options
}: TestServiceOptions & { readonly shards?: number } = {}): Promise<TicketService> {
  const { warehouse, source } = await createTickets();
  const { catalog } = source;
  const service = await startService({
    ...options,
    prepare: async (backend, dataDir) => {
      const at = `{ catalog: ${JSON.stringify(catalog)}, table: ops.tickets }`;
      const head = `version: 1\nindex: tickets\nsource: ${at}\nsharding: { shards: ${shards} }\n`;
      const definition = `${head}${TICKET_FIELDS}`;
      await backend.createIndex({ definition });
      await backend.reindex({ index: 'tickets' });
      await options.prepare?.(backend, dataDir);
    },
    values: { backup_target: join(warehouse, 'backups'), ...options.values },
    names: { catalogs: { main: catalog } },
  });
  return {
    ...service,
    warehouse,
    source,
    async stop() {
      await service.stop();
      rmSync(warehouse, { recursive: true, force: true });
    },
  };
}
