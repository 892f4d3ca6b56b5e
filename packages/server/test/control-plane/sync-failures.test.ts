/** A connector whose table cannot be read: the reason is counted, and shown until it is over. */

import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CLUSTER_KEY } from '../../../../test/support/cluster-processes.ts';
import { withOnly } from '../../src/cluster/with-only.ts';
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

  it('shows why its node does not gather shards that earlier versions spread', async () => {
    const writer = await cluster.writer();
    await cluster.end(writer);
    const node = await openEngine(join(cluster.folder, writer), { threads: 0 });
    const definition_yaml = withOnly(cluster.table.definition(2), [1]);
    await node.alterIndex({ index: INDEX, definition_yaml, apply: true });
    await node.close();
    const { warehouse } = cluster.table.catalog;
    const away = join(cluster.table.folder, 'away');
    renameSync(warehouse, away);
    await cluster.join(writer);
    // a sync may fail before the node gathers its shards
    const isOfTakeover = async () =>
      /takeover of an index: /.test((await failure())?.message ?? '');
    await vi.waitUntil(isOfTakeover, WAIT);
    const counted = `lhs_loop_failures_total\\{work="sync",index="${INDEX}"\\} `;
    const before = Number(new RegExp(`${counted}(\\d+)`).exec(await metrics())?.[1]);
    await vi.waitUntil(async () => {
      const now = new RegExp(`${counted}(\\d+)`).exec(await metrics())?.[1];
      return Number(now) > before;
    }, WAIT);
    renameSync(away, warehouse);
    await vi.waitUntil(async () => (await failure()) === undefined, WAIT);
    await cluster.expectPlaces();
  });
});
