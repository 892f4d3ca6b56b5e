// @module-tag campaign
/** A node that is stopped while a control plane with a connector calls it, as a process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  CLUSTER_KEY,
  type ClusterProcess,
  startProcess,
} from '../../../../test/support/cluster-processes.ts';
import { byEffort } from '../../../../test/support/effort.ts';
import type { RoutingSource } from '../../src/cluster/routing.ts';
import { controlPlaneRouting } from '../../src/control-plane/control-plane-client.ts';
import {
  type RunningControlPlane,
  serveControlPlane,
} from '../../src/serve/serve-control-plane.ts';
import { serverOptions } from '../../src/serve/server-options.ts';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { ClusterTable, INDEX } from './cluster-table.ts';

const WAIT = { interval: 50 };
const QUIET = { 'log.level': 'silent', 'log.access': false } as const;
const ADDRESSES = { rest_addr: '127.0.0.1:0', addr: '127.0.0.1:0' } as const;

// A call to a node that was stopped ends after 20 to 30 seconds.
describe.skipIf(byEffort(true, false))('a node that is stopped', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-stopped-node-'));
  let table: ClusterTable;
  let plane: RunningControlPlane;
  let nodes: readonly ClusterProcess[] = [];
  let routing: RoutingSource;
  let store: Store;

  beforeAll(async () => {
    table = await new ClusterTable().create();
    plane = await serveControlPlane({
      options: serverOptions({ ...ADDRESSES, ...QUIET, sync_poll_ms: 100 }, {}, folder),
      names: { catalogs: {}, roots: {}, models: {} },
      times: { leaseMs: 20_000, nodeMs: 3000, leaveMs: 3_600_000 },
      key: CLUSTER_KEY,
    });
    store = await openStore({ file: join(folder, 'server.db') });
    const args = ['--addr', '127.0.0.1:0', '--control-plane', plane.grpc];
    nodes = await Promise.all(
      ['n1', 'n2'].map((name) =>
        startProcess('node', join(folder, name), [...args, '--node', name]),
      ),
    );
    await vi.waitUntil(async () => (await store.nodes.list()).length === 2, WAIT);
    routing = await controlPlaneRouting({
      ...{ addresses: [plane.grpc], key: CLUSTER_KEY },
      probe: async () => {},
    });
    await table.append(...Array.from({ length: 20 }, (_, i) => i));
    await store.definitions.add(INDEX, table.definition(2));
    const epoch = (await store.leases.current('control-plane'))!.epoch;
    await store.jobs.add('first', { index: INDEX, kind: 'reindex', request: {}, epoch });
    await atHead(2);
  });

  afterAll(async () => {
    for (const { child } of nodes) child.kill('SIGCONT');
    for (const node of nodes) await node.end('SIGTERM');
    await routing.close();
    await store.close();
    await plane.stop();
    table.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  /** All that are there show the newest snapshot: `shards` of them. */
  const atHead = (shards: number) =>
    vi.waitUntil(() => {
      const route = routing.current(INDEX);
      const held = route?.shards.filter(({ replicas }) => replicas.length > 0).length;
      return route?.snapshot === table.head && held === shards;
    }, WAIT);

  it('keeps the others from no snapshot, and takes part again when it goes on', async () => {
    nodes[0].child.kill('SIGSTOP');
    await table.append(100, 101, 102);
    await atHead(1);
    await table.append(103);
    await atHead(1);
    nodes[0].child.kill('SIGCONT');
    await atHead(2);
    const names = async () => (await store.nodes.list()).map(({ node }) => node).sort();
    await expect.poll(names).toEqual(['n1', 'n2']);
  });
});
