/** A connector whose table cannot be read: the reason is counted, and shown until it is over. */

import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CLUSTER_KEY } from '../../../../test/support/cluster-processes.ts';
import { INDEX } from './cluster-table.ts';
import { ReshardCluster, WAIT } from './reshard-cluster.ts';

describe('a cluster that cannot follow its table', () => {
  const cluster = new ReshardCluster({ key: CLUSTER_KEY, shards: 2 });
  beforeAll(() => cluster.start());
  afterAll(() => cluster.stop());

  const failure = async () => (await cluster.client.status({ index: INDEX })).sync_failure;
  const metrics = async () => (await fetch(`${cluster.planeUrl}/metrics`)).text();

  it('shows why, and since when, until it can', async () => {
    await cluster.atHead();
    expect(await failure()).toBeUndefined();
    const { warehouse } = cluster.table.catalog;
    const away = join(cluster.table.folder, 'away');
    renameSync(warehouse, away);
    const shown = await vi.waitUntil(failure, WAIT);
    expect(shown).toMatchObject({ message: expect.stringMatching(/^sync: /) });
    expect(Date.parse(shown!.since)).toBeLessThanOrEqual(Date.now());
    expect(await metrics()).toMatch(
      new RegExp(`lhs_loop_failures_total\\{work="sync",index="${INDEX}"\\} [1-9]`),
    );
    renameSync(away, warehouse);
    await vi.waitUntil(async () => (await failure()) === undefined, WAIT);
    await cluster.table.append(5000);
    await cluster.atHead();
  });
});
