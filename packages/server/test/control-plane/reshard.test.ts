// @module-tag campaign
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type AlterPlan, type CallContext, LhsError } from '@lakehouse-search/contract';
import type { ServiceApi } from '@lakehouse-search/contract/internal';
import { shardTable } from '@lakehouse-search/engine/internal';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import type { NodeClient } from '../../src/cluster/node-client.ts';
import { withOnly } from '../../src/cluster/with-only.ts';
import { INDEX } from './cluster-table.ts';
import { ReshardCluster, WAIT } from './reshard-cluster.ts';
import { whileNodes } from './while-nodes.ts';

const cluster = new ReshardCluster();
beforeAll(() => cluster.start());
afterAll(() => cluster.stop());

/** A job that puts a definition in force. */
async function alter(definition_yaml: string): Promise<void> {
  const { epoch } = (await cluster.store.leases.current('control-plane'))!;
  const request = { index: INDEX, definition_yaml };
  const job = await cluster.store.jobs.add('to-two', {
    index: INDEX,
    kind: 'alter',
    request,
    epoch,
  });
  const state = async () => (await cluster.store.jobs.get(job!.id))!;
  await vi.waitUntil(async () => (await state()).endedMs !== null, WAIT);
  expect(await state()).toMatchObject({ state: 'done' });
}

describe('a reshard of an index of a cluster', () => {
  it('is planned: as few buckets as possible, and nothing changes', async () => {
    const plan = await cluster.client.planReshard({ index: INDEX, shards: 3 });
    expect(plan).toMatchObject({ former_shards: 1, shards: 3, buckets: [342, 341, 341] });
    expect(plan).toMatchObject({ applied: false, docs_moved: Math.round((200 * 682) / 1024) });
    expect(plan.moves).toHaveLength(682);
    expect((await cluster.inForce()).shards).toBeUndefined();
  });

  it('is done by its node, while searches find every row once', async () => {
    const end = cluster.searching();
    const done = await cluster.client.applyReshard({ index: INDEX, shards: 3 });
    await end();
    expect(done).toMatchObject({ applied: true, shards: 3 });
    expect(await cluster.client.getRouting({ index: INDEX })).toMatchObject({
      shard_count: 3,
      buckets: [],
    });
    await cluster.expectWhole(true);
  });

  it('follows its table, and moves a bucket', async () => {
    await cluster.table.append(...Array.from({ length: 10 }, (_, i) => 200 + i));
    await cluster.table.upsert('changed', 5, 6, 7, 205);
    await cluster.table.delete(20, 30);
    await cluster.expectWhole(false);
    const end = cluster.searching();
    const moved = await cluster.client.moveBucket({ index: INDEX, bucket: 100, shard: 2 });
    await end();
    await cluster.expectWhole(false);
    expect(moved.moves).toEqual([{ bucket: 100, from: 0, to: 2 }]);
    const { buckets } = await cluster.client.getRouting({ index: INDEX });
    expect(buckets).toEqual([...shardTable(await cluster.inForce())]);
    expect(buckets[100]).toBe(2);
    await cluster.table.upsert('again', ...Array.from({ length: 40 }, (_, i) => i));
    await cluster.expectWhole(false);
  });

  it('goes to fewer shards by an alter', async () => {
    const wanted = await cluster.client.planReshard({ index: INDEX, shards: 2 });
    const end = cluster.searching();
    await alter(cluster.table.definition(2));
    await end();
    const next = [...shardTable(await cluster.inForce())];
    for (const { bucket, to } of wanted.moves) expect(next[bucket]).toBe(to);
    await cluster.table.append(300, 301, 302);
    await cluster.client.reindex({ index: INDEX });
    await cluster.expectWhole(true);
  });

  it('leaves the old shards in force if a bucket has no such shard', async () => {
    const before = await cluster.store.definitions.get(INDEX);
    await expect(
      cluster.client.moveBucket({ index: INDEX, bucket: 0, shard: 5 }),
    ).rejects.toMatchObject({ code: 'invalid_argument' });
    expect(await cluster.store.definitions.get(INDEX)).toEqual(before);
  });
});

/** What the index has on the disks of all nodes and in the store. */
async function standing() {
  const { clients, folder, store } = cluster;
  const lists = clients.map((one) => one.service().listJobs({}));
  const open = (await Promise.all(lists)).flat().filter(({ ended_at }) => ended_at === undefined);
  const generations = ['n1', 'n2', 'n3'].map((node) =>
    readdirSync(join(folder, node), { recursive: true, encoding: 'utf8' })
      .filter((path) => /gen-\d+$|\.tmp$/.test(path))
      .sort(),
  );
  const stored = await store.definitions.get(INDEX);
  const placements = await store.placements.list();
  return { open, generations, stored, placements };
}

const lost = () => new LhsError('unreachable', 'the connection broke');

describe('a reshard that does not end', () => {
  beforeAll(() => cluster.client.applyReshard({ index: INDEX, shards: 3 }));

  /** Calls of nodes that do something else around an alter. */
  const altering =
    (around: (alter: () => Promise<AlterPlan>, call?: CallContext) => Promise<AlterPlan>) =>
    (node: NodeClient) => ({
      service: (epoch?: number): ServiceApi => {
        const service = node.service(epoch);
        return {
          ...service,
          alterIndex: (request, call) =>
            request.apply === true
              ? around(() => service.alterIndex(request, call), call)
              : service.alterIndex(request, call),
        };
      },
    });

  it('leaves the old shards and no files if it is canceled while its node builds', async () => {
    const { client } = cluster;
    const before = await standing();
    const end = cluster.searching();
    const canceled = whileNodes(
      altering(async (alter, call) => {
        for (const job of await client.listJobs({ index: INDEX, state: 'building' })) {
          await client.cancelJob({ job_id: job.job_id });
        }
        await vi.waitUntil(() => call?.signal?.aborted === true, WAIT);
        return alter();
      }),
      () => client.applyReshard({ index: INDEX, shards: 2 }),
    );
    await expect(canceled).rejects.toMatchObject({ code: 'interrupted' });
    await end();
    await vi.waitFor(async () => expect(await standing()).toEqual(before), WAIT);
    await cluster.atHead();
    await cluster.expectPlaces();
  });

  it.each(['request', 'answer'])('goes back if the %s of its node is lost', async (which) => {
    const { client, store } = cluster;
    const before = await store.definitions.get(INDEX);
    const end = cluster.searching();
    const failed = whileNodes(
      altering(async (alter) => {
        if (which === 'answer') await alter();
        throw lost();
      }),
      () => client.applyReshard({ index: INDEX, shards: 2 }),
    );
    await expect(failed).rejects.toMatchObject({ code: 'unreachable' });
    expect(await store.definitions.get(INDEX)).toEqual(before);
    await vi.waitFor(() => cluster.expectPlaces(), WAIT);
    await end();
    await cluster.atHead();
    await vi.waitUntil(async () => (await standing()).open.length === 0, WAIT);
  });
});

/** A definition as requests have it. */
const ofMain = (text: string): string => text.replace(/catalog: \{[^}]*\}/, 'catalog: main');

/** Cases that take long: heartbeats of nodes, and several indexes. */
const inCampaigns = it.runIf(byEffort(false, true));

describe('an index with a map of buckets', () => {
  const bucketsOf = async (index = INDEX) => (await cluster.client.getRouting({ index })).buckets;
  let backup = '';
  beforeAll(() => cluster.client.applyReshard({ index: INDEX, shards: 3 }));

  it('is altered through the gateway and keeps its buckets', async () => {
    const { client, table } = cluster;
    await client.moveBucket({ index: INDEX, bucket: 3, shard: 1 });
    const buckets = await bucketsOf();
    expect(buckets[3]).toBe(1);
    const asked = ofMain(table.definition(3));
    const same = await client.alterIndex({ index: INDEX, definition_yaml: asked });
    expect(same).toMatchObject({ is_noop: true });
    const live = `description: of a test\n${asked}`;
    const plan = await client.alterIndex({ index: INDEX, definition_yaml: live });
    expect(plan).toMatchObject({ is_noop: false, applied: false, strategy: 'live' });
    const built = asked.replace('type: LONG', 'type: KEYWORD');
    for (const definition_yaml of [live, built, asked]) {
      const end = cluster.searching();
      await client.alterIndex({ index: INDEX, definition_yaml, apply: true });
      await end();
      expect(await bucketsOf()).toEqual(buckets);
    }
    await cluster.atHead();
    await cluster.expectPlaces();
  });

  it('is restored from a backup with its buckets, and follows its table', async () => {
    const { client, table } = cluster;
    const buckets = await bucketsOf();
    const made = await client.backup({ index: INDEX, verify: true });
    backup = made.backup;
    await client.restore({ index: INDEX, as: 'copy' });
    expect(await bucketsOf('copy')).toEqual(buckets);
    await table.append(...Array.from({ length: 20 }, (_, i) => 400 + i));
    await table.upsert('restored', ...Array.from({ length: 20 }, (_, i) => 50 + i));
    const request = { index: 'copy', query: '*:*', min_snapshot: table.head!, wait_ms: 120_000 };
    expect(await client.search(request)).toMatchObject({ total: table.rows.size, shards_total: 3 });
    expect((await client.verify({ index: 'copy' })).equal).toBe(true);
    await client.dropIndex({ index: 'copy' });
    await cluster.atHead();
    await cluster.expectPlaces();
  });

  inCampaigns('is restored as it was from a backup of before a reshard', async () => {
    const { client, table } = cluster;
    const buckets = await bucketsOf();
    await client.applyReshard({ index: INDEX, shards: 2 });
    await client.restore({ index: INDEX, backup, as: 'former' });
    expect(await bucketsOf('former')).toEqual(buckets);
    const request = { index: 'former', query: '*:*', min_snapshot: table.head!, wait_ms: 120_000 };
    expect(await client.search(request)).toMatchObject({ total: table.rows.size, shards_total: 3 });
    expect((await client.verify({ index: 'former' })).equal).toBe(true);
    await client.dropIndex({ index: 'former' });
    await client.backup({ index: INDEX });
    await client.dropIndex({ index: INDEX });
    await client.restore({ index: INDEX, backup });
    expect(await bucketsOf()).toEqual(buckets);
    await cluster.atHead();
    await cluster.expectPlaces();
  });

  it('is left by a node that comes back with a part of it', async () => {
    const { client, clients, store, table } = cluster;
    const writer = await cluster.writer();
    const states = await Promise.all(clients.map((one) => one.state()));
    const other = clients[states.findIndex(({ node }) => node !== writer)];
    const service = other.service(await store.leases.epochOf(`connector/${INDEX}`));
    const { definition } = (await store.definitions.get(INDEX))!;
    await service.createIndex({ definition: withOnly(definition, [0]) });
    await service.reindex({ index: INDEX });
    await table.append(800);
    await vi.waitUntil(async () => (await other.state()).indexes.length === 0, WAIT);
    await cluster.atHead();
    await cluster.expectPlaces();
    expect((await client.verify({ index: INDEX })).equal).toBe(true);
  });

  it('is gathered by its node if former versions have spread its shards', async () => {
    const { client, clients, store, table } = cluster;
    const writer = await cluster.writer();
    const states = await Promise.all(clients.map((one) => one.state()));
    const epoch = await store.leases.epochOf(`connector/${INDEX}`);
    const { definition } = (await store.definitions.get(INDEX))!;
    const release = await cluster.holdJobs();
    const parts = clients.map((one, i) => [one.service(epoch), states[i].node === writer] as const);
    for (const [service, isWriter] of parts) {
      const part = withOnly(definition, isWriter ? [0] : [1, 2]);
      if (isWriter) await service.alterIndex({ index: INDEX, definition_yaml: part, apply: true });
      else await service.createIndex({ definition: part });
      if (!isWriter) await service.reindex({ index: INDEX });
    }
    await cluster.atHead();
    const end = cluster.searching();
    await release();
    await vi.waitFor(() => cluster.expectPlaces(), WAIT);
    await end();
    await table.append(900);
    await cluster.atHead();
    expect((await client.verify({ index: INDEX })).equal).toBe(true);
  });
});
