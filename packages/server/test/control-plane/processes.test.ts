// @module-tag campaign
// @module-tag program
// @module-tag slow
/**
 * Control planes as processes that are killed and stopped, over PostgreSQL if it is there
 * (LHS_EMBEDDED_POSTGRES), else over SQLite: then there is one control plane, which is started
 * again.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRemote } from '@lakehouse-search/client/remote/internal';
import type { ServiceApi } from '@lakehouse-search/contract/internal';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CLUSTER_KEY } from '../../../../test/support/cluster-processes.ts';
import { byEffort } from '../../../../test/support/effort.ts';
import {
  type EmbeddedPostgres,
  findEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../../test/support/embedded-postgres.ts';
import { unusedPort } from '../../../../test/support/unused-port.ts';
import { signNodeCall } from '../../src/cluster/cluster-token.ts';
import { connectNode, type NodeClient } from '../../src/cluster/node-client.ts';
import { type LedRouting, openLedRouting } from '../../src/gateway/led-routing.ts';
import { type RunningNode, serveNode } from '../../src/serve/serve-node.ts';
import { serverOptions } from '../../src/serve/server-options.ts';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { ClusterTable, documentsOf, INDEX } from './cluster-table.ts';
import { PlaneProcess, type PlaneStore } from './control-plane-processes.ts';

const WAIT = { interval: 20 };
const module = findEmbeddedPostgres();
const VALUES = {
  ...{ rest_addr: '127.0.0.1:0', addr: '127.0.0.1:0', threads: 0 },
  ...{ 'log.level': 'silent', 'log.access': false },
} as const;
const authorization = () => signNodeCall(CLUSTER_KEY, {})!;

let postgres: EmbeddedPostgres | undefined;
let table: ClusterTable;
let location: PlaneStore;
let store: Store;
let planes: PlaneProcess[];
let nodes: RunningNode[];
let clients: NodeClient[];
let routing: LedRouting;

beforeAll(async () => {
  table = await new ClusterTable().create();
  if (module !== null) postgres = await startEmbeddedPostgres(module);
  location =
    postgres === undefined ? { dataDir: table.folder } : { postgres: await postgres.newDatabase() };
  planes = [await startPlane()];
  if (postgres !== undefined) planes.push(await startPlane());
  const file = { file: `${table.folder}/server.db` };
  store = await openStore('postgres' in location ? location : file);
  const controlPlane = planes.map(({ grpc }) => grpc);
  nodes = await Promise.all(
    ['n1', 'n2'].map((node) =>
      serveNode({
        options: serverOptions(VALUES, {}, join(table.folder, node)),
        cluster: { nodes: [], controlPlane, key: CLUSTER_KEY, node, takes: [] },
      }),
    ),
  );
  clients = nodes.map(({ grpc }) => connectNode(grpc, { key: CLUSTER_KEY }));
  const reach = { addresses: controlPlane, key: CLUSTER_KEY };
  routing = await openLedRouting(reach, { node: vi.fn() });
  await store.definitions.add(INDEX, table.definition(3));
  await whole(async (admin) => void (await admin.reindex({ index: INDEX })));
});

afterAll(async () => {
  await routing.close();
  for (const client of clients) await client.close();
  for (const node of nodes) await node.stop();
  for (const plane of planes) await plane.kill();
  await store.close();
  await postgres?.stop();
  table.dispose();
});

/** Starts a control plane at a port that is still unused when another one starts there. */
const startPlane = async () =>
  PlaneProcess.start(location, table.folder, `127.0.0.1:${await unusedPort()}`);

/** Calls the first control plane that answers. */
async function whole<T>(work: (admin: ServiceApi) => Promise<T>): Promise<T> {
  let fault: unknown;
  for (let turn = 0; turn < 200; turn++) {
    for (const { grpc } of planes) {
      const admin = createRemote({ url: `grpc://${grpc}`, authorization, retryMs: 0 });
      try {
        return await work(admin);
      } catch (error) {
        fault = error;
        if ((error as { code?: string }).code !== 'unreachable') throw error;
      } finally {
        await admin.close();
      }
    }
    await sleep(50);
  }
  throw fault;
}

/** The control plane that leads. */
const leader = (): Promise<PlaneProcess> =>
  vi.waitUntil(async () => {
    for (const plane of planes) {
      if (await plane.leads(authorization()).catch(() => false)) return plane;
    }
    return false;
  }, WAIT) as Promise<PlaneProcess>;

/** Kills the one that leads, and starts another one at its address. */
async function killLeader(): Promise<void> {
  const lost = await leader();
  await lost.kill();
  const next = await PlaneProcess.start(location, table.folder, lost.grpc);
  planes = planes.map((plane) => (plane === lost ? next : plane));
}

/** Stops a leader and adds a job; again if it was stopped in a transaction, which locks the file. */
const addToStopped = (plane: PlaneProcess): Promise<string> =>
  vi.waitUntil(async () => {
    plane.signal('SIGSTOP');
    try {
      const epoch = await store.leases.epochOf('control-plane');
      const draft = { index: INDEX, kind: 'reindex', request: { index: INDEX }, epoch } as const;
      return (await store.jobs.add(`pending-${epoch}`, draft))!.id;
    } catch (error) {
      plane.signal('SIGCONT');
      if ((error as { code?: string }).code !== 'io_error') throw error;
      return false;
    }
  }, WAIT) as Promise<string>;

const atHead = () =>
  vi.waitUntil(() => {
    const route = routing.current(INDEX);
    return route?.snapshot === table.head && route?.shards.every((own) => own.replicas.length > 0);
  }, WAIT);

/** What a test may not lose: every row once, on the nodes and in the route. */
async function expectWhole(): Promise<void> {
  await atHead();
  expect(await documentsOf(clients)).toEqual(table.expected());
}

let next = 0;
const fresh = (count: number): number[] => Array.from({ length: count }, () => next++);

describe(`control planes over ${module === null ? 'SQLite' : 'PostgreSQL'}`, () => {
  it('end a job that the leader had not begun when it was killed', async () => {
    await table.append(...fresh(20));
    await atHead();
    const lost = await leader();
    const id = await addToStopped(lost);
    await table.upsert('meanwhile', ...fresh(3));
    await lost.kill();
    planes[planes.indexOf(lost)] = await PlaneProcess.start(location, table.folder, lost.grpc);
    const job = await vi.waitUntil(async () => {
      const now = await whole((admin) => admin.getJob({ job_id: id }));
      return now.ended_at === undefined ? false : now;
    }, WAIT);
    expect(job).toMatchObject({ state: 'failed', error: { code: 'closed' } });
    await expectWhole();
    const made = await whole((admin) => admin.reindex({ index: INDEX }));
    expect(made.doc_count).toBe(table.rows.size);
  });

  it.runIf(module !== null)('lead in turn: one that was stopped does no harm', async () => {
    const stopped = await leader();
    const before = await store.leases.epochOf('control-plane');
    stopped.signal('SIGSTOP');
    await vi.waitUntil(async () => {
      const lease = await store.leases.current('control-plane');
      return lease !== undefined && lease.epoch > before;
    }, WAIT);
    await table.append(...fresh(5));
    await vi.waitUntil(async () => (await store.routes.get(INDEX))?.snapshot === table.head, WAIT);
    stopped.signal('SIGCONT');
    await table.append(...fresh(5));
    await expectWhole();
    const epoch = await store.leases.epochOf('control-plane');
    const leads = await Promise.all(planes.map((plane) => plane.leads(authorization())));
    expect(leads.filter(Boolean).length).toBeLessThanOrEqual(1);
    expect(epoch).toBeGreaterThan(before);
  });

  it('lose and double no row while leaders are killed under changes', async () => {
    for (let round = 0; round < byEffort(1, 5); round++) {
      const killed = killLeader();
      for (let i = 0; i < 4; i++) {
        await table.append(...fresh(7));
        if (i === 2) await table.delete(next - 10, next - 6);
      }
      await killed;
      await expectWhole();
    }
  });

  it.runIf(module !== null)('go on after PostgreSQL was started again', async () => {
    await table.append(...fresh(5));
    await postgres!.restart();
    await table.append(...fresh(5));
    await table.delete(next - 3, next - 1);
    await expectWhole();
    expect(await whole((admin) => admin.listJobs())).not.toEqual([]);
  });
});
