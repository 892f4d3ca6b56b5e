// @module-tag slow
/** An index at home in a store: one node writes it, all nodes read it. */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CLUSTER_KEY } from '../../../../test/support/cluster-processes.ts';
import { readableIndex } from '../../src/cluster/node-state.ts';
import { INDEX } from './cluster-table.ts';
import { ReshardCluster, WAIT } from './reshard-cluster.ts';

/** Leases of nodes that end do not have to end by time. */
const STORED = { key: CLUSTER_KEY, shards: 5, nodeMs: 600_000, isShared: true } as const;

describe.each([
  ['an index in a store, under a control plane', STORED],
  ['an index in a store with cold windows', { ...STORED, hasWindows: true }],
] as const)('%s', (_, settings) => {
  const cluster = new ReshardCluster(settings);
  beforeAll(async () => {
    vi.stubEnv('LHS_COLD_CACHE_DIR', join(cluster.folder, 'cache'));
    await cluster.start();
  });
  afterAll(async () => {
    await cluster.stop();
    vi.unstubAllEnvs();
  });

  const replicas = async () => (await cluster.store.routes.get(INDEX))?.replicas ?? [];

  /** Waits until so many nodes can be read for each shard. */
  const read = (count: number) =>
    vi.waitFor(async () => {
      for (const own of await replicas()) expect(own).toHaveLength(count);
    }, WAIT);

  it('has one writer, and each shard has its own order of all nodes', async () => {
    await read(3);
    const firsts = new Set((await replicas()).map(([first]) => first.node));
    expect(firsts.size).toBeGreaterThan(1);
    const commits = new Set((await replicas()).flat().map(({ commit }) => commit));
    expect(commits.size).toBe(1);
    await cluster.expectWhole(true);
  });

  it('follows its table', async () => {
    await cluster.table.append(1000, 1001);
    await cluster.table.delete(0, 10);
    await cluster.expectWhole(false);
    await read(3);
  });

  it('answers whole without its writer, and gets another one from the store', async () => {
    const writer = await cluster.writer();
    const { index_generation } = await cluster.client.status({ index: INDEX });
    await cluster.lose(writer);
    for (let i = 0; i < 20; i++) {
      const answer = await cluster.client.search({ index: INDEX, query: '*:*' });
      expect(answer.partial).toBeUndefined();
      expect(answer).toMatchObject({ total: cluster.table.rows.size, shards_scanned: 5 });
    }
    expect(await cluster.client.listIndexes()).toMatchObject([
      { name: INDEX, num_docs: cluster.table.rows.size },
    ]);
    expect(await cluster.client.status({ index: INDEX })).toMatchObject({ status: 'live' });
    await cluster.table.append(2000);
    await cluster.expectWhole(false);
    expect(await cluster.writer()).not.toBe(writer);
    // nothing is built again
    expect(await cluster.client.status({ index: INDEX })).toMatchObject({ index_generation });
    // an empty disk reads all shards at once
    await cluster.join(writer);
    await read(3);
    expect(await cluster.writer()).not.toBe(writer);
    await cluster.expectWhole(false);
  });

  it('is left by a former writer that comes back', async () => {
    const writer = await cluster.writer();
    await cluster.end(writer);
    await vi.waitUntil(async () => (await cluster.writer()) !== writer, WAIT);
    await cluster.join(writer);
    const back = cluster.clients.at(-1)!;
    await vi.waitUntil(async () => (await back.state()).followed.length === 1, WAIT);
    expect((await back.state()).indexes).toEqual([]);
    await cluster.table.append(3000);
    await cluster.expectWhole(false);
  });

  it('gets another definition, and other shards, on all nodes', async () => {
    const description = 'Notes of a test.';
    const named = cluster.table
      .definition(5)
      .replace(/catalog: \{.*?\}/, 'catalog: main')
      .replace(/^storage.*$/m, 'storage: store');
    const definition_yaml = `${named}description: ${description}\nreplicas: 2\n`;
    await cluster.client.alterIndex({ index: INDEX, definition_yaml, apply: true });
    await vi.waitFor(async () => {
      const described = await cluster.client.describeIndex({ index: INDEX });
      expect(described).toMatchObject({ description });
      const states = await Promise.all(cluster.clients.map((node) => node.state()));
      const own = states.map((state) => readableIndex(state, INDEX)?.copies);
      expect(own).toEqual([3, 3, 3]);
    }, WAIT);
    await read(3);
    const scores = async () => {
      const { hits } = await cluster.client.search({ index: INDEX, query: 'note 7', limit: 25 });
      return hits.map(({ coordinates, score }) => ({ coordinates, score }));
    };
    const before = await scores();
    await cluster.client.applyReshard({ index: INDEX, shards: 2 });
    await read(3);
    expect(await scores()).toEqual(before);
    await cluster.expectWhole(false);
  });

  it('has clones in its store, which all nodes read', async () => {
    const name = 'trial';
    const cloned = await cluster.client.cloneIndex({ index: INDEX, name });
    const { size } = cluster.table.rows;
    expect(cloned).toMatchObject({ index: name, cloned_from: INDEX, num_docs: size });
    await vi.waitFor(async () => {
      const copies = (await cluster.store.routes.get(name))?.replicas.map((own) => own.length);
      expect(copies).toEqual([3, 3]);
    }, WAIT);
    const answer = await cluster.client.search({ index: name, query: '*:*' });
    expect(answer).toMatchObject({ total: size, shards_scanned: 2 });
    await cluster.client.dropIndex({ index: name });
    await cluster.expectWhole(false);
  });

  it('is gone from its nodes and its store when it is dropped', async () => {
    await cluster.client.dropIndex({ index: INDEX });
    await vi.waitFor(async () => {
      const states = await Promise.all(cluster.clients.map((node) => node.state()));
      for (const { indexes, followed } of states) expect([...indexes, ...followed]).toEqual([]);
    }, WAIT);
    expect(readdirSync(join(cluster.folder, 'store', 'indexes'))).toEqual([]);
  });
});

describe('an index of one node', () => {
  const cluster = new ReshardCluster({ key: CLUSTER_KEY, shards: 3 });
  beforeAll(async () => {
    vi.stubEnv('LHS_COLD_CACHE_DIR', join(cluster.folder, 'cache'));
    mkdirSync(join(cluster.folder, 'store'));
    await cluster.start();
  });
  afterAll(async () => {
    await cluster.stop();
    vi.unstubAllEnvs();
  });

  it('moves into a store, and out of it, while it is searched', async () => {
    const moveTo = async (storage: string | undefined, copies: number) => {
      const moved = await cluster.client.moveIndex({ index: INDEX, storage });
      const [now, previous] = storage === undefined ? [null, 'store'] : ['store', null];
      expect(moved).toMatchObject({ storage: now, previous_storage: previous });
      await vi.waitFor(async () => {
        const route = await cluster.store.routes.get(INDEX);
        expect(route?.replicas.map((own) => own.length)).toEqual([copies, copies, copies]);
      }, WAIT);
    };
    const { index_generation } = await cluster.client.status({ index: INDEX });
    const end = cluster.searching();
    await moveTo('store', 3);
    await end();
    await cluster.table.append(1000);
    await cluster.expectWhole(false);
    await moveTo(undefined, 1);
    await cluster.table.append(1001);
    await cluster.expectWhole(false);
    expect(await cluster.client.status({ index: INDEX })).toMatchObject({ index_generation });
  });
});
