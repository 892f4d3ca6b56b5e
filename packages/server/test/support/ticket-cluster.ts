import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRemote } from '@lakehouse-search/client/remote/internal';
import type { ServiceApi } from '@lakehouse-search/contract/internal';
import { vi } from 'vitest';
import { type ClusterProcess, startProcess } from '../../../../test/support/cluster-processes.ts';
import type { TestToken } from './service.ts';
import { createTickets, TICKET_FIELDS, type TicketService } from './tickets.ts';

/** A control plane, nodes and a gateway with credentials, each a process, over `ops.tickets`. */
export interface TicketCluster extends Pick<TicketService, 'warehouse' | 'source'> {
  readonly plane: ClusterProcess;
  readonly nodes: readonly ClusterProcess[];
  readonly gateway: ClusterProcess;
  /** The gateway as its admin calls it. */
  readonly admin: ServiceApi;
  /** The header of a new API token. */
  token(token: TestToken): Promise<string>;
  stop(): Promise<void>;
}

const PASSWORD = 'long-enough';
const SETTINGS = {
  LHS_ADMIN_PASSWORD: PASSWORD,
  LHS_THREADS: '0',
  LHS_CLUSTER_LEASE_MS: '60000',
  LHS_LIMITS_CALLS_PER_SECOND: '100000',
  LHS_LIMITS_BURST: '100000',
  LHS_LIMITS_LOGINS_PER_MINUTE: '1000',
};
const FREE = ['--addr', '127.0.0.1:0'];
const FREE_REST = [...FREE, '--rest-addr', '127.0.0.1:0'];

/**
 * Starts a cluster of two nodes, whose index `tickets` has two shards. It has no connector: the
 * index stays as it was built. `gatewayFlags`: more flags of the gateway.
 */
export async function startTicketCluster(
  gatewayFlags: readonly string[] = [],
): Promise<TicketCluster> {
  const { warehouse, source, start } = await ticketProcesses();
  const plane = await start('control-plane', 'plane', ...FREE_REST, '--no-sync');
  const led = ['--control-plane', plane.grpc];
  const [gateway, ...nodes] = await Promise.all([
    start('gateway', 'gateway', ...FREE_REST, ...led, '--auth', ...gatewayFlags),
    ...['n1', 'n2'].map((name) => start('node', name, ...FREE, ...led, '--node', name)),
  ]);
  const visitor = createRemote({ url: gateway.url });
  const { token } = await visitor.login({ username: 'admin', password: PASSWORD });
  await visitor.close();
  const admin = createRemote({ url: gateway.url, authorization: () => `Bearer ${token}` });
  const inUse = async () => (await admin.license({})).nodes_in_use === nodes.length;
  await vi.waitUntil(inUse, { interval: 50 });
  await build(admin);
  return {
    ...{ warehouse, source, plane, nodes, gateway, admin },
    async token({ roles, expiresMs, ...others }) {
      const draft = { name: 'test', roles, ...others } as Parameters<ServiceApi['createToken']>[0];
      const ends = expiresMs === undefined ? {} : { expires_at: new Date(expiresMs).toISOString() };
      return `ApiKey ${(await admin.createToken({ ...draft, ...ends })).token}`;
    },
    async stop() {
      await admin.close();
      for (const one of [gateway, ...nodes, plane]) await one.end('SIGTERM');
      rmSync(warehouse, { recursive: true, force: true });
    },
  };
}

/** The same without a control plane: each of two nodes has one of two shards. */
export async function startSpreadTickets(
  gatewayFlags: readonly string[] = [],
): Promise<Pick<TicketCluster, 'nodes' | 'gateway' | 'stop'>> {
  const { warehouse, start } = await ticketProcesses();
  const takes = (shard: number) => ['--shard-ordinals', String(shard)];
  const nodes = await Promise.all(
    [0, 1].map((shard) => start('node', `n${shard}`, ...FREE, ...takes(shard))),
  );
  const addresses = nodes.map(({ grpc }) => grpc).join();
  const list = ['--nodes', addresses, ...gatewayFlags];
  const gateway = await start('gateway', 'gateway', ...FREE_REST, ...list);
  const client = createRemote({ url: gateway.url });
  await build(client);
  await client.close();
  const stop = async () => {
    for (const one of [gateway, ...nodes]) await one.end('SIGTERM');
    rmSync(warehouse, { recursive: true, force: true });
  };
  return { nodes, gateway, stop };
}

/** The table, and what starts processes that know its catalog. */
async function ticketProcesses() {
  const { warehouse, source } = await createTickets();
  const config = join(warehouse, 'etc', 'server.yaml');
  mkdirSync(join(warehouse, 'etc'));
  writeFileSync(config, `catalogs: { main: ${JSON.stringify(source.catalog)} }\n`);
  const settings = { ...SETTINGS, LHS_BACKUP_TARGET: join(warehouse, 'backups') };
  const start = (role: 'control-plane' | 'node' | 'gateway', name: string, ...args: string[]) =>
    startProcess(role, join(warehouse, name), [...args, '--config', config], settings);
  return { warehouse, source, start };
}

async function build(client: ServiceApi): Promise<void> {
  const at = '{ catalog: main, table: ops.tickets }';
  const head = `version: 1\nindex: tickets\nsource: ${at}\nsharding: { shards: 2 }\n`;
  await client.createIndex({ definition: `${head}${TICKET_FIELDS}` });
  await client.reindex({ index: 'tickets' });
}
