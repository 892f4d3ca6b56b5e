// @module-tag campaign
// @module-tag slow
/** Three nodes and two gateways as processes of their own, beside one engine in this process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRemote } from '@lakehouse-search/client/remote/internal';
import type { BackendApi, ServiceApi } from '@lakehouse-search/contract/internal';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, createTable, deleteRows } from '@lakehouse-search/lake';
import { connectNode } from '@lakehouse-search/server';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CLUSTER_KEY, type ClusterProcess, startProcess } from '../support/cluster-processes.ts';
import { byEffort } from '../support/effort.ts';
import { seededBelow } from '../support/random.ts';
import { FLOATS, schemaOf } from '../support/schema.ts';
import { unusedPort } from '../support/unused-port.ts';

const ROWS = 400;
const WORDS = ['disk', 'full', 'network', 'down', 'quiet', 'slow', 'node', 'restart', 'lost'];
const SCHEMA = schemaOf({
  id: 'string',
  title: 'string',
  org: 'string',
  size: 'long',
  vec: FLOATS,
});
const below = seededBelow(14);
const words = (count: number) =>
  Array.from({ length: count }, () => WORDS[below(WORDS.length)]).join(' ');
const row = (id: number) => ({
  id: `k${id}`,
  title: words(1 + below(6)),
  org: `org${below(5)}`,
  size: below(50),
  vec: [below(100) + 1, below(100), below(100)],
});
const key = (id: number) => ({ identifier: [{ name: 'id', value: `k${id}` }] });
const index = 'notes';

type Request = readonly [name: keyof BackendApi, request: Record<string, unknown>];

/** A random request of each mode of reading. */
function randomRequests(): readonly Request[] {
  const query = [words(2), `+${words(1)} ${words(1)}`, `title:"${words(2)}"`, '*:*'][below(4)];
  const filter = below(2) === 0 ? {} : { filter: `org:org${below(5)}` };
  const page = { limit: 1 + below(20), offset: below(5), ...filter };
  const sort = below(2) === 0 ? {} : { sort: [{ field: 'size', desc: below(2) === 0 }] };
  const more = [{ highlight: {} }, { hydrate: true }, { collapse: 'org' }, {}][below(4)];
  const vector = { vector_field: 'vec', query_vector: [below(9) + 1, below(9), below(9)] };
  const aggs = { sizes: { stats: { field: 'size' } }, orgs: { terms: { field: 'org', size: 3 } } };
  return [
    ['search', { index, query, ...page, ...sort, ...more, facets: { fields: ['org'] } }],
    ['semantic', { index, ...vector, k: 1 + below(30), ...filter }],
    ['hybrid', { index, ...vector, query_text: words(2), ...page }],
    ['aggregate', { index, query, aggs }],
    ['facets', { index, query, fields: ['org', 'size'], size: 1 + below(6) }],
    ['suggest', { index, field: 'title', text: words(1).slice(0, 1 + below(3)) }],
    ['explain', { index, query, coordinates: key(below(ROWS)) }],
    ['getKeys', { index, keys: [key(below(ROWS)), key(ROWS + 5), key(below(ROWS))] }],
  ];
}

/** What depends on the process that answers, not on the rows. */
const OWN: ReadonlySet<string> = new Set([
  ...['took_ms', 'index_generation', 'shards_scanned', 'shards_total', 'timings'],
  ...['lag_snapshots', 'lag_checked_ms', 'hydrate_bytes', 'bytes_read'],
  ...['generation', 'build_ms', 'bytes'],
]);

const comparable = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer, (name, value) => (OWN.has(name) ? undefined : value)));

describe('a cluster of processes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-processes-'));
  const catalog = { type: 'filesystem', warehouse: join(folder, 'lake') } as const;
  const source = { catalog, table: 'ops.notes' };
  const nodes: ClusterProcess[] = [];
  const gateways: ClusterProcess[] = [];
  const clients: ServiceApi[] = [];
  let one: BackendApi;

  const startNode = (i: number, addr: string) =>
    startProcess('node', join(folder, `node-${i}`), ['--addr', addr, '--no-sync']);
  const definition = (sharding: string) => `version: 1
index: ${index}
source: { catalog: main, table: ops.notes }
fields:
  - { name: title, type: TEXT, cached: true }
  - { name: org, type: KEYWORD, fast: true }
  - { name: size, type: LONG, fast: true, cached: true }
  - { name: vec, type: VECTOR, dims: 3 }
${sharding}`;
  const search = (client: ServiceApi) => client.search({ index, query: '*:*', limit: 3 });

  beforeAll(async () => {
    const { mkdirSync, writeFileSync } = await import('node:fs');
    await createTable(catalog, source.table, { schema: SCHEMA });
    const rows = Array.from({ length: ROWS }, (_, id) => row(id));
    await appendRows(source, { kind: 'rows', rows });
    // node 1 is started again at its port
    const ports = [0, await unusedPort(), 0];
    const starts = ports.map((port, i) => startNode(i, `127.0.0.1:${port}`));
    nodes.push(...(await Promise.all(starts)));
    mkdirSync(join(folder, 'etc'));
    const config = join(folder, 'etc', 'gateway.yaml');
    writeFileSync(config, `catalogs: { main: ${JSON.stringify(catalog)} }\n`);
    const own = ['--nodes', nodes.map(({ grpc }) => grpc).join(','), '--config', config];
    const free = ['--addr', '127.0.0.1:0', '--rest-addr', '127.0.0.1:0'];
    const args = [...own, ...free, '--shard-timeout-ms', '6000'];
    for (const i of [0, 1]) {
      gateways.push(await startProcess('gateway', join(folder, `gateway-${i}`), args));
    }
    clients.push(
      createRemote({ url: gateways[0].url }),
      createRemote({ url: `grpc://${gateways[1].grpc}` }),
    );
    await clients[0].createIndex({ definition: definition('sharding: { shards: 3 }\n') });
    await clients[0].reindex({ index });
    one = await openEngine(join(folder, 'one'), { create: true, threads: 0 });
    const local = definition('').replace('catalog: main', `catalog: ${JSON.stringify(catalog)}`);
    await one.createIndex({ definition: local });
    await one.reindex({ index });
  }, 600_000);

  afterAll(async () => {
    for (const client of clients) await client.close();
    await one?.close();
    for (const { child } of nodes) child.kill('SIGCONT');
    await Promise.all([...gateways, ...nodes].map((process) => process.end('SIGTERM')));
    rmSync(folder, { recursive: true, force: true });
  }, 600_000);

  it('spreads the shards of an index over the nodes', async () => {
    const { num_docs, shards } = await clients[0].describeIndex({ index });
    expect(num_docs).toBe(ROWS);
    expect(shards?.map(({ shard }) => shard)).toEqual([0, 1, 2]);
    expect(shards?.every((shard) => shard.num_docs > 0 && shard.num_docs < ROWS)).toBe(true);
    const held = await Promise.all(nodes.map(async ({ grpc }) => ordinalsOf(grpc)));
    expect(held.flat().sort()).toEqual([0, 1, 2]);
    expect(held.every((ordinals) => ordinals.length === 1)).toBe(true);
  });

  it('answers random requests of every mode as one process does', async () => {
    for (let round = 0; round < byEffort(3, 400); round++) {
      for (const [name, request] of randomRequests()) {
        const client = clients[round % 2];
        const call = (backend: object) =>
          (Reflect.get(backend, name) as (request: unknown) => Promise<object>)(request);
        const [cluster, single] = [await whole(() => call(client)), await call(one)];
        expect([name, request, comparable(cluster)]).toEqual([name, request, comparable(single)]);
      }
    }
  }, 600_000);

  it('reads what was written through the other gateway', async () => {
    await appendRows(source, { kind: 'rows', rows: [row(ROWS)] });
    expect(await clients[0].sync({ index })).toMatchObject({ inserted: 1, doc_count: ROWS + 1 });
    await one.sync({ index });
    const { snapshot } = await one.search({ index, query: '*:*' });
    const request = { index, query: '*:*', min_snapshot: snapshot ?? '', wait_ms: 120_000 };
    const found = await whole(() => clients[1].search(request));
    expect(found.total).toBe(ROWS + 1);
    const { equal, rows_compared } = await clients[1].verify({ index });
    expect([equal, rows_compared]).toEqual([true, ROWS + 1]);
  }, 600_000);

  it('compares the hits of two moments as one process does', async () => {
    const pits = await Promise.all([one, clients[0]].map((own) => own.openPit({ index })));
    const { snapshot } = pits[0];
    const rows = Array.from({ length: 8 }, (_, i) => row(ROWS + 10 + i));
    await appendRows(source, { kind: 'rows', rows });
    await deleteRows(source, "id in ('k1', 'k2', 'k3')");
    await one.sync({ index });
    await clients[0].sync({ index });
    const { snapshot: head } = await one.search({ index, query: '*:*' });
    const reached = { index, query: '*:*', min_snapshot: head!, wait_ms: 120_000 };
    await whole(() => clients[1].search(reached));
    const query = 'disk node';
    const diff = (backend: BackendApi, from: string, more = {}) =>
      whole(() => backend.diffHits({ index, query, limit: 50, from, ...more }));
    for (const plan of [true, false]) {
      const from = [...pits.map(({ pit_id }) => `pit:${pit_id}`), snapshot!];
      const more = { plan };
      expect(comparable(await diff(clients[0], from[1], more))).toEqual(
        comparable(await diff(one, from[0], more)),
      );
      expect(comparable(await diff(clients[1], from[2], more))).toEqual(
        comparable(await diff(one, from[2], more)),
      );
    }
    for (const [i, own] of [one, clients[0]].entries()) {
      expect(await own.closePit({ index, pit_id: pits[i].pit_id })).toEqual({ closed: true });
    }
    const built = await diff(clients[0], snapshot!);
    expect([built.from.kind, built.hits.length > 0]).toEqual(['built', true]);
    expect(comparable(built)).toEqual(comparable(await diff(one, snapshot!)));
    const missing = clients[0].diffHits({ index, query, from: 'generation:99' });
    await expect(missing).rejects.toMatchObject({ code: 'not_found' });
  }, 600_000);

  it('measures queries of all shards', async () => {
    const request = { index, queries: ['disk', '*:*'], repeat: 2 };
    const { queries } = await vi.waitFor(() => clients[0].bench(request), WAIT);
    const total = async (query: string) => (await one.search({ index, query })).total;
    expect(queries.map((own) => own.total)).toEqual([await total('disk'), await total('*:*')]);
  });

  it('is partial while a node is killed, exactly by its shard, and whole again after', async () => {
    const { total } = await whole(() => search(clients[0]));
    const docs = await docsOf(nodes[1].grpc);
    const { grpc } = nodes[1];
    await nodes[1].end('SIGKILL');
    for (const client of clients) {
      await vi.waitFor(async () => {
        const answer = await search(client);
        expect(answer).toMatchObject({ partial: true, shards_scanned: 2, shards_total: 3 });
        expect(answer.total).toBe(total - docs);
        const facets = await client.aggregate({ index, query: '*:*', aggs: {} });
        expect(facets.failed_shards).toBe(1);
        const missing = { missing_shards: [expect.any(Number)] };
        expect(await client.listIndexes()).toMatchObject([missing]);
        expect(await client.status({ index })).toMatchObject(missing);
        expect(await client.describeIndex({ index })).toMatchObject({ index });
      }, WAIT);
    }
    nodes[1] = await startNode(1, grpc);
    for (const client of clients) {
      expect((await whole(() => search(client))).total).toBe(total);
    }
  }, 600_000);

  it('builds the shards of a node that comes back with an empty disk', async () => {
    const { total } = await whole(() => search(clients[0]));
    await clients[0].setAlias({ alias: 'memos', index });
    const { grpc } = nodes[1];
    await nodes[1].end('SIGKILL');
    rmSync(join(folder, 'node-1'), { recursive: true });
    nodes[1] = await startNode(1, grpc);
    const missing = { missing_shards: [expect.any(Number)] };
    await vi.waitFor(async () => {
      const incomplete = { code: 'unreachable', message: expect.stringContaining('1 of 3 shards') };
      await expect(clients[0].verify({ index })).rejects.toMatchObject(incomplete);
      await expect(clients[0].sync({ index })).rejects.toMatchObject(incomplete);
      expect(await clients[0].status({ index })).toMatchObject(missing);
    }, WAIT);
    expect(await clients[0].reindex({ index: 'memos' })).toMatchObject({ doc_count: total });
    expect(await clients[0].status({ index })).not.toHaveProperty('missing_shards');
    expect((await stateOf(grpc)).aliases).toEqual(['memos']);
    await clients[0].dropAlias({ alias: 'memos' });
    for (const client of clients) {
      expect((await whole(() => search(client))).total).toBe(total);
    }
    expect(await clients[0].verify({ index })).toMatchObject({ rows_compared: total, equal: true });
  }, 600_000);

  it('is partial while a node is stopped, and does not wait for it again and again', async () => {
    const { total } = await whole(() => search(clients[0]));
    nodes[2].child.kill('SIGSTOP');
    const partial = { partial: true, shards_scanned: 2, shards_total: 3 };
    for (let call = 0; call < 2; call++) {
      await vi.waitFor(async () => expect(await search(clients[0])).toMatchObject(partial), WAIT);
    }
    nodes[2].child.kill('SIGCONT');
    for (const client of clients) {
      expect((await whole(() => search(client))).total).toBe(total);
    }
  }, 600_000);

  it('refuses callers without the key of the cluster', async () => {
    const stranger = connectNode(nodes[0].grpc, { key: 'another key, as long as the right one' });
    await expect(stranger.state()).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(stranger.service().listIndexes()).rejects.toMatchObject({
      code: 'unauthenticated',
    });
    await stranger.close();
  });
});

/** An answer of all shards: on a busy machine a node may be too late for its part. */
function whole<T extends object>(call: () => Promise<T>): Promise<T> {
  return vi.waitFor(async () => {
    const answer = await call();
    const { partial, failed_shards = 0 } = answer as { partial?: true; failed_shards?: number };
    expect([partial, failed_shards]).toEqual([undefined, 0]);
    return answer;
  }, WAIT);
}

const WAIT = { interval: 100 };

async function stateOf(address: string) {
  const node = connectNode(address, { key: CLUSTER_KEY });
  const state = await node.state();
  await node.close();
  return state.indexes[0];
}

const ordinalsOf = async (address: string) => (await stateOf(address)).ordinals;
const docsOf = async (address: string) => (await stateOf(address)).commits[0].docs;
