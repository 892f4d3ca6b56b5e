// @module-tag campaign
// @module-tag slow
/** Nodes as processes of their own, one of which is killed while an index gets other shards. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import type { NodeClient } from '../../src/cluster/node-client.ts';
import { INDEX } from './cluster-table.ts';
import { ReshardCluster, WAIT } from './reshard-cluster.ts';
import { CLUSTER_KEY } from './stand-in-node.ts';
import { whileNodes } from './while-nodes.ts';

const LOST = 'n2';
const MOMENTS = ['has built', 'begins to build', 'is promoted', 'was promoted'] as const;

describe.runIf(byEffort(false, true))('a node that is killed during a reshard', () => {
  const cluster = new ReshardCluster({ key: CLUSTER_KEY, shards: 3, inProcesses: true });
  let kill: () => Promise<void> = async () => {};

  beforeAll(() => cluster.start());
  afterAll(() => cluster.stop());

  /** Calls of nodes, of which those of one node kill it at a moment. */
  const killedAt = (moment: (typeof MOMENTS)[number], address: string) => (node: NodeClient) => {
    if (node.address !== address) return {};
    return {
      async *build(...args: Parameters<NodeClient['build']>) {
        for await (const step of node.build(...args)) {
          if (moment === 'begins to build') await kill();
          if (moment === 'has built' && 'staged' in step) await kill();
          yield step;
        }
      },
      async endBuild(...args: Parameters<NodeClient['endBuild']>) {
        if (moment === 'is promoted' && args[2]) await kill();
        const ended = await node.endBuild(...args);
        if (moment === 'was promoted' && args[2]) await kill();
        return ended;
      },
    };
  };

  it.each(MOMENTS)('when it %s: a later reshard has all rows', async (moment) => {
    const { client, store, table } = cluster;
    const { shards: former = 1 } = await cluster.inForce();
    const shards = former === 3 ? 4 : 3;
    const [{ address }] = (await store.nodes.list()).filter(({ node }) => node === LOST);
    let killed: Promise<void> | undefined;
    kill = () => (killed ??= cluster.kill(LOST));
    const before = await store.definitions.get(INDEX);
    const jobs = (await client.listJobs({ index: INDEX })).length;
    const done = whileNodes(killedAt(moment, address), () =>
      client.applyReshard({ index: INDEX, shards }),
    );
    await expect(done).rejects.toThrow();
    expect(killed).toBeDefined();
    expect(await client.listJobs({ index: INDEX })).toHaveLength(jobs + 1);
    expect(await store.definitions.get(INDEX)).toEqual(before);
    await expect(client.applyReshard({ index: INDEX, shards })).rejects.toThrow();
    await cluster.join(LOST);
    await table.append(table.rows.size + 1000);
    await cluster.atHead();
    await client.applyReshard({ index: INDEX, shards });
    await vi.waitFor(() => cluster.expectWhole(true), WAIT);
  });
});
