// @module-tag slow

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRemote } from '@lakehouse-search/client/remote/internal';
import type { ErasureResponse, Job, JsonObject } from '@lakehouse-search/contract';
import type { ServiceApi } from '@lakehouse-search/contract/internal';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CLUSTER_KEY } from '../../../../test/support/cluster-processes.ts';
import { connectNode, type NodeClient } from '../../src/cluster/node-client.ts';
import type { RoutedIndex } from '../../src/cluster/routing.ts';
import { withOnly } from '../../src/cluster/with-only.ts';
import { type LedRouting, openLedRouting } from '../../src/gateway/led-routing.ts';
import type { RunningServer } from '../../src/serve/serve-all.ts';
import {
  type RunningControlPlane,
  serveControlPlane,
} from '../../src/serve/serve-control-plane.ts';
import { serveGateway } from '../../src/serve/serve-gateway.ts';
import { type RunningNode, serveNode } from '../../src/serve/serve-node.ts';
import { serverOptions } from '../../src/serve/server-options.ts';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { ClusterTable, documentsOf, INDEX } from './cluster-table.ts';

const WAIT = { interval: 50 };
/** For jobs, which may take long on a busy machine. */
const PATIENT = { timeout: 600_000, interval: 50 };
const QUIET = { 'log.level': 'silent', 'log.access': false } as const;
const ADDRESSES = { rest_addr: '127.0.0.1:0', addr: '127.0.0.1:0' } as const;
const folder = mkdtempSync(join(tmpdir(), 'lhs-real-nodes-'));

const BACKUPS = { ...QUIET, backup_target: join(folder, 'backups') };

let table: ClusterTable;
let plane: RunningControlPlane;
let nodes: RunningNode[] = [];
let clients: NodeClient[] = [];
let routing: LedRouting;
let gateway: RunningServer;
let client: ServiceApi;
let store: Store;

const startNode = (name: string): Promise<RunningNode> =>
  serveNode({
    options: serverOptions({ ...ADDRESSES, ...BACKUPS, threads: 0 }, {}, join(folder, name)),
    cluster: { nodes: [], controlPlane: [plane.grpc], key: CLUSTER_KEY, node: name, takes: [] },
  });

const startGateway = (name: string, own = {}): Promise<RunningServer> =>
  serveGateway({
    options: serverOptions({ ...ADDRESSES, ...QUIET, threads: 0, ...own }, {}, join(folder, name)),
    ...{ names: { catalogs: {}, roots: {}, models: {} }, issuers: [] },
    env: { LHS_ADMIN_PASSWORD: 'long-enough' },
    cluster: {
      ...{ nodes: [], controlPlane: [plane.grpc], key: CLUSTER_KEY, takes: [] },
      shardTimeoutMs: 120_000,
      silenceMs: 120_000,
    },
  });

beforeAll(async () => {
  table = await new ClusterTable().create();
  await table.append(...Array.from({ length: 50 }, (_, i) => i));
  const values = { ...ADDRESSES, ...BACKUPS, sync_poll_ms: 100 };
  plane = await serveControlPlane({
    options: serverOptions(values, {}, table.folder),
    names: { catalogs: {}, roots: {}, models: {} },
    times: { leaseMs: 20_000, nodeMs: 10_000, leaveMs: 3000, silenceMs: 120_000 },
    key: CLUSTER_KEY,
  });
  store = await openStore({ file: join(table.folder, 'server.db') });
  nodes = [await startNode('n1'), await startNode('n2')];
  clients = nodes.map(({ grpc }) => connectNode(grpc, { key: CLUSTER_KEY }));
  routing = await openLedRouting({ addresses: [plane.grpc], key: CLUSTER_KEY }, { node: vi.fn() });
  gateway = await startGateway('gateway');
  client = createRemote({ url: gateway.url });
  await vi.waitUntil(async () => (await store.nodes.list()).length === 2, WAIT);
  await store.definitions.add(INDEX, table.definition(3));
});

afterAll(async () => {
  await client.close();
  await gateway.stop();
  await routing.close();
  for (const client of clients) await client.close();
  for (const node of nodes) await node.stop();
  await store.close();
  await plane.stop();
  table.dispose();
  rmSync(folder, { recursive: true, force: true });
});

const atHead = (): Promise<RoutedIndex> =>
  vi.waitUntil(() => {
    const route = routing.current(INDEX);
    const isWhole = route?.shards.every(({ replicas }) => replicas.length > 0);
    return isWhole && route?.snapshot === table.head ? route : false;
  }, WAIT) as Promise<RoutedIndex>;

const documents = () => documentsOf(clients);

const reindex = (): Promise<void> => run('reindex', { index: INDEX });

async function run(kind: 'reindex' | 'alter', request: JsonObject): Promise<void> {
  const epoch = (await store.leases.current('control-plane'))!.epoch;
  const draft = { index: INDEX, kind, request, epoch };
  const job = (await store.jobs.add(`job-${Date.now()}`, draft))!;
  await vi.waitUntil(async () => (await store.jobs.get(job.id))?.endedMs !== null, WAIT);
  const { state, record } = (await store.jobs.get(job.id))!;
  expect({ state, error: record.error }).toEqual({ state: 'done', error: undefined });
}

const ended = (job_id: string): Promise<Job> =>
  vi.waitUntil(async () => {
    const job = await client.getJob({ job_id });
    return job.ended_at === undefined ? false : job;
  }, PATIENT) as Promise<Job>;

describe('nodes under a control plane', () => {
  it('take over an index, build it and follow its table', async () => {
    await reindex();
    const route = await atHead();
    expect(route.shards.map(({ replicas }) => replicas[0].node)).toEqual(['n1', 'n1', 'n1']);
    await table.append(100, 101, 102, 103, 104);
    await table.delete(10, 20);
    await table.upsert('changed', 1, 2, 103, 200);
    await atHead();
    expect(await documents()).toEqual(table.expected());
    expect((await client.verify({ index: INDEX })).equal).toBe(true);
  });

  it('are searched through a gateway, at one snapshot', async () => {
    await table.append(400, 401);
    const found = await client.search({
      ...{ index: INDEX, query: '*:*', limit: 1000 },
      ...{ min_snapshot: table.head!, wait_ms: 120_000 },
    });
    expect(found).toMatchObject({ snapshot: table.head, total: table.rows.size, shards_total: 3 });
    const ids = found.hits.map(({ coordinates }) => Number(coordinates.identifier[0].value));
    expect(ids.toSorted((a, b) => a - b)).toEqual([...table.rows.keys()].toSorted((a, b) => a - b));
    const [summary] = await client.listIndexes();
    expect(summary).toMatchObject({ name: INDEX, status: 'live', snapshot: table.head });
    expect(await client.getRouting({ index: INDEX })).toMatchObject({ shard_count: 3 });
    const [job] = await client.listJobs({});
    expect(job).toMatchObject({ index: INDEX, state: 'done' });
  });

  it('are written by the connector alone', async () => {
    const next = [{ step: 'show_status', index: INDEX }];
    await expect(client.sync({ index: INDEX })).rejects.toMatchObject({ status: 501, next });
    const early = { index: INDEX, query: '*:*', min_snapshot: '1', wait_ms: 0 };
    const code = 'snapshot_not_reached';
    await expect(client.search(early)).rejects.toMatchObject({ code, next });
    for (const one of [await client.status({}), await client.describeIndex({})])
      expect(one.synced_by).toBe('control_plane');
  });

  it('keep the index when it is altered', async () => {
    const before = (await atHead()).shards.map(({ replicas }) => replicas.map(({ node }) => node));
    const definition_yaml = table.definition(3).replace('type: LONG, ', 'type: LONG, fast: true, ');
    expect(definition_yaml).not.toBe(table.definition(3));
    await run('alter', { index: INDEX, definition_yaml });
    const route = await atHead();
    expect(route.shards.map(({ replicas }) => replicas.map(({ node }) => node))).toEqual(before);
    const sorted = await client.search({
      ...{ index: INDEX, query: '*:*', limit: 1000, sort: [{ field: 'id', desc: true }] },
    });
    expect(sorted).toMatchObject({ total: table.rows.size });
    expect(await documents()).toEqual(table.expected());
  });

  it('are backed up at one snapshot, and restored as another index', async () => {
    await atHead();
    const made = await client.backup({ index: INDEX });
    expect(made).toMatchObject({ snapshot: table.head, num_docs: table.rows.size, index: INDEX });
    await table.append(500);
    await atHead();
    const second = await client.backup({ index: INDEX });
    expect(second.bytes_copied).toBeLessThan(second.bytes);
    const listed = await client.listBackups({});
    expect(listed.map(({ backup }) => backup)).toEqual([second.backup, made.backup]);
    const restored = await client.restore({ index: INDEX, backup: made.backup, as: 'copy' });
    expect(restored).toMatchObject({ index: 'copy', num_docs: table.rows.size - 1 });
    await expect(client.restore({ index: INDEX, as: 'copy' })).rejects.toMatchObject({
      code: 'index_exists',
    });
    const request = { index: 'copy', query: '*:*', min_snapshot: table.head!, wait_ms: 120_000 };
    expect(await client.search(request)).toMatchObject({ total: table.rows.size, shards_total: 3 });
    expect((await client.verify({ index: 'copy' })).equal).toBe(true);
    // Else merges of the last batch make it smaller meanwhile.
    await client.compact({ index: 'copy' });
    const states = await Promise.all(clients.map((node) => node.state()));
    const live = states
      .flatMap(({ indexes }) => indexes.filter(({ index }) => index === 'copy'))
      .reduce((sum, { commits }) => sum + commits[0].bytes, 0);
    const dropped = await client.dropIndex({ index: 'copy' });
    expect(dropped).toMatchObject({ index: 'copy', generations: 1 });
    expect(dropped.bytes).toBeGreaterThanOrEqual(live);
    expect(live).toBeGreaterThan(0);
  });

  it('are free for an index of the same name right after a drop', async () => {
    for (let round = 0; round < 3; round++) {
      const restored = await client.restore({ index: INDEX, as: 'back' });
      expect(restored.index).toBe('back');
      await client.dropIndex({ index: 'back' });
    }
    const held = async () =>
      (await Promise.all(clients.map((one) => one.state()))).flatMap(({ indexes }) => indexes);
    // a node that does not answer in time removes the files at its next heartbeat
    await vi.waitUntil(async () => (await held()).every(({ index }) => index !== 'back'), WAIT);
  });

  it('answer a reindex with the sums of what they made', async () => {
    const meaning = 'fields:\n  - { name: meaning, type: VECTOR, source: title }\n';
    const definition = table.definition(3).replace(INDEX, 'vectors').replace('fields:\n', meaning);
    await store.definitions.add('vectors', definition);
    const made = await client.reindex({ index: 'vectors' });
    const { reused, computed } = made.embeddings ?? { reused: 0, computed: 0 };
    expect([made.doc_count, reused + computed]).toEqual([table.rows.size, table.rows.size]);
    const { index_generation } = await client.status({ index: 'vectors' });
    expect(made.index_generation).toBe(index_generation);
    const again = await client.reindex({ index: 'vectors' });
    expect(again.index_generation).toBe(index_generation + 1);
    const found = await client.search({ index: 'vectors', query: '*:*' });
    expect(found.index_generation).toBe(again.index_generation);
    await client.dropIndex({ index: 'vectors' });
  });

  it('keep the parts of the backups that remain', async () => {
    const pruned = await client.pruneBackups({ keep: 1 });
    expect(pruned).toMatchObject({ backups_kept: 1 });
    expect(pruned.backups_removed).toHaveLength(1);
    const restored = await client.restore({ index: INDEX, as: 'again' });
    expect(restored.num_docs).toBe(table.rows.size);
    await client.dropIndex({ index: 'again' });
  });

  it('are backed up by a job, which shows the backup as its result', async () => {
    const { job_id } = await client.startJob({ kind: 'backup', index: INDEX });
    const job = await ended(job_id);
    const [newest] = await client.listBackups({ index: INDEX });
    expect(job).toMatchObject({ kind: 'backup', state: 'done', index: INDEX });
    expect(job.result).toMatchObject({ backup: newest.backup, num_docs: table.rows.size });
    await expect(client.startJob({ kind: 'verify', index: INDEX })).rejects.toMatchObject({
      code: 'unsupported',
    });
  });

  it('erase rows of an index, in its backups and saved queries, with one receipt', async () => {
    await client.backup({ index: INDEX });
    const request = { index: INDEX, query: 'title:"note 30"' };
    await client.createSavedQuery({ name: 'of a row', request });
    const keys = [30, 31, 32, 33, 34, 35].map((id) => ({
      identifier: [{ name: 'id', value: String(id) }],
    }));
    const erased = { index: INDEX, keys, texts: ['note 30'] };
    const next = [{ step: 'show_status', index: INDEX }];
    const refused = { code: 'already_exists', next };
    await expect(client.runErasure(erased)).rejects.toMatchObject(refused);
    await table.delete(30, 36);
    await atHead();
    const before = await client.checkErasure(erased);
    const places = before.remains.map(({ place }) => place);
    expect(before.clean).toBe(false);
    expect(places).toEqual(expect.arrayContaining(['backup', 'saved_query']));
    const nodesOfRows = new Set(
      before.remains.flatMap(({ place, where }) =>
        place === 'deleted_document' ? [where.split(':')[0]] : [],
      ),
    );
    const { job_id } = await client.startJob({ kind: 'erase', ...erased, replace_backups: true });
    const { state, result } = await ended(job_id);
    expect(state).toBe('done');
    const { report, actions, receipt } = result as ErasureResponse;
    expect((await store.jobs.get(job_id))?.request).toEqual({});
    expect([report.clean, report.remains]).toEqual([true, []]);
    // a merge may have removed the documents of a node already
    expect(actions.segments_rewritten).toBeGreaterThanOrEqual(nodesOfRows.size);
    expect(actions).toMatchObject({ saved_queries_removed: 1 });
    expect(receipt.statement.commits.map(({ where }) => where.split(':')[0])).toContain('n1');
    const proof = { receipt: receipt as unknown as JsonObject, keys };
    const verdict = await client.verifyReceipt(proof);
    expect(verdict).toMatchObject({ valid: true, covered: keys.map(() => true) });
    const { public_key, key_id } = await client.erasureKey();
    expect(key_id).toBe(receipt.key_id);
    expect(await client.verifyReceipt({ ...proof, public_key })).toMatchObject({ valid: true });
    expect(await client.listSavedQueries()).toEqual([]);
    const [newest, ...others] = await client.listBackups({ index: INDEX });
    expect([newest.num_docs, others]).toEqual([table.rows.size, []]);
    const restored = await client.restore({ index: INDEX, as: 'clean' });
    expect(restored.num_docs).toBe(table.rows.size);
    await client.dropIndex({ index: 'clean' });
  });

  it('remove the files of a dropped index, and of one that they held while away', async () => {
    const held = async (i: number) =>
      (await clients[i].state()).indexes.map(({ index, uuid }) => ({ index, uuid }));
    await client.restore({ index: INDEX, as: 'short' });
    await store.nodes.list();
    const parts = await Promise.all(clients.map((_, i) => held(i)));
    const uuids = parts.flat().flatMap(({ index, uuid }) => (index === 'short' ? [uuid] : []));
    expect(uuids).toHaveLength(1);
    await client.dropIndex({ index: 'short' });
    const again = await client.restore({ index: INDEX, as: 'other' });
    await vi.waitUntil(async () => {
      const now = (await Promise.all(clients.map((_, i) => held(i)))).flat();
      return !now.some(({ uuid }) => uuids.includes(uuid));
    }, WAIT);
    expect((await client.search({ index: 'other', query: '*:*' })).total).toBe(again.num_docs);
    await client.dropIndex({ index: 'other' });
    const left = async () => (await store.dropped.list()).filter(({ node }) => node !== 'n3');
    await vi.waitUntil(async () => (await left()).length === 0, WAIT);
  });

  it('go back to the definition in force if the leader that changed it has ended', async () => {
    const { definition } = (await store.definitions.get(INDEX))!;
    const before = await atHead();
    const [node] = (await clients[0].state()).indexes.filter(({ index }) => index === INDEX);
    const changed = definition.replace('fast: true, ', '');
    expect(changed).not.toBe(definition);
    const draft = { index: INDEX, kind: 'alter', request: {}, epoch: 0 } as const;
    const epoch = await store.leases.epochOf(`connector/${INDEX}`);
    const definition_yaml = withOnly(changed, node.ordinals);
    const request = { index: INDEX, definition_yaml, apply: true };
    await clients[0].service(epoch).alterIndex(request);
    await store.jobs.add('of-a-former-leader', draft);
    await vi.waitUntil(
      async () => (await store.jobs.get('of-a-former-leader'))?.state === 'failed',
      WAIT,
    );
    await vi.waitFor(async () => {
      const [now] = (await clients[0].state()).indexes.filter(({ index }) => index === INDEX);
      expect(now.commits[0].definition).toBe(node.commits[0].definition);
    }, PATIENT);
    await table.append(600);
    expect((await atHead()).shards).toHaveLength(before.shards.length);
    expect(await documents()).toEqual(table.expected());
  });

  it('have the accounts of the control plane at every gateway', async () => {
    const start = (name: string) => startGateway(name, { auth: true });
    const gateways = [await start('closed-1'), await start('closed-2')];
    const [first, second] = gateways.map(({ url }) => createRemote({ url }));
    const { token } = await first.login({ username: 'admin', password: 'long-enough' });
    const admin = createRemote({ url: gateways[0].url, authorization: () => `Bearer ${token}` });
    const made = await admin.createToken({ name: 'ci', roles: ['reader'] });
    const authorization = () => `ApiKey ${made.token}`;
    const reader = createRemote({ url: gateways[1].url, authorization });
    expect((await reader.listIndexes()).map(({ name }) => name)).toEqual([INDEX]);
    await expect(second.listIndexes()).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(reader.listUsers({})).rejects.toMatchObject({ code: 'permission_denied' });
    for (const one of [first, second, admin, reader]) await one.close();
    for (const gateway of gateways) await gateway.stop();
  });

  it('refuse writes without a lease', async () => {
    await expect(clients[0].service().sync({ index: INDEX })).rejects.toMatchObject({
      code: 'fenced',
    });
  });

  it('rebuild the index of a node that has left from the table', async () => {
    const [lost] = nodes.splice(0, 1);
    await clients.splice(0, 1)[0].close();
    await lost.stop();
    await table.append(300, 301);
    const route = await atHead();
    expect(route.shards.map(({ replicas }) => replicas[0].node)).toEqual(['n2', 'n2', 'n2']);
    expect(await documents()).toEqual(table.expected());
  });
});
