// @module-tag campaign
// @module-tag slow
/** Nodes as processes of their own: that of an index is killed while it gets other shards. */

import type { ServiceApi } from '@lakehouse-search/contract/internal';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CLUSTER_KEY } from '../../../../test/support/cluster-processes.ts';
import { byEffort } from '../../../../test/support/effort.ts';
import type { NodeClient } from '../../src/cluster/node-client.ts';
import { INDEX } from './cluster-table.ts';
import { ReshardCluster, WAIT } from './reshard-cluster.ts';
import { whileNodes } from './while-nodes.ts';

const MOMENTS = ['begins', 'builds', 'has built'] as const;

describe.runIf(byEffort(false, true))('a node that is killed during a reshard', () => {
  const cluster = new ReshardCluster({ key: CLUSTER_KEY, shards: 3, inProcesses: true });
  let kill: () => Promise<void> = async () => {};

  beforeAll(() => cluster.start());
  afterAll(() => cluster.stop());

  /** Calls of nodes that kill the node which builds at a moment. */
  const killedAt = (moment: (typeof MOMENTS)[number]) => (node: NodeClient) => ({
    service: (epoch?: number): ServiceApi => {
      const service = node.service(epoch);
      return {
        ...service,
        async alterIndex(request, call) {
          if (request.apply !== true) return service.alterIndex(request, call);
          if (moment === 'begins') await kill();
          const altered = service.alterIndex(request, call);
          altered.catch(() => {});
          if (moment === 'builds') await kill();
          const plan = await altered;
          if (moment === 'has built') await kill();
          return plan;
        },
      };
    },
  });

  it.each(MOMENTS)('when it %s: a later reshard has all rows', async (moment) => {
    const { client, store, table } = cluster;
    const { shards: former = 1 } = await cluster.inForce();
    const shards = former === 3 ? 4 : 3;
    const lost = await cluster.writer();
    let killed: Promise<void> | undefined;
    kill = () => (killed ??= cluster.kill(lost));
    const before = await store.definitions.get(INDEX);
    const jobs = (await client.listJobs({ index: INDEX })).length;
    const done = whileNodes(killedAt(moment), () => client.applyReshard({ index: INDEX, shards }));
    const isDone = moment === 'has built';
    if (isDone) await done;
    else await expect(done).rejects.toThrow();
    expect(killed).toBeDefined();
    expect(await client.listJobs({ index: INDEX })).toHaveLength(jobs + 1);
    if (!isDone) {
      expect(await store.definitions.get(INDEX)).toEqual(before);
      await expect(client.applyReshard({ index: INDEX, shards })).rejects.toThrow();
    }
    await cluster.join(lost);
    await table.append(table.rows.size + 1000);
    await cluster.atHead();
    await client.applyReshard({ index: INDEX, shards });
    await vi.waitFor(() => cluster.expectWhole(true), WAIT);
  });
});
