// @module-tag campaign
/** Processes of a cluster over a store that are killed, stopped, emptied and cut off. */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { byEffort, seedOfDay } from '../../../../test/support/effort.ts';
import { LEADER } from '../../src/control-plane/operations/cluster-job-api.ts';
import { INDEX } from './cluster-table.ts';
import { runFaults } from './fault-schedule.ts';
import { NODES, StoreCluster } from './store-cluster.ts';

const WAIT = { interval: 250 };
const SEED = Number(process.env.LHS_SEED ?? seedOfDay());
const POINTS = Number(process.env.LHS_CLUSTER_FAULTS ?? byEffort(0, 60, 2000));

describe.skipIf(byEffort(true, false))('a cluster over a store', () => {
  const cluster = new StoreCluster();
  let next = 500;
  const append = () => cluster.change(cluster.table.append(next++));

  beforeAll(() => cluster.start(), 600_000);
  afterEach(() => cluster.recover(), 600_000);
  afterAll(() => cluster.stop(), 600_000);

  it('answers whole while each node is lost in turn and is back with an empty disk', async () => {
    await cluster.atHead();
    for (const name of NODES) {
      await append();
      await cluster.atHead();
      await cluster.spread();
      await cluster.lose(name);
      for (let i = 0; i < 40; i++) await cluster.expectWhole();
      await append();
      await cluster.atHead();
      await cluster.begin(name);
    }
  }, 600_000);

  it('answers whole while each node is stopped in turn', async () => {
    for (const name of NODES) {
      await cluster.spread();
      cluster.signal(name, 'SIGSTOP');
      try {
        for (let i = 0; i < 20; i++) await cluster.expectWhole();
      } finally {
        cluster.signal(name, 'SIGCONT');
      }
    }
  }, 600_000);

  it('answers whole with the half of its nodes, and without control planes', async () => {
    await cluster.spread();
    await cluster.lose('n1');
    for (let i = 0; i < 20; i++) await cluster.expectWhole();
    for (const name of cluster.named('control-plane')) await cluster.kill(name);
    for (let i = 0; i < 20; i++) await cluster.expectWhole();
    for (const name of [...cluster.named('control-plane'), 'n1']) await cluster.begin(name);
    await append();
    await cluster.atHead();
  }, 600_000);

  it('answers whole after the loss of all disks', async () => {
    await Promise.all(NODES.map((name) => cluster.lose(name)));
    await Promise.all(NODES.map((name) => cluster.begin(name)));
    await cluster.atHead();
    await append();
    await cluster.atHead();
  }, 600_000);

  it('needs its database neither to answer nor to start a gateway', async (test) => {
    const database = cluster.proxies.get('postgres');
    if (database === undefined) return test.skip();
    await cluster.spread();
    const writer = await cluster.store.placements.nodeOf(INDEX);
    database.swallow();
    for (let i = 0; i < 20; i++) await cluster.expectWhole();
    await cluster.kill('g2');
    await cluster.begin('g2');
    await cluster.atHead('g2');
    expect((await fetch(`${cluster.running.get('g2')!.url}/readyz`)).status).toBe(200);
    const { nodes, leases } = cluster.store;
    await vi.waitFor(async () => {
      expect([await nodes.list(), await leases.current(LEADER)]).toEqual([[], undefined]);
    }, WAIT);
    for (const gateway of ['g1', 'g2']) await cluster.expectWhole(gateway);
    database.heal();
    await append();
    await cluster.atHead();
    expect(await cluster.store.placements.nodeOf(INDEX)).toBe(writer);
  }, 600_000);

  it.runIf(POINTS > 0)(
    'gives no wrong answer, whatever fails',
    async () => {
      const report = await runFaults(cluster, POINTS, SEED);
      console.log(
        `faults: ${JSON.stringify({ seed: SEED, ...report, points: [...report.points] })}`,
      );
      expect(report.wrong).toEqual([]);
      for (const gateway of cluster.named('gateway')) await cluster.atHead(gateway);
      expect((await cluster.client().verify({ index: INDEX })).equal).toBe(true);
    },
    6_000_000,
  );
});
