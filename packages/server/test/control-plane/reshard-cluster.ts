/** A control plane, nodes and a gateway in this process, whose index gets other shards. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createRemote } from '@lakehouse-search/client/remote/internal';
import type { SearchResponse } from '@lakehouse-search/contract';
import type { ServiceApi } from '@lakehouse-search/contract/internal';
import { registeredDefinition } from '@lakehouse-search/engine/internal';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { expect, vi } from 'vitest';
import { CLUSTER_KEY, startProcess } from '../../../../test/support/cluster-processes.ts';
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
import { ClusterTable, documentsOf, INDEX } from './cluster-table.ts';

/** How tests of this cluster wait. */
export const WAIT = { timeout: 120_000, interval: 50 };
const QUIET = { 'log.level': 'silent', 'log.access': false } as const;
const ADDRESSES = { rest_addr: '127.0.0.1:0', addr: '127.0.0.1:0' } as const;

const QUERIES = [
  { query: 'note', limit: 25 },
  { query: 'changed OR title:7', limit: 25 },
  { query: '*:*', limit: 40 },
] as const;
const shown = ({ hits, total }: SearchResponse) => ({
  total,
  hits: hits.map(({ coordinates, score, fields }) => ({ coordinates, score, fields })),
});

/** What tests change of a cluster. */
export interface ClusterSettings {
  readonly shards?: number;
  /** A node without a heartbeat for this time has left for good. */
  readonly leaveMs?: number;
  /** The lease of a node. */
  readonly nodeMs?: number;
  /** Absent: the cluster has no key. */
  readonly key?: string;
  /** All nodes read the index from a store. */
  readonly isShared?: true;
  /** The index has windows, of which only the newest one is hot. */
  readonly hasWindows?: true;
  /** Nodes are processes of their own, which tests can kill. */
  readonly inProcesses?: true;
}

/** A node that runs; `kill` ends it without a word. */
interface ClusterNode extends RunningNode {
  kill?(): Promise<void>;
}

/** Three nodes at first, an index of 200 rows in one shard unless settings have another number. */
export class ReshardCluster {
  readonly folder = mkdtempSync(join(tmpdir(), 'lhs-reshard-'));
  readonly clients: NodeClient[] = [];
  table!: ClusterTable;
  client!: ServiceApi;
  store!: Store;
  #plane!: RunningControlPlane;
  readonly #nodes = new Map<string, ClusterNode>();
  readonly #settings: ClusterSettings;
  #gateway!: RunningServer;

  constructor(settings: ClusterSettings = { key: CLUSTER_KEY }) {
    this.#settings = settings;
  }

  async start(): Promise<void> {
    const { shards = 1, leaveMs = 600_000, key, isShared, hasWindows } = this.#settings;
    const { nodeMs = Math.min(6000, leaveMs) } = this.#settings;
    // a store that is there and empty is no data folder
    if (isShared) mkdirSync(join(this.folder, 'store'));
    const store = isShared && join(this.folder, 'store');
    this.table = await new ClusterTable(store, hasWindows).create();
    await this.table.append(...Array.from({ length: 200 }, (_, i) => i));
    this.#plane = await serveControlPlane({
      options: serverOptions({ ...this.#values, sync_poll_ms: 100 }, {}, this.table.folder),
      ...{ names: this.#names, key },
      times: { leaseMs: 120_000, nodeMs, leaveMs, silenceMs: 120_000 },
    });
    this.store = await openStore({ file: join(this.table.folder, 'server.db') });
    for (const name of ['n1', 'n2', 'n3']) await this.join(name);
    const reach = { nodes: [], controlPlane: [this.#plane.grpc] };
    this.#gateway = await serveGateway({
      options: serverOptions({ ...this.#values, threads: 0 }, {}, join(this.folder, 'gateway')),
      ...{ names: this.#names, issuers: [] },
      env: { LHS_ADMIN_PASSWORD: 'long-enough' },
      cluster: { ...reach, ...this.#key, takes: [], shardTimeoutMs: 120_000, silenceMs: 120_000 },
    });
    this.client = createRemote({ url: this.#gateway.url });
    await this.store.definitions.add(INDEX, this.table.definition(shards));
    await this.client.reindex({ index: INDEX });
  }

  async stop(): Promise<void> {
    await this.client?.close();
    await this.#gateway?.stop();
    for (const one of this.clients) await one.close();
    for (const node of this.#nodes.values()) await node.stop();
    await this.store?.close();
    await this.#plane?.stop();
    this.table?.dispose();
    rmSync(this.folder, { recursive: true, force: true });
  }

  get #values() {
    return { ...ADDRESSES, ...QUIET, backup_target: join(this.folder, 'backups') };
  }

  /** Definitions of requests name the catalog `main` and the root `store`. */
  get #names() {
    const roots = { store: join(this.folder, 'store') };
    return { catalogs: { main: this.table.catalog }, roots, models: {} };
  }

  /** Address of REST of the control plane. */
  get planeUrl(): string {
    return this.#plane.url;
  }

  get #key() {
    const { key } = this.#settings;
    return key === undefined ? {} : { key };
  }

  /** Ends a node, whose disk is lost. */
  async lose(node: string): Promise<void> {
    await this.end(node);
    rmSync(join(this.folder, node), { recursive: true });
  }

  /** Ends a node; its disk remains. */
  async end(node: string): Promise<void> {
    const lost = this.#nodes.get(node)!;
    const at = this.clients.findIndex(({ address }) => address === lost.grpc);
    await this.clients.splice(at, 1)[0].close();
    this.#nodes.delete(node);
    await lost.stop();
  }

  /** Starts another node, and waits until the cluster has it. */
  async join(node: string): Promise<void> {
    const started = await this.#start(node);
    this.#nodes.set(node, started);
    this.clients.push(connectNode(started.grpc, this.#key));
    const isKnown = async () =>
      (await this.store.nodes.list()).some(({ address }) => address === started.grpc);
    await vi.waitUntil(isKnown, WAIT);
  }

  async #start(node: string): Promise<ClusterNode> {
    const controlPlane = [this.#plane.grpc];
    const folder = join(this.folder, node);
    if (this.#settings.inProcesses !== true) {
      return serveNode({
        options: serverOptions({ ...this.#values, threads: 0 }, {}, folder),
        cluster: { nodes: [], controlPlane, ...this.#key, node, takes: [] },
      });
    }
    const args = ['--addr', '127.0.0.1:0', '--control-plane', ...controlPlane, '--node', node];
    const key = { LHS_CLUSTER_KEY: this.#settings.key ?? '' };
    const { grpc, end } = await startProcess('node', folder, args, key);
    return { grpc, indexes: [], stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
  }

  /** Kills the process of a node; its disk remains. */
  async kill(node: string): Promise<void> {
    const lost = this.#nodes.get(node)!;
    this.#nodes.delete(node);
    const at = this.clients.findIndex(({ address }) => address === lost.grpc);
    const [client] = this.clients.splice(at, 1);
    await lost.kill?.();
    await client.close();
  }

  /** A job that no leader runs holds up others of an index until it is released. */
  async holdJobs(index = INDEX): Promise<() => Promise<unknown>> {
    const { store } = this;
    const epoch = (await store.leases.current('control-plane'))!.epoch + 1;
    await store.jobs.add('held', { index, kind: 'reindex', request: {}, epoch });
    const error = { code: 'closed', message: 'released', details: {} };
    return () => store.change(null, ({ jobs }) => jobs.apply('held', 'owner_gone', { error }));
  }

  /** The definition in force. */
  async inForce() {
    return registeredDefinition((await this.store.definitions.get(INDEX))!.definition);
  }

  /** Waits until searches see the newest snapshot in all shards. */
  async atHead(): Promise<void> {
    await vi.waitUntil(async () => {
      const route = await this.store.routes.get(INDEX);
      const isWhole = route?.replicas.every((own) => own.length > 0) === true;
      if (!isWhole || route?.snapshot !== this.table.head) return false;
      const { snapshot, partial } = await this.client.search({ index: INDEX, query: '*:*' });
      return snapshot === this.table.head && partial !== true;
    }, WAIT);
  }

  /**
   * Searches, digest, keys and places of documents are those of the table. Scores count documents
   * that syncs have deleted until they are merged away: they are compared after a build.
   */
  async expectWhole(isBuilt: boolean): Promise<void> {
    const { client, table } = this;
    await this.atHead();
    const local = await openEngine(join(this.folder, 'oracle'), { create: true, threads: 0 });
    try {
      await local.createIndex({
        definition: table.definition(1).replace(/^(storage|windows).*$/gm, ''),
      });
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
      const read = (backend: Pick<ServiceApi, 'getKeys'>) =>
        backend.getKeys({ index: INDEX, keys });
      expect((await read(client)).rows).toEqual((await read(local)).rows);
    } finally {
      await local.dropIndex({ index: INDEX });
      await local.close();
    }
    await this.expectPlaces();
  }

  /** The name of the node that writes the index. */
  async writer(): Promise<string> {
    return (await this.store.placements.nodeOf(INDEX))!;
  }

  /** All documents are on the node of the index, and nowhere else. */
  async expectPlaces(): Promise<void> {
    const writer = await this.writer();
    const { shards = 1 } = await this.inForce();
    for (const one of this.clients) {
      const { node, indexes } = await one.state();
      const own = indexes.find(({ index }) => index === INDEX);
      expect(own?.ordinals ?? []).toEqual(node === writer ? [...Array(shards).keys()] : []);
    }
    expect(await documentsOf(this.clients)).toEqual(this.table.expected());
  }

  /** Searches until it is ended: each finds all rows of a snapshot, once. */
  searching() {
    const { client } = this;
    const found: SearchResponse[] = [];
    let ended = false;
    const search = { index: INDEX, query: '*:*', limit: 1000 };
    const work = (async () => {
      while (!ended) {
        found.push(await client.search(search));
        await setTimeout(25); // the nodes run in this process
      }
    })();
    work.catch(() => {});
    const rows = this.table.expected();
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
}
