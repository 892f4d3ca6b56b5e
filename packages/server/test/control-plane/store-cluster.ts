/**
 * Processes of a cluster over a store, on ports of their own, with a proxy before each that others
 * call: control planes over PostgreSQL, gateways, nodes with caches of their own, versitygw.
 * Without PostgreSQL, one control plane is over SQLite; without versitygw, the store is a folder.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRemote } from '@lakehouse-search/client/remote/internal';
import type { ServiceApi } from '@lakehouse-search/contract/internal';
import { expect, vi } from 'vitest';
import {
  CLUSTER_KEY,
  type ClusterProcess,
  startProcess,
} from '../../../../test/support/cluster-processes.ts';
import {
  type EmbeddedPostgres,
  findEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../../test/support/embedded-postgres.ts';
import { SlowProxy } from '../../../../test/support/slow-proxy.ts';
import { unusedPort } from '../../../../test/support/unused-port.ts';
import {
  findVersitygw,
  startVersitygw,
  type Versitygw,
} from '../../../../test/support/versitygw.ts';
import { connectNode } from '../../src/cluster/node-client.ts';
import { readableIndex } from '../../src/cluster/node-state.ts';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { ClusterTable, INDEX } from './cluster-table.ts';

/** The shards of the index. */
export const SHARDS = 5;
/** The nodes of the cluster. */
export const NODES = ['n1', 'n2', 'n3'] as const;
const ROWS = 100;
const WAIT = { interval: 50 };
const TIMES = { LHS_CLUSTER_NODE_MS: '3000', LHS_SYNC_POLL_MS: '500' };
/** As without settings. */
const SILENCE = { LHS_CLUSTER_SILENCE_MS: '1000' };

type Role = Parameters<typeof startProcess>[0];

/** How a process of the cluster is started, and where others reach it. */
interface Place {
  readonly role: Role;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Between it and its callers; gateways have none. */
  readonly proxy?: SlowProxy;
}

/** A cluster of processes, and the rows that it has to find. */
export class StoreCluster {
  /** The rows of the table by snapshot. */
  readonly rowsAt = new Map<string | null, readonly string[]>();
  /** Connections that can be cut off, by what is behind them. */
  readonly proxies = new Map<string, SlowProxy>();
  readonly running = new Map<string, ClusterProcess>();
  readonly #places = new Map<string, Place>();
  readonly #clients = new Map<string, ServiceApi>();
  table!: ClusterTable;
  /** The store of the control planes, which no proxy cuts off. */
  store!: Store;
  postgres: EmbeddedPostgres | undefined;
  #objects: Versitygw | undefined;

  /** Starts the processes and builds the index. */
  async start(): Promise<void> {
    this.table = await new ClusterTable().create();
    await this.change(this.table.append(...Array.from({ length: ROWS }, (_, i) => i)));
    const storage = await this.#startStore();
    const planes = await this.#placePlanes(storage);
    const nodes: string[] = [];
    for (const name of NODES) nodes.push(await this.#placeNode(name, planes, storage.env));
    for (const name of ['g1', 'g2']) await this.#placeGateway(name, planes, nodes);
    for (const name of this.#places.keys()) await this.begin(name);
    const named = this.table.definition(SHARDS).replace(/catalog: \{.*?\}/, 'catalog: main');
    this.store ??= await openStore({ file: join(this.table.folder, 'p1', 'server.db') });
    await this.client().createIndex({ definition: `${named}storage: store\n` });
    await this.client().reindex({ index: INDEX });
  }

  async stop(): Promise<void> {
    for (const client of this.#clients.values()) await client.close();
    for (const own of [...this.running.values()].reverse()) await own.end('SIGTERM');
    for (const proxy of this.proxies.values()) await proxy.close();
    this.#objects?.close();
    await this.store.close();
    await this.postgres?.stop();
    this.table.dispose();
  }

  /** The names of the processes of a role. */
  named(role: Role): readonly string[] {
    return [...this.#places].filter(([, own]) => own.role === role).map(([name]) => name);
  }

  /** The service of a gateway. */
  client(gateway = 'g1'): ServiceApi {
    return this.#clients.get(gateway)!;
  }

  /** Starts a process at its address. */
  async begin(name: string): Promise<void> {
    const { role, args, env } = this.#places.get(name)!;
    const started = await startProcess(role, join(this.table.folder, name), args, env);
    this.running.set(name, started);
  }

  /** Starts what a test that fails has not started again, and connects what it has cut off. */
  async recover(): Promise<void> {
    for (const proxy of this.proxies.values()) proxy.heal();
    const ended = ({ child }: ClusterProcess) => child.exitCode ?? child.signalCode;
    for (const [name, own] of this.running) if (ended(own) !== null) await this.begin(name);
  }

  /** Kills a process. */
  async kill(name: string): Promise<void> {
    await this.running.get(name)!.end('SIGKILL');
  }

  /** Kills a node, whose disk is lost. */
  async lose(name: string): Promise<void> {
    await this.kill(name);
    for (const lost of [name, `${name}-cache`]) {
      rmSync(join(this.table.folder, lost), { recursive: true, force: true });
    }
  }

  /** Stops a process, or lets it go on. */
  signal(name: string, signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.running.get(name)!.child.kill(signal);
  }

  /** Waits for a change of the table, and notes the rows that it has then. */
  async change(change: Promise<void>): Promise<void> {
    await change;
    this.rowsAt.set(this.table.head, this.table.expected());
  }

  /** Throws unless a gateway finds all rows of the newest snapshot. */
  async expectWhole(gateway = 'g1'): Promise<void> {
    const search = { index: INDEX, query: 'note', limit: 3, hydrate: true };
    const answer = await this.client(gateway).search(search);
    const total = this.table.rows.size;
    expect(answer).toMatchObject({ total, shards_scanned: SHARDS, shards_total: SHARDS });
    expect(answer.partial).toBeUndefined();
    expect(answer.hits.flatMap(({ hydrate_error }) => hydrate_error ?? [])).toEqual([]);
  }

  /** Waits until a gateway finds all rows of the newest snapshot. */
  atHead = (gateway = 'g1'): Promise<void> => vi.waitFor(() => this.expectWhole(gateway), WAIT);

  /** Waits until all nodes can read the newest commit. */
  spread = (): Promise<void> =>
    vi.waitFor(async () => {
      const [newest, ...others] = await Promise.all(NODES.map((name) => this.#newestOn(name)));
      expect(newest).toBeDefined();
      for (const commit of others) expect(commit).toBe(newest);
    }, WAIT);

  async #newestOn(name: string): Promise<string | undefined> {
    const node = connectNode(this.running.get(name)!.grpc, { key: CLUSTER_KEY });
    try {
      return readableIndex(await node.state(), INDEX)?.commits[0]?.commit;
    } finally {
      await node.close();
    }
  }

  async #proxied(name: string, target: string): Promise<SlowProxy> {
    const proxy = await SlowProxy.before(target);
    this.proxies.set(name, proxy);
    return proxy;
  }

  /** The address of the store, and what its clients need. */
  async #startStore() {
    const binary = findVersitygw();
    if (binary === null) {
      const root = join(this.table.folder, 'store');
      mkdirSync(root);
      return { root, env: {} };
    }
    this.#objects = await startVersitygw(binary, 'bucket');
    const { env } = this.#objects;
    const proxy = await this.#proxied('store', new URL(env.AWS_ENDPOINT_URL_S3).host);
    const endpoint = { AWS_ENDPOINT_URL_S3: `http://${proxy.address}` };
    return { root: 's3://bucket/indexes', env: { ...env, ...endpoint } };
  }

  async #placePlanes({ root, env }: { root: string; env: Place['env'] }): Promise<string> {
    const module = findEmbeddedPostgres();
    const database = { DATABASE_URL: '' };
    if (module !== null) {
      this.postgres = await startEmbeddedPostgres(module);
      const url = new URL(await this.postgres.newDatabase());
      this.store = await openStore({ postgres: url.href });
      url.host = (await this.#proxied('postgres', url.host)).address;
      database.DATABASE_URL = url.href;
    }
    const config = join(this.table.folder, 'plane.yaml');
    const catalogs = { main: this.table.catalog };
    const store = module === null ? {} : { store: { postgres_env: 'DATABASE_URL' } };
    writeFileSync(config, JSON.stringify({ catalogs, roots: { store: root }, ...store }));
    const addresses: string[] = [];
    for (const name of module === null ? ['p1'] : ['p1', 'p2']) {
      const at = `127.0.0.1:${await unusedPort()}`;
      const args = ['--addr', at, '--rest-addr', '127.0.0.1:0', '--config', config];
      const proxy = await this.#proxied(name, at);
      const all = { ...env, ...TIMES, ...database };
      this.#places.set(name, { role: 'control-plane', args, env: all, proxy });
      addresses.push(proxy.address);
    }
    return addresses.join();
  }

  async #placeNode(name: string, planes: string, env: Place['env']): Promise<string> {
    const at = `127.0.0.1:${await unusedPort()}`;
    const proxy = await this.#proxied(name, at);
    const own = ['--addr', at, '--advertise', proxy.address, '--node', name];
    const cache = { LHS_COLD_CACHE_DIR: join(this.table.folder, `${name}-cache`) };
    const args = [...own, '--control-plane', planes];
    this.#places.set(name, { role: 'node', args, env: { ...env, ...cache }, proxy });
    return proxy.address;
  }

  async #placeGateway(name: string, planes: string, nodes: readonly string[]): Promise<void> {
    const at = `127.0.0.1:${await unusedPort()}`;
    const own = ['--rest-addr', at, '--addr', '127.0.0.1:0', '--control-plane', planes];
    this.#places.set(name, {
      role: 'gateway',
      args: [...own, '--nodes', nodes.join()],
      env: SILENCE,
    });
    this.#clients.set(name, createRemote({ url: `http://${at}`, retryMs: 0 }));
  }
}
