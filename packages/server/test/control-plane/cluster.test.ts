// @module-tag campaign
import { join } from 'node:path';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { CONTROL_PLANE_METHODS, openChannel } from '@lakehouse-search/client/internal';
import { createRemote } from '@lakehouse-search/client/remote/internal';
import { LhsError } from '@lakehouse-search/contract';
import type { ServiceApi } from '@lakehouse-search/contract/internal';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CLUSTER_KEY } from '../../../../test/support/cluster-processes.ts';
import { signNodeCall } from '../../src/cluster/cluster-token.ts';
import { connectNode, type NodeClient } from '../../src/cluster/node-client.ts';
import type { RoutedIndex } from '../../src/cluster/routing.ts';
import { type ClusterContext, NodePool } from '../../src/control-plane/cluster-context.ts';
import { lead } from '../../src/control-plane/leader/leader.ts';
import { LoopFaults } from '../../src/control-plane/leader/loop-faults.ts';
import { type LedRouting, openLedRouting } from '../../src/gateway/led-routing.ts';
import { openLogs } from '../../src/observe/call-logs.ts';
import { RepeatedFaults } from '../../src/observe/repeated-faults.ts';
import {
  type RunningControlPlane,
  serveControlPlane,
} from '../../src/serve/serve-control-plane.ts';
import { type RunningNode, serveNode } from '../../src/serve/serve-node.ts';
import { serverOptions } from '../../src/serve/server-options.ts';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { ClusterTable, documentsOf, INDEX } from './cluster-table.ts';
import { whileNodes } from './while-nodes.ts';

const SHARDS = 3;
const WAIT = { interval: 20 };
const VALUES = {
  ...{ rest_addr: '127.0.0.1:0', addr: '127.0.0.1:0', threads: 0 },
  ...{ 'log.level': 'silent', 'log.access': false },
} as const;
const NAMES = { catalogs: {}, roots: {}, models: {} };

let table: ClusterTable;
let plane: RunningControlPlane;
let nodes: RunningNode[];
let clients: NodeClient[];
let admin: ServiceApi;
let routing: LedRouting;

/** A control plane of this process over a store in the folder of the table. */
async function startPlane(sync: boolean): Promise<RunningControlPlane> {
  const options = serverOptions({ ...VALUES, sync_poll_ms: 100, sync }, {}, table.folder);
  const times = { leaseMs: 20_000, nodeMs: 10_000, leaveMs: 600_000 };
  return serveControlPlane({ options, names: NAMES, times, key: CLUSTER_KEY });
}

const startNode = (name: string): Promise<RunningNode> =>
  serveNode({
    options: serverOptions(VALUES, {}, join(table.folder, name)),
    cluster: { nodes: [], controlPlane: [plane.grpc], key: CLUSTER_KEY, node: name, takes: [] },
  });

async function start(sync: boolean): Promise<void> {
  table = await new ClusterTable().create();
  plane = await startPlane(sync);
  const reach = { addresses: [plane.grpc], key: CLUSTER_KEY };
  nodes = await Promise.all(['n1', 'n2'].map(startNode));
  clients = nodes.map(({ grpc }) => connectNode(grpc, { key: CLUSTER_KEY }));
  admin = createRemote({
    url: `grpc://${plane.grpc}`,
    authorization: () => signNodeCall(CLUSTER_KEY, {}),
  });
  routing = await openLedRouting(reach, { node: vi.fn() });
}

async function stop(): Promise<void> {
  await routing.close();
  await admin.close();
  for (const client of clients) await client.close();
  for (const node of nodes) await node.stop();
  await plane.stop();
  table.dispose();
}

const openedStore = (): Promise<Store> => openStore({ file: join(table.folder, 'server.db') });

/** Registers the index; its definition names the warehouse of the test. */
async function register(): Promise<void> {
  const store = await openedStore();
  await store.definitions.add(INDEX, table.definition(SHARDS));
  await store.close();
}

/** Waits until searches see the newest snapshot in all shards. */
const atHead = (): Promise<RoutedIndex> =>
  vi.waitUntil(() => {
    const route = routing.current(INDEX);
    const isWhole = route?.shards.every(({ replicas }) => replicas.length > 0);
    return isWhole && route?.snapshot === table.head ? route : false;
  }, WAIT) as Promise<RoutedIndex>;

describe('a cluster with a connector', () => {
  beforeAll(() => start(true));
  afterAll(stop);

  it('is built by a job', async () => {
    await register();
    const { job_id } = await admin.startJob({ kind: 'reindex', index: INDEX });
    const states: string[] = [];
    for await (const { state } of admin.watchJob({ job_id })) states.push(state);
    expect(states.at(-1)).toBe('done');
    const route = await atHead();
    expect(route.shards.map(({ replicas }) => replicas[0].node)).toEqual(['n1', 'n1', 'n1']);
    expect((await admin.getRouting({ index: INDEX })).shard_count).toBe(SHARDS);
  });

  it('follows its table: each row once', async () => {
    await table.append(...Array.from({ length: 60 }, (_, i) => i));
    await table.delete(10, 20);
    await table.upsert('changed', 5, 6, 7, 100, 101);
    await atHead();
    expect(await documentsOf(clients)).toEqual(table.expected());
  });

  it('moves searches from one snapshot to the next, never to two at once', async () => {
    const seen: RoutedIndex[] = [];
    const note = () => seen.push(routing.current(INDEX)!);
    const noting = setInterval(note, 5);
    for (let i = 0; i < 4; i++) {
      await table.append(200 + i);
      await atHead();
      note();
    }
    clearInterval(noting);
    const snapshots = new Map<string, string | null>();
    for (const node of clients) {
      for (const own of (await node.state()).indexes) {
        for (const { commit, snapshot } of own.commits) snapshots.set(commit, snapshot);
      }
    }
    expect(seen.length).toBeGreaterThanOrEqual(4);
    const known = seen.flatMap(({ snapshot, shards }) =>
      shards.flatMap(({ replicas }) =>
        replicas
          .filter(({ commit }) => snapshots.has(commit))
          .map(({ commit }) => [snapshots.get(commit), snapshot] as const),
      ),
    );
    expect(known.length).toBeGreaterThan(0);
    for (const [shown, routed] of known) expect(shown).toBe(routed);
  });

  it('runs one job at a time, and names the node whose disk has no room for it', async () => {
    const began = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    await whileNodes(
      (node) => ({
        service: (epoch) => ({
          ...node.service(epoch),
          reindex: async () => {
            began.resolve();
            await go.promise;
            throw new LhsError('disk_short', 'the disk is too full');
          },
        }),
      }),
      async () => {
        const first = admin.reindex({ index: INDEX });
        first.catch(() => {});
        await began.promise;
        await expect(admin.reindex({ index: INDEX })).rejects.toMatchObject({ code: 'index_busy' });
        go.resolve();
        const message = 'node "n1": the disk is too full';
        await expect(first).rejects.toMatchObject({ code: 'disk_short', status: 412, message });
      },
    );
    expect(routing.current(INDEX)!.snapshot).toBe(table.head);
  });

  it('has aliases, and saved queries per user', async () => {
    await admin.setAlias({ alias: 'memos', index: INDEX });
    await vi.waitUntil(() => routing.aliases().get('memos') === INDEX, WAIT);
    const draft = { name: 'mine', request: { index: INDEX, query: 'note' } };
    const saved = await admin.createSavedQuery(draft);
    await expect(admin.createSavedQuery(draft)).rejects.toMatchObject({ code: 'already_exists' });
    expect(await admin.listSavedQueries()).toEqual([saved]);
    await admin.dropAlias({ alias: 'memos' });
    await vi.waitUntil(() => !routing.aliases().has('memos'), WAIT);
  });

  it('counts leases, nodes and routes in its metrics', async () => {
    const response = await fetch(`${plane.url}/metrics`, {
      headers: { authorization: signNodeCall(CLUSTER_KEY, {})! },
    });
    const text = await response.text();
    expect(text).toMatch(/^lhs_control_plane_leads 1$/m);
    expect(text).toMatch(/^lhs_nodes 2$/m);
    expect(text).toMatch(/^lhs_connector_indexes 1$/m);
    expect(text).toMatch(/^lhs_route_missing_shards\{index="notes"\} 0$/m);
    expect(text).toMatch(/^lhs_route_lacking_copies\{index="notes"\} 0$/m);
  });

  it('has no route to a node that is gone, until it is back', async () => {
    await nodes[0].stop();
    const store = await openedStore();
    const replicas = async () => (await store.routes.get(INDEX))?.replicas[1];
    await vi.waitUntil(async () => (await replicas())?.length === 0, WAIT);
    nodes[0] = await startNode('n1');
    clients[0] = connectNode(nodes[0].grpc, { key: CLUSTER_KEY });
    await table.append(300);
    await atHead();
    await store.close();
    expect(await documentsOf(clients)).toEqual(table.expected());
  });
});

describe('a control plane that starts after the leases of its nodes have ended', () => {
  beforeEach(() => start(false));
  afterEach(stop);

  it('keeps them in its routes until they had time to register', async () => {
    await register();
    await admin.reindex({ index: INDEX });
    await plane.stop();
    const store = await openedStore();
    const route = await store.routes.get(INDEX);
    for (const own of await store.nodes.list(3_600_000)) {
      await store.nodes.register(own, own.epoch, -1);
    }
    expect(await store.nodes.list()).toEqual([]);
    let asked = 0;
    const pool = new NodePool((address) => {
      const node = connectNode(address, { key: CLUSTER_KEY });
      const state = node.state.bind(node);
      return Object.assign(node, {
        state: (...call: Parameters<typeof state>) => {
          asked++;
          return state(...call);
        },
      });
    });
    const { logger } = openLogs({ access: false, level: 'silent' });
    const stopped = new AbortController();
    const lease = (await store.leases.acquire('leader', 'test', 60_000))!;
    const repeated = new RepeatedFaults(logger);
    const context: ClusterContext = { store, nodes: pool, logger, repeated };
    const faults = new LoopFaults({ store, faults: repeated });
    const options = { context, faults, nodeMs: 60_000, leaveMs: 600_000 };
    const led = lead(options, lease, stopped.signal);
    await vi.waitUntil(() => asked >= 3 * nodes.length, WAIT);
    stopped.abort();
    await led;
    expect((await store.routes.get(INDEX))?.replicas).toEqual(route?.replicas);
    expect(route?.replicas.map((own) => own.length)).toEqual([1, 1, 1]);
    await store.leases.release(lease);
    await pool.close();
    await store.close();
    plane = await startPlane(false);
  });

  it('answers gateways that wait for another routing when it stops', async () => {
    const channel = openChannel(plane.grpc, false);
    const { path, input, output } = CONTROL_PLANE_METHODS.routing;
    const send = async (known: string, waitMs: number) => {
      const bytes = toBinary(input, create(input, { known, waitMs }));
      const call = { deadline: Date.now() + 120_000, authorization: signNodeCall(CLUSTER_KEY, {}) };
      return fromBinary(output, await channel.call(path, bytes, call));
    };
    const { version } = await send('', 0);
    const waiting = send(version, 30_000);
    await send('', 0); // the call before has arrived
    await plane.stop();
    expect((await waiting).version).toBe(version);
    channel.close();
    plane = await startPlane(false);
  });
});
