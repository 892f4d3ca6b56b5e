// @module-tag campaign
/** Processes of a cluster over a store: nodes with caches of their own, killed and emptied. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRemote } from '@lakehouse-search/client/remote/internal';
import type { ServiceApi } from '@lakehouse-search/contract/internal';
import { appendRows, createTable } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  CLUSTER_KEY,
  type ClusterProcess,
  startProcess,
} from '../../../../test/support/cluster-processes.ts';
import { byEffort } from '../../../../test/support/effort.ts';
import {
  type EmbeddedPostgres,
  findEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../../test/support/embedded-postgres.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import {
  findVersitygw,
  startVersitygw,
  type Versitygw,
} from '../../../../test/support/versitygw.ts';
import { connectNode } from '../../src/cluster/node-client.ts';
import { readableIndex } from '../../src/cluster/node-state.ts';

const index = 'notes';
const SHARDS = 5;
const WAIT = { interval: 50 };
const NAMES = ['n1', 'n2', 'n3'];

describe.skipIf(byEffort(true, false))('a cluster over a store', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-over-store-'));
  const catalog = { type: 'filesystem', warehouse: join(folder, 'lake') } as const;
  const source = { catalog, table: 'ops.notes' };
  const nodes = new Map<string, ClusterProcess>();
  let postgres: EmbeddedPostgres | undefined;
  let objects: Versitygw | undefined;
  let plane: ClusterProcess;
  let gateway: ClusterProcess;
  let client: ServiceApi;
  let rows = 0;

  async function append(count: number): Promise<void> {
    const added = Array.from({ length: count }, (_, i) => {
      return { id: `k${rows + i}`, title: `note ${rows + i}` };
    });
    await appendRows(source, { kind: 'rows', rows: added });
    rows += count;
  }

  async function startNode(name: string): Promise<void> {
    const own = ['--addr', '127.0.0.1:0', '--node', name, '--control-plane', plane.grpc];
    const cache = { LHS_COLD_CACHE_DIR: join(folder, `${name}-cache`) };
    const settings = { ...objects?.env, ...cache };
    nodes.set(name, await startProcess('node', join(folder, name), own, settings));
  }

  /** Kills a node, whose disk is lost. */
  async function lose(name: string): Promise<void> {
    await nodes.get(name)!.end('SIGKILL');
    for (const lost of [name, `${name}-cache`]) {
      rmSync(join(folder, lost), { recursive: true, force: true });
    }
  }

  beforeAll(async () => {
    const [module, binary] = [findEmbeddedPostgres(), findVersitygw()];
    if (module !== null) postgres = await startEmbeddedPostgres(module);
    if (binary !== null) objects = await startVersitygw(binary, 'bucket');
    mkdirSync(join(folder, 'store'));
    await createTable(catalog, source.table, {
      schema: schemaOf({ id: { kind: 'string' }, title: { kind: 'string' } }),
    });
    await append(1000);
    const config = join(folder, 'plane.yaml');
    const root = objects === undefined ? join(folder, 'store') : 's3://bucket/indexes';
    const database = postgres === undefined ? '' : 'store: { postgres_env: DATABASE_URL }\n';
    const catalogs = `catalogs: { main: ${JSON.stringify(catalog)} }\n`;
    writeFileSync(config, `${catalogs}roots: { store: ${root} }\n${database}`);
    const url = { DATABASE_URL: (await postgres?.newDatabase()) ?? '' };
    const listen = ['--addr', '127.0.0.1:0', '--rest-addr', '127.0.0.1:0'];
    const times = { LHS_CLUSTER_LEAVE_MS: '5000', LHS_CLUSTER_NODE_MS: '3000' };
    plane = await startProcess(
      'control-plane',
      join(folder, 'plane'),
      [...listen, '--config', config],
      {
        ...{ ...objects?.env, ...url, ...times },
      },
    );
    await Promise.all(NAMES.map(startNode));
    const led = [...listen, '--control-plane', plane.grpc];
    const quick = { LHS_CLUSTER_SILENCE_MS: '300' };
    gateway = await startProcess('gateway', join(folder, 'gateway'), led, quick);
    client = createRemote({ url: gateway.url, retryMs: 0 });
    await client.createIndex({
      definition: `version: 1
index: ${index}
source: { catalog: main, table: ops.notes }
storage: store
sharding: { shards: ${SHARDS} }
fields:
  - { name: title, type: TEXT, cached: true }
`,
    });
    await client.reindex({ index });
  }, 600_000);

  afterAll(async () => {
    await client?.close();
    for (const one of [gateway, ...nodes.values(), plane]) await one?.end('SIGTERM');
    objects?.close();
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  }, 600_000);

  const search = () => client.search({ index, query: 'note', limit: 3, hydrate: true });

  async function expectWhole(): Promise<void> {
    const answer = await search();
    expect(answer).toMatchObject({ total: rows, shards_scanned: SHARDS, shards_total: SHARDS });
    expect(answer.partial).toBeUndefined();
    expect(answer.hits.map(({ hydrate_error }) => hydrate_error)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  }

  async function newestOn(name: string): Promise<string | undefined> {
    const node = connectNode(nodes.get(name)!.grpc, { key: CLUSTER_KEY });
    try {
      return readableIndex(await node.state(), index)?.commits[0]?.commit;
    } finally {
      await node.close();
    }
  }

  /** Waits until all nodes can read the newest commit. */
  const spread = () =>
    vi.waitFor(async () => {
      const [newest, ...others] = await Promise.all(NAMES.map(newestOn));
      expect(newest).toBeDefined();
      for (const commit of others) expect(commit).toBe(newest);
    }, WAIT);

  /** Waits until searches see all rows of the table. */
  const atHead = () => vi.waitFor(expectWhole, WAIT);

  it('answers whole while each node is lost in turn and is back with an empty disk', async () => {
    await atHead();
    for (const name of NAMES) {
      await append(1);
      await atHead();
      await spread();
      await lose(name);
      for (let i = 0; i < 40; i++) await expectWhole();
      await append(1);
      await atHead();
      await startNode(name);
    }
  }, 600_000);

  it('answers whole while each node is stopped in turn', async () => {
    for (const name of NAMES) {
      await spread();
      const { child } = nodes.get(name)!;
      child.kill('SIGSTOP');
      try {
        for (let i = 0; i < 20; i++) await expectWhole();
      } finally {
        child.kill('SIGCONT');
      }
    }
  }, 600_000);

  it('answers whole after the loss of all disks', async () => {
    await Promise.all(NAMES.map(lose));
    await Promise.all(NAMES.map(startNode));
    await atHead();
    await append(1);
    await atHead();
  }, 600_000);
});
