import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectNode, type NodeClient } from '../../src/cluster/node-client.ts';
import type { RoutedIndex, RoutingSource } from '../../src/cluster/routing.ts';
import { controlPlaneRouting } from '../../src/control-plane/control-plane-client.ts';
import {
  type RunningControlPlane,
  serveControlPlane,
} from '../../src/serve/serve-control-plane.ts';
import { type RunningNode, serveNode } from '../../src/serve/serve-node.ts';
import { serverOptions } from '../../src/serve/server-options.ts';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { ClusterTable, INDEX } from './cluster-table.ts';
import { CLUSTER_KEY } from './stand-in-node.ts';

const WAIT = { timeout: 60_000, interval: 50 };
const QUIET = { 'log.level': 'silent', 'log.access': false } as const;
const ADDRESSES = { rest_addr: '127.0.0.1:0', addr: '127.0.0.1:0' } as const;
const folder = mkdtempSync(join(tmpdir(), 'lhs-real-nodes-'));

let table: ClusterTable;
let plane: RunningControlPlane;
let nodes: RunningNode[] = [];
let clients: NodeClient[] = [];
let routing: RoutingSource;
let store: Store;

const startNode = (name: string): Promise<RunningNode> =>
  serveNode({
    options: serverOptions({ ...ADDRESSES, ...QUIET, threads: 0 }, {}, join(folder, name)),
    cluster: { nodes: [], controlPlane: [plane.grpc], key: CLUSTER_KEY, node: name, takes: [] },
  });

beforeAll(async () => {
  table = await new ClusterTable().create();
  await table.append(...Array.from({ length: 50 }, (_, i) => i));
  const values = { ...ADDRESSES, ...QUIET, sync_poll_ms: 100 };
  plane = await serveControlPlane({
    options: serverOptions(values, {}, table.folder),
    names: { catalogs: {}, roots: {}, models: {} },
    times: { leaseMs: 20_000, nodeMs: 3000, leaveMs: 3000 },
    key: CLUSTER_KEY,
  });
  store = await openStore({ file: join(table.folder, 'server.db') });
  nodes = [await startNode('n1'), await startNode('n2')];
  clients = nodes.map(({ grpc }) => connectNode(grpc, { key: CLUSTER_KEY }));
  routing = await controlPlaneRouting({ addresses: [plane.grpc], key: CLUSTER_KEY });
  await vi.waitUntil(async () => (await store.nodes.list()).length === 2, WAIT);
  await store.definitions.add(INDEX, table.definition(3));
});

afterAll(async () => {
  await routing.close();
  for (const client of clients) await client.close();
  for (const node of nodes) await node.stop();
  await store.close();
  await plane.stop();
  table.dispose();
  rmSync(folder, { recursive: true, force: true });
});

const atHead = (): Promise<RoutedIndex> =>
  vi.waitUntil(() => {
    const route = routing.current(INDEX);
    const isWhole = route?.shards.every(({ replicas }) => replicas.length > 0);
    return isWhole && route?.snapshot === table.head ? route : false;
  }, WAIT) as Promise<RoutedIndex>;

async function documents(): Promise<readonly string[]> {
  const found: string[] = [];
  for (const client of clients) {
    for await (const { fields } of client.service().exportDocuments({ index: INDEX })) {
      found.push(`${fields.id} ${fields.title}`);
    }
  }
  return found.sort();
}

async function reindex(): Promise<void> {
  const epoch = (await store.leases.current('control-plane'))!.epoch;
  const draft = { index: INDEX, kind: 'reindex', request: { index: INDEX }, epoch } as const;
  const job = (await store.jobs.add(`job-${Date.now()}`, draft))!;
  await vi.waitUntil(async () => (await store.jobs.get(job.id))?.endedMs !== null, WAIT);
  const { state, record } = (await store.jobs.get(job.id))!;
  expect({ state, error: record.error }).toEqual({ state: 'done', error: undefined });
}

describe('nodes under a control plane', () => {
  it('take over shards, build them and follow the table together', async () => {
    await reindex();
    const route = await atHead();
    expect(route.shards.map(({ replicas }) => replicas[0].node)).toEqual(['n1', 'n2', 'n1']);
    await table.append(100, 101, 102, 103, 104);
    await table.delete(10, 20);
    await table.upsert('changed', 1, 2, 103, 200);
    await atHead();
    expect(await documents()).toEqual(table.expected());
    for (const client of clients) {
      expect((await client.service().verify({ index: INDEX })).equal).toBe(true);
    }
  });

  it('refuse writes without a lease', async () => {
    await expect(clients[0].service().sync({ index: INDEX })).rejects.toMatchObject({
      status: 412,
    });
  });

  it('rebuild the shards of a node that has left from the table', async () => {
    const [lost] = nodes.splice(1, 1);
    await clients.splice(1, 1)[0].close();
    await lost.stop();
    await table.append(300, 301);
    const route = await atHead();
    expect(route.shards.map(({ replicas }) => replicas[0].node)).toEqual(['n1', 'n1', 'n1']);
    expect(await documents()).toEqual(table.expected());
  });
});
