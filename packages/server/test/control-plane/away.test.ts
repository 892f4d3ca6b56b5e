/** Nodes and gateways of this process whose control plane is out of reach. */
import { join } from 'node:path';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CLUSTER_KEY } from '../../../../test/support/cluster-processes.ts';
import { SlowProxy } from '../../../../test/support/slow-proxy.ts';
import { unusedPort } from '../../../../test/support/unused-port.ts';
import type { ClusterOptions } from '../../src/serve/cluster-options.ts';
import {
  type RunningControlPlane,
  serveControlPlane,
} from '../../src/serve/serve-control-plane.ts';
import { openCluster, serveGateway } from '../../src/serve/serve-gateway.ts';
import { type RunningNode, serveNode } from '../../src/serve/serve-node.ts';
import { serverOptions } from '../../src/serve/server-options.ts';
import { openStore, type Store, type StoreLocation } from '../../src/store/open-store.ts';
import { ClusterTable, INDEX } from './cluster-table.ts';

const WAIT = { interval: 50 };
const ROWS = 40;
const SHARDS = 2;
const NAMES = { catalogs: {}, roots: {}, models: {} };
const ADDRESSES = { rest_addr: '127.0.0.1:0', addr: '127.0.0.1:0' };
const QUIET = { 'log.level': 'silent', 'log.access': false, 'console.enabled': false } as const;
const ALL = { index: INDEX, query: '*:*' };

let table: ClusterTable;
let plane: RunningControlPlane;
/** Between nodes and control plane. */
let path: SlowProxy;
let nodes: readonly RunningNode[] = [];
let gateway: BackendApi;
let store: Store;
const releases: (() => unknown)[] = [];

const reach = (cluster: Partial<ClusterOptions>): ClusterOptions => {
  return { nodes: [], takes: [], key: CLUSTER_KEY, ...cluster };
};
const optionsIn = (folder: string) =>
  serverOptions({ ...ADDRESSES, ...QUIET, sync_poll_ms: 100, threads: 0 }, {}, folder);

beforeAll(async () => {
  table = await new ClusterTable().create();
  await table.append(...Array.from({ length: ROWS }, (_, i) => i));
  const options = optionsIn(join(table.folder, 'plane'));
  const times = { leaseMs: 20_000, nodeMs: 2000, leaveMs: 3_600_000 };
  plane = await serveControlPlane({ options, names: NAMES, times, key: CLUSTER_KEY });
  path = await SlowProxy.before(plane.grpc);
  nodes = await Promise.all(
    ['n1', 'n2'].map((node) =>
      serveNode({
        options: optionsIn(join(table.folder, node)),
        cluster: reach({ node, controlPlane: [path.address] }),
      }),
    ),
  );
  const cluster = reach({ controlPlane: [plane.grpc] });
  ({ backend: gateway } = await openCluster(cluster, (release) => releases.push(release)));
  store = await openStore({ file: join(table.folder, 'plane', 'server.db') });
  await vi.waitUntil(async () => (await store.nodes.list()).length === 2, WAIT);
  await store.definitions.add(INDEX, table.definition(SHARDS));
  await vi.waitFor(() => gateway.reindex({ index: INDEX }), WAIT);
  await whole();
});

afterAll(async () => {
  for (const release of releases.toReversed()) await release();
  for (const node of nodes) await node.stop();
  await path.close();
  await store.close();
  await plane.stop();
  table.dispose();
});

const whole = () =>
  vi.waitFor(async () => {
    const { total, partial } = await gateway.search(ALL);
    expect([total, partial]).toEqual([ROWS, undefined]);
  }, WAIT);

/** What the control plane says of the shards. */
const replicas = async () => (await store.routes.get(INDEX))?.replicas.map(({ length }) => length);

describe('nodes that lose their control plane', () => {
  it('stay readable for gateways that reach them', async () => {
    path.swallow();
    await expect.poll(replicas, WAIT).toEqual([0, 0]);
    expect(await gateway.search(ALL)).toMatchObject({ total: ROWS, shards_scanned: SHARDS });
    path.heal();
    await expect.poll(replicas, WAIT).toEqual([1, 1]);
    await whole();
  });
});

describe('a control plane that is away', () => {
  const start = (store?: StoreLocation) =>
    serveGateway({
      options: { ...optionsIn(join(table.folder, 'gateway')), ...(store && { store }) },
      cluster: reach({ nodes: nodes.map(({ grpc }) => grpc), controlPlane: [plane.grpc] }),
      ...{ names: NAMES, issuers: [], env: {} },
    });
  const total = async (url: string) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/v1/search`, {
      ...{ method: 'POST', headers, body: JSON.stringify(ALL) },
    });
    return ((await response.json()) as { total: number }).total;
  };
  const isReady = async (url: string) => (await fetch(`${url}/readyz`)).status;

  it('is needed neither by gateways that run nor by those that start', async () => {
    const running = await start();
    await plane.stop();
    const started = await start();
    for (const { url } of [running, started]) {
      expect([await isReady(url), await total(url)]).toEqual([200, ROWS]);
      const figures = await (await fetch(`${url}/metrics`)).text();
      expect(figures).toMatch(/^lhs_route_generation\{index="notes"\} [1-9]/m);
      expect(figures).toMatch(/^lhs_route_missing_shards\{index="notes"\} 0$/m);
    }
    await running.stop();
    await started.stop();
  });

  it('leaves its database to gateways, which start while that is away too', async () => {
    const port = await unusedPort();
    await plane.stop();
    const started = await start({ postgres: `postgres://lhs@127.0.0.1:${port}/lhs` });
    expect([await isReady(started.url), await total(started.url)]).toEqual([200, ROWS]);
    await started.stop();
  });

  it.each([
    { what: 'the addresses of nodes', list: () => nodes.map(({ grpc }) => grpc) },
    { what: 'its address alone', list: () => [] },
  ])('is waited for by a closed gateway that knows $what', async ({ list }) => {
    const address = `127.0.0.1:${await unusedPort()}`;
    const password = 'correct-horse';
    const gateway = await serveGateway({
      options: serverOptions({ ...ADDRESSES, ...QUIET, auth: true }, {}, `${table.folder}/closed`),
      cluster: reach({ nodes: list(), controlPlane: [address] }),
      ...{ names: NAMES, issuers: [], env: { LHS_ADMIN_PASSWORD: password } },
    });
    const early = await fetch(`${gateway.url}/readyz`);
    expect([early.status, await early.text()]).toEqual([503, expect.stringContaining(address)]);
    const later = await serveControlPlane({
      options: serverOptions(
        { ...ADDRESSES, ...QUIET, addr: address },
        {},
        `${table.folder}/later`,
      ),
      times: { leaseMs: 20_000, nodeMs: 2000, leaveMs: 3_600_000 },
      ...{ names: NAMES, key: CLUSTER_KEY },
    });
    await expect.poll(() => isReady(gateway.url), WAIT).toBe(200);
    const body = JSON.stringify({ username: 'admin', password });
    const headers = { 'content-type': 'application/json' };
    const login = await fetch(`${gateway.url}/v1/login`, { method: 'POST', headers, body });
    expect(login.status).toBe(200);
    await gateway.stop();
    await later.stop();
  });
});
