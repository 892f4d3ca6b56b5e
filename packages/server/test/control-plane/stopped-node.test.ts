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
import { type LedRouting, openLedRouting } from '../../src/gateway/led-routing.ts';
import {
  type RunningControlPlane,
  serveControlPlane,
} from '../../src/serve/serve-control-plane.ts';
import { serverOptions } from '../../src/serve/server-options.ts';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { ClusterTable, INDEX } from './cluster-table.ts';

const WAIT = { interval: 50 };
/** Each is on a node of its own. */
const INDEXES = [INDEX, `${INDEX}-of-another`] as const;
const QUIET = { 'log.level': 'silent', 'log.access': false } as const;
const ADDRESSES = { rest_addr: '127.0.0.1:0', addr: '127.0.0.1:0' } as const;

// A call to a node that was stopped ends after 20 to 30 seconds.
describe.skipIf(byEffort(true, false))('a node that is stopped', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-stopped-node-'));
  let table: ClusterTable;
  let plane: RunningControlPlane;
  let nodes: readonly ClusterProcess[] = [];
  let routing: LedRouting;
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
    routing = await openLedRouting(
      { addresses: [plane.grpc], key: CLUSTER_KEY },
      { node: vi.fn() },
    );
    await table.append(...Array.from({ length: 20 }, (_, i) => i));
    const epoch = (await store.leases.current('control-plane'))!.epoch;
    for (const index of INDEXES) {
      await store.definitions.add(index, table.definition(2).replace(INDEX, index));
      await store.jobs.add(index, { index, kind: 'reindex', request: {}, epoch });
    }
    await atHead(...INDEXES);
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

  /** These indexes show the newest snapshot. */
  const atHead = (...indexes: readonly string[]) =>
    vi.waitUntil(() => {
      const routes = indexes.map((index) => routing.current(index));
      return routes.every(
        (route) =>
          route?.snapshot === table.head && route.shards.every(({ replicas: [one] }) => one),
      );
    }, WAIT);

  it('keeps the indexes of others from no snapshot, and goes on with its own', async () => {
    const [first, second] = INDEXES;
    nodes[0].child.kill('SIGSTOP');
    await table.append(100, 101, 102);
    await atHead(second);
    await table.append(103);
    await atHead(second);
    expect(routing.current(first)?.snapshot).not.toBe(table.head);
    nodes[0].child.kill('SIGCONT');
    await atHead(...INDEXES);
    const names = async () => (await store.nodes.list()).map(({ node }) => node).sort();
    await expect.poll(names).toEqual(['n1', 'n2']);
  });
});
