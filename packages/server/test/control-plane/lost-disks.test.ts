/** Nodes that lose their disks: shards are built from the table, without an operator. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CLUSTER_KEY } from '../../../../test/support/cluster-processes.ts';
import { INDEX } from './cluster-table.ts';
import { type ClusterSettings, ReshardCluster, WAIT } from './reshard-cluster.ts';

describe('a cluster whose nodes lose their disks', () => {
  let cluster: ReshardCluster;
  afterEach(() => cluster.stop());

  async function started(settings: ClusterSettings): Promise<void> {
    cluster = new ReshardCluster({ key: CLUSTER_KEY, ...settings });
    await cluster.start();
    await cluster.table.append(1000, 1001);
    await cluster.atHead();
  }

  it('builds the index of a node that comes back with an empty disk', async () => {
    await started({ shards: 3 });
    const writer = await cluster.writer();
    await cluster.lose(writer);
    await cluster.table.append(2000);
    const missing = { missing_shards: [0, 1, 2] };
    expect(await cluster.client.listIndexes()).toMatchObject([missing]);
    expect(await cluster.client.status({ index: INDEX })).toMatchObject(missing);
    expect(await cluster.client.listIngestion()).toMatchObject([missing]);
    const probe = async () => (await fetch(`${cluster.planeUrl}/readyz`)).json();
    expect(await probe()).toEqual({ status: 'degraded', missing_shards: { [INDEX]: [0, 1, 2] } });
    await cluster.join(writer);
    await cluster.expectWhole(false);
    expect(await probe()).toEqual({ status: 'ok' });
    const whole = await cluster.client.status({ index: INDEX });
    expect([whole.missing_shards, whole.sync_failure]).toEqual([undefined, undefined]);
  });

  it('builds the index of a node that has left on another one', async () => {
    await started({ shards: 2, leaveMs: 2000 });
    const writer = await cluster.writer();
    await cluster.lose(writer);
    await cluster.expectWhole(false);
    expect(await cluster.writer()).not.toBe(writer);
  });

  it('builds all shards when all disks are lost', async () => {
    await started({ shards: 3 });
    const names = ['n1', 'n2', 'n3'];
    const lost = { missing_shards: { [INDEX]: [0, 1, 2] } };
    const probe = async () => (await fetch(`${cluster.planeUrl}/readyz`)).json();
    const release = await cluster.holdJobs();
    for (const name of names) await cluster.lose(name);
    expect(await probe()).toEqual({ status: 'degraded', ...lost });
    for (const name of names) await cluster.join(name);
    await vi.waitFor(async () => {
      await expect(cluster.client.search({ index: INDEX, query: '*:*' })).rejects.toMatchObject({
        code: 'unreachable',
        hint: 'the status of the index names missing shards and what is done about them',
      });
    }, WAIT);
    expect(await probe()).toEqual({ status: 'degraded', ...lost });
    const status = await cluster.client.status({ index: INDEX });
    expect(status).toMatchObject({ status: 'live', missing_shards: [0, 1, 2] });
    await release();
    await cluster.expectWhole(false);
    expect(await probe()).toEqual({ status: 'ok' });
    await cluster.table.append(3000);
    await cluster.atHead();
  });

  it('waits for the first reindex of an index that was never built', async () => {
    await started({ shards: 3 });
    const definition = cluster.table.definition(1).replace(INDEX, 'later');
    await cluster.store.definitions.add('later', definition);
    const held = async () => {
      const states = await Promise.all(cluster.clients.map((one) => one.state()));
      return states.flatMap(({ indexes }) => indexes.filter(({ index }) => index === 'later'));
    };
    await vi.waitUntil(async () => (await held()).length === 1, WAIT);
    await cluster.table.append(4000);
    await cluster.atHead();
    expect((await held())[0].commits).toEqual([]);
  });
});

describe('a cluster without a key', () => {
  it('follows its table', async () => {
    const cluster = new ReshardCluster({ shards: 2 });
    try {
      await cluster.start();
      await cluster.table.append(1000, 1001);
      await cluster.table.delete(0, 10);
      await cluster.expectWhole(false);
    } finally {
      await cluster.stop();
    }
  });
});
