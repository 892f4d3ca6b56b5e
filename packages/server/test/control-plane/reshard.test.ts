import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@lakehouse-search/client';
import type { SearchResponse, Service } from '@lakehouse-search/contract';
import { openLocal, registeredDefinition, shardTable } from '@lakehouse-search/engine';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectNode, type NodeClient } from '../../src/cluster/node-client.ts';
import type { RunningServer } from '../../src/serve/serve-all.ts';
import {
  type RunningControlPlane,
  serveControlPlane,
} from '../../src/serve/serve-control-plane.ts';
import { serveGateway } from '../../src/serve/serve-gateway.ts';
import { type RunningNode, serveNode } from '../../src/serve/serve-node.ts';
import { serverOptions } from '../../src/serve/server-options.ts';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { ClusterTable, INDEX } from './cluster-table.ts';
import { CLUSTER_KEY } from './stand-in-node.ts';

const WAIT = { timeout: 120_000, interval: 50 };
const QUIET = { 'log.level': 'silent', 'log.access': false } as const;
const ADDRESSES = { rest_addr: '127.0.0.1:0', addr: '127.0.0.1:0' } as const;
const NAMES = { catalogs: {}, roots: {}, models: {} };
const folder = mkdtempSync(join(tmpdir(), 'lhs-reshard-'));

let table: ClusterTable;
let plane: RunningControlPlane;
let nodes: RunningNode[] = [];
let clients: NodeClient[] = [];
let gateway: RunningServer;
let client: Service;
let store: Store;

const startNode = (name: string): Promise<RunningNode> =>
  serveNode({
    options: serverOptions({ ...ADDRESSES, ...QUIET, threads: 0 }, {}, join(folder, name)),
    cluster: { nodes: [], controlPlane: [plane.grpc], key: CLUSTER_KEY, node: name, takes: [] },
  });

beforeAll(async () => {
  table = await new ClusterTable().create();
  await table.append(...Array.from({ length: 200 }, (_, i) => i));
  plane = await serveControlPlane({
    options: serverOptions({ ...ADDRESSES, ...QUIET, sync_poll_ms: 100 }, {}, table.folder),
    ...{ names: NAMES, key: CLUSTER_KEY },
    times: { leaseMs: 120_000, nodeMs: 6000, leaveMs: 600_000 },
  });
  store = await openStore({ file: join(table.folder, 'server.db') });
  nodes = [await startNode('n1'), await startNode('n2'), await startNode('n3')];
  clients = nodes.map(({ grpc }) => connectNode(grpc, { key: CLUSTER_KEY }));
  gateway = await serveGateway({
    options: serverOptions({ ...ADDRESSES, ...QUIET, threads: 0 }, {}, join(folder, 'gateway')),
    ...{ names: NAMES, issuers: [] },
    env: { LHS_ADMIN_PASSWORD: 'long-enough' },
    cluster: { nodes: [], controlPlane: [plane.grpc], key: CLUSTER_KEY, takes: [] },
  });
  client = createClient({ url: gateway.url });
  await vi.waitUntil(async () => (await store.nodes.list()).length === 3, WAIT);
  await store.definitions.add(INDEX, table.definition(1));
  await client.reindex({ index: INDEX });
});

afterAll(async () => {
  await client?.close();
  await gateway?.stop();
  for (const one of clients) await one.close();
  for (const node of nodes) await node.stop();
  await store?.close();
  await plane?.stop();
  table?.dispose();
  rmSync(folder, { recursive: true, force: true });
});

const inForce = async () => registeredDefinition((await store.definitions.get(INDEX))!.definition);

/** Waits until searches see the newest snapshot in all shards. */
async function atHead(): Promise<void> {
  await vi.waitUntil(async () => {
    const route = await store.routes.get(INDEX);
    const isWhole = route?.replicas.every((own) => own.length > 0) === true;
    if (!isWhole || route?.snapshot !== table.head) return false;
    const { snapshot, partial } = await client.search({ index: INDEX, query: '*:*' });
    return snapshot === table.head && partial !== true;
  }, WAIT);
}

const QUERIES = [
  { query: 'note', limit: 25 },
  { query: 'changed OR title:7', limit: 25 },
  { query: '*:*', limit: 40 },
] as const;
const shown = ({ hits, total }: SearchResponse) => ({
  total,
  hits: hits.map(({ coordinates, score, fields }) => ({ coordinates, score, fields })),
});

/**
 * Searches, digest, keys and places of documents are those of the table. Scores count documents
 * that syncs have deleted until they are merged away: they are compared after a build.
 */
async function expectWhole(isBuilt: boolean): Promise<void> {
  await atHead();
  const local = await openLocal(join(folder, 'oracle'));
  try {
    await local.createIndex({ definition: table.definition(1) });
    await local.reindex({ index: INDEX });
    for (const request of isBuilt ? QUERIES : QUERIES.slice(2)) {
      const [own, right] = await Promise.all([
        client.search({ index: INDEX, ...request }),
        local.search({ index: INDEX, ...request }),
      ]);
      expect(shown(own)).toEqual(shown(right));
    }
    const verified = await client.verify({ index: INDEX });
    expect(verified.equal).toBe(true);
    expect(verified.digest.index).toBe(verified.digest.table);
    const keys = [0, 7, 150, 205].map((id) => ({
      identifier: [{ name: 'id', value: String(id) }],
    }));
    const read = (backend: Pick<Service, 'getKeys'>) => backend.getKeys({ index: INDEX, keys });
    expect((await read(client)).rows).toEqual((await read(local)).rows);
  } finally {
    await local.dropIndex({ index: INDEX });
    await local.close();
  }
  await expectPlaces();
}

/** Each document is on the node of its shard, and nowhere else. */
async function expectPlaces(): Promise<void> {
  const placements = await store.placements.list(INDEX);
  const { shards = 1 } = await inForce();
  expect(placements.map(({ shard }) => shard)).toEqual([...Array(shards).keys()]);
  const found: string[] = [];
  for (const one of clients) {
    const { node, indexes } = await one.state();
    const own = indexes.find(({ index }) => index === INDEX);
    const placed = placements.filter((each) => each.node === node).map(({ shard }) => shard);
    expect(own?.ordinals ?? []).toEqual(placed);
    if (own === undefined) continue;
    for await (const { fields } of one.service().exportDocuments({ index: INDEX })) {
      found.push(`${fields.id} ${fields.title}`);
    }
  }
  expect(found.sort()).toEqual(table.expected());
}

/** A job that puts a definition in force. */
async function alter(definition_yaml: string): Promise<void> {
  const { epoch } = (await store.leases.current('control-plane'))!;
  const request = { index: INDEX, definition_yaml };
  const job = await store.jobs.add('to-two', { index: INDEX, kind: 'alter', request, epoch });
  const state = async () => (await store.jobs.get(job!.id))!;
  await vi.waitUntil(async () => (await state()).endedMs !== null, WAIT);
  expect(await state()).toMatchObject({ state: 'done' });
}

/** Searches until it is ended: each finds all rows of a snapshot, once. */
function searching() {
  const found: SearchResponse[] = [];
  let ended = false;
  const work = (async () => {
    while (!ended) found.push(await client.search({ index: INDEX, query: '*:*', limit: 1000 }));
  })();
  work.catch(() => {});
  const rows = table.expected();
  return async () => {
    ended = true;
    await work;
    expect(found.length).toBeGreaterThan(0);
    for (const { hits, partial } of found) {
      const own = hits.map(({ fields }) => `${fields?.id} ${fields?.title}`).sort();
      expect({ partial, rows: own }).toEqual({ partial: undefined, rows });
    }
  };
}

describe('a reshard of an index on three nodes', () => {
  it('is planned: as few buckets as possible, and nothing changes', async () => {
    const plan = await client.planReshard({ index: INDEX, shards: 3 });
    expect(plan).toMatchObject({ former_shards: 1, shards: 3, buckets: [342, 341, 341] });
    expect(plan).toMatchObject({ applied: false, docs_moved: Math.round((200 * 682) / 1024) });
    expect(plan.moves).toHaveLength(682);
    expect((await inForce()).shards).toBeUndefined();
  });

  it('gives the shards nodes, while searches find every row once', async () => {
    const end = searching();
    const done = await client.applyReshard({ index: INDEX, shards: 3 });
    await end();
    expect(done).toMatchObject({ applied: true, shards: 3 });
    expect(await client.getRouting({ index: INDEX })).toMatchObject({
      shard_count: 3,
      buckets: [],
    });
    await expectWhole(true);
  });

  it('follows its table, and moves a bucket', async () => {
    await table.append(...Array.from({ length: 10 }, (_, i) => 200 + i));
    await table.upsert('changed', 5, 6, 7, 205);
    await table.delete(20, 30);
    await expectWhole(false);
    const end = searching();
    const moved = await client.moveBucket({ index: INDEX, bucket: 100, shard: 2 });
    await end();
    await expectWhole(true);
    expect(moved.moves).toEqual([{ bucket: 100, from: 0, to: 2 }]);
    const { buckets } = await client.getRouting({ index: INDEX });
    expect(buckets).toEqual([...shardTable(await inForce())]);
    expect(buckets[100]).toBe(2);
    await table.upsert('again', ...Array.from({ length: 40 }, (_, i) => i));
    await expectWhole(false);
  });

  it('goes to fewer shards by an alter, and a node without shards removes its files', async () => {
    const wanted = await client.planReshard({ index: INDEX, shards: 2 });
    const end = searching();
    await alter(table.definition(2));
    await end();
    const next = [...shardTable(await inForce())];
    for (const { bucket, to } of wanted.moves) expect(next[bucket]).toBe(to);
    await vi.waitUntil(async () => {
      const states = await Promise.all(clients.map((one) => one.state()));
      return states.filter(({ indexes }) => indexes.length > 0).length === 2;
    }, WAIT);
    await table.append(300, 301, 302);
    await client.reindex({ index: INDEX });
    await expectWhole(true);
  });

  it('leaves the old shards in force if a node cannot take one', async () => {
    const before = await store.definitions.get(INDEX);
    const states = await Promise.all(clients.map((one) => one.state()));
    const free = states.findIndex(({ indexes }) => indexes.length === 0);
    await clients[free].service().createIndex({ definition: table.definition(1) });
    await expect(client.applyReshard({ index: INDEX, shards: 3 })).rejects.toMatchObject({
      code: 'index_exists',
    });
    await expect(client.moveBucket({ index: INDEX, bucket: 0, shard: 5 })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    expect(await store.definitions.get(INDEX)).toEqual(before);
    await vi.waitUntil(async () => (await clients[free].state()).indexes.length === 0, WAIT);
    await expectWhole(true);
    await client.applyReshard({ index: INDEX, shards: 3 });
    await expectWhole(true);
  });
});
