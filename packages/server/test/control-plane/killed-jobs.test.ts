// @module-tag campaign
/**
 * Control planes that are killed at each step of a job over an index of one of two nodes: over
 * SQLite one that is started again, over PostgreSQL one of two.
 */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createRemote } from '@lakehouse-search/client/remote/internal';
import type { SearchResponse } from '@lakehouse-search/contract';
import type { ServiceApi } from '@lakehouse-search/contract/internal';
import { registeredDefinition } from '@lakehouse-search/engine/internal';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CLUSTER_KEY } from '../../../../test/support/cluster-processes.ts';
import { byEffort, everyNth, seedOfDay } from '../../../../test/support/effort.ts';
import {
  type EmbeddedPostgres,
  findEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../../test/support/embedded-postgres.ts';
import { unusedPort } from '../../../../test/support/unused-port.ts';
import { connectNode, type NodeClient } from '../../src/cluster/node-client.ts';
import type { RunningServer } from '../../src/serve/serve-all.ts';
import { serveGateway } from '../../src/serve/serve-gateway.ts';
import { type RunningNode, serveNode } from '../../src/serve/serve-node.ts';
import { serverOptions } from '../../src/serve/server-options.ts';
import type { ClusterJob } from '../../src/store/cluster-jobs.ts';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { ClusterTable, documentsOf, INDEX } from './cluster-table.ts';
import { HeldPlane } from './held-plane-process.ts';

const WAIT = { interval: 25 };
const module = findEmbeddedPostgres();
const NODES = ['n1', 'n2'];
/** A control plane on a busy machine must not lose its lease before it is killed. */
const LEASE_MS = 20_000;

/** A job of the grid; an alter by the strategy of its change. */
type JobName = 'reindex' | 'alter live' | 'alter field' | 'alter reindex' | 'reshard';

const BEGIN = ['build_started, not committed', 'build_started'];
const END = [
  ...['build_finished, not committed', 'build_finished'],
  ...['cutover_finished, not committed', 'cutover_finished'],
];
const CANCELED = ['canceled, not committed', 'canceled'];
/** The steps after the commits with which a job ends. */
const LAST_STEPS: readonly string[] = ['done cutover_finished', 'canceled canceled'];
/** The steps of a job that ends well, and those after it was canceled at a step. */
const stepsOf = (name: JobName) => {
  const call = name === 'reindex' ? 'reindex' : 'alter';
  return {
    all: [...BEGIN, `before ${call}`, `after ${call}`, ...END],
    canceledAt: `after ${call}`,
    canceled: CANCELED,
  };
};

interface Kill {
  readonly job: JobName;
  readonly step: string;
  readonly canceledAt?: string;
}
const JOBS: readonly JobName[] = [
  ...(['reindex', 'reshard', 'alter live', 'alter field', 'alter reindex'] as const),
];
const GRID: readonly Kill[] = JOBS.flatMap((job) => {
  const { all, canceledAt, canceled } = stepsOf(job);
  return [
    ...all.map((step) => ({ job, step })),
    ...canceled.map((step) => ({ job, step, canceledAt })),
  ];
});
const BRIEF: readonly Kill[] = [
  { job: 'reindex', step: 'after reindex' },
  { job: 'alter reindex', step: 'after alter' },
];
const nameOf = ({ job, step, canceledAt }: Kill): string =>
  `${job}: ${step}${canceledAt === undefined ? '' : `, canceled at "${canceledAt}"`}`;

/** Two nodes, a gateway and the control planes of a store. */
class KilledCluster {
  readonly folder = mkdtempSync(join(tmpdir(), 'lhs-killed-jobs-'));
  readonly table = new ClusterTable();
  /** The rows of each snapshot that an index may show. */
  readonly rowsAt = new Map<string | null, readonly string[]>();
  planes: HeldPlane[] = [];
  store!: Store;
  client!: ServiceApi;
  clients: NodeClient[] = [];
  #definition = this.table.definition(3);
  #nodes: RunningNode[] = [];
  #gateway!: RunningServer;
  #next = 0;
  #go: () => void = () => {};

  async start(postgres: string | undefined, sync = false): Promise<void> {
    await this.table.create();
    await this.grow(40);
    const grpc = async () => `127.0.0.1:${await unusedPort()}`;
    const common = { dataDir: this.table.folder, key: CLUSTER_KEY, leaseMs: LEASE_MS, sync };
    for (const one of postgres === undefined ? [{}] : [{ postgres }, { postgres }]) {
      this.planes.push(await HeldPlane.start({ ...common, ...one, grpc: await grpc() }));
    }
    const file = join(this.table.folder, 'server.db');
    this.store = await openStore(postgres === undefined ? { file } : { postgres });
    const controlPlane = this.planes.map((plane) => plane.grpc);
    const cluster = {
      ...{ nodes: [], controlPlane, key: CLUSTER_KEY, takes: [] },
      shardTimeoutMs: 120_000,
      silenceMs: 120_000,
    };
    const values = {
      ...{ rest_addr: '127.0.0.1:0', addr: '127.0.0.1:0', threads: 0 },
      ...{ 'log.level': 'silent', 'log.access': false },
    };
    const optionsOf = (name: string) => serverOptions(values, {}, join(this.folder, name));
    for (const node of NODES) {
      this.#nodes.push(
        await serveNode({ options: optionsOf(node), cluster: { ...cluster, node } }),
      );
    }
    this.clients = this.#nodes.map((node) => connectNode(node.grpc, { key: CLUSTER_KEY }));
    this.#gateway = await serveGateway({
      ...{ options: optionsOf('gateway'), env: {}, cluster, issuers: [] },
      names: { catalogs: {}, roots: {}, models: {} },
    });
    this.client = createRemote({ url: this.#gateway.url });
    await vi.waitUntil(async () => (await this.store.nodes.list()).length === NODES.length, WAIT);
    await this.store.definitions.add(INDEX, this.#definition);
    // A node that a busy machine holds up may lose its lease, and the first build with it.
    const build = async () => (await this.ended((await this.add('reindex')).id)).state;
    await vi.waitUntil(async () => (await build()) === 'done', WAIT);
    await vi.waitUntil(async () => (await this.client.listIndexes())[0]?.status === 'live', WAIT);
  }

  async stop(): Promise<void> {
    await this.client?.close();
    await this.#gateway?.stop();
    for (const client of this.clients) await client.close();
    for (const node of this.#nodes) await node.stop();
    for (const plane of this.planes) await plane.kill();
    await this.store?.close();
    this.table.dispose();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** New rows of the table, which the index has after its next build. */
  grow(count: number): Promise<void> {
    return this.change(this.table.append(...Array.from({ length: count }, () => this.#next++)));
  }

  /** A change of the table. */
  async change(commit: Promise<void>): Promise<void> {
    await commit;
    this.rowsAt.set(this.table.head, this.table.expected());
  }

  /** Adds a job for the leader; an alter changes the definition in force to another one. */
  async add(name: JobName): Promise<ClusterJob> {
    const kind = name === 'reindex' ? 'reindex' : 'alter';
    const stored = (await this.store.definitions.get(INDEX))!.definition;
    const change = kind === 'reindex' ? {} : { definition_yaml: changed(stored, name) };
    const request = { index: INDEX, ...change };
    const lease = await vi.waitUntil(() => this.store.leases.current('control-plane'), WAIT);
    const draft = { index: INDEX, kind, request, epoch: lease!.epoch } as const;
    return (await this.store.jobs.add(`${name}-${++this.#next}`, draft))!;
  }

  /** A job that has ended. */
  ended(id: string): Promise<ClusterJob> {
    return vi.waitUntil(async () => {
      // the store may be down for a moment
      const job = await this.store.jobs.get(id).catch(() => undefined);
      return job === undefined || job.endedMs === null ? false : job;
    }, WAIT) as Promise<ClusterJob>;
  }

  /** The control plane that reaches a step of a job, which it is held at. */
  async reach(id: string, { step, canceledAt }: Kill): Promise<HeldPlane> {
    const seen: string[] = [];
    return new Promise<HeldPlane>((resolve, reject) => {
      void this.ended(id).then(({ state }) => {
        // the store shows the end of a job before its last step arrives here
        if (LAST_STEPS.includes(`${state} ${step}`)) return;
        reject(new Error(`the job ended before "${step}": ${seen.join(', ')}`));
      }, reject);
      for (const plane of this.planes) {
        plane.onStep = async (now) => {
          seen.push(now);
          if (now === step) {
            resolve(plane);
            await new Promise<void>((go) => {
              this.#go = go;
            });
          }
          if (now === canceledAt) await this.#cancel(plane, id);
        };
      }
    });
  }

  /** Lets the control plane go on that `reach` has held, and all others. */
  release(): void {
    for (const plane of this.planes) plane.onStep = async () => {};
    this.#go();
  }

  /** Kills a control plane and starts another one at its address. */
  async replace(lost: HeldPlane): Promise<void> {
    for (const plane of this.planes) plane.onStep = async () => {};
    await lost.kill();
    const lease = await this.store.leases.current('control-plane');
    if (lease !== undefined) await this.store.leases.release(lease);
    const next = await HeldPlane.start(lost.settings);
    this.planes = this.planes.map((plane) => (plane === lost ? next : plane));
  }

  /** The snapshot that the node of the index and the route have, when they have one. */
  level(): Promise<string | null> {
    return vi
      .waitUntil(async () => {
        const route = await this.store.routes.get(INDEX);
        const states = await Promise.all(this.clients.map((client) => client.state()));
        const owns = states.flatMap(({ indexes }) =>
          indexes.filter(({ index }) => index === INDEX),
        );
        const isLevel =
          route !== undefined &&
          owns.every(({ commits: [{ snapshot, definition }] }) => {
            return snapshot === route.snapshot && definition === route.definition;
          });
        const routed = route?.replicas.flat().map(({ commit }) => commit) ?? [];
        const live = owns.map(({ commits: [{ commit }] }) => commit);
        return isLevel &&
          routed.length === route.shards &&
          routed.every((one) => live.includes(one))
          ? { snapshot: route.snapshot }
          : false;
      }, WAIT)
      .then((found) => (found as { snapshot: string | null }).snapshot);
  }

  /** Documents of all nodes, as the table has rows. */
  documents(): Promise<readonly string[]> {
    return documentsOf(this.clients);
  }

  /** Waits until nodes have ended all builds: nobody promotes what a killed control plane began. */
  async unstaged(): Promise<void> {
    await vi.waitUntil(async () => {
      const lists = this.clients.map((client) => client.service().listJobs({}));
      return (await Promise.all(lists)).flat().every(({ ended_at }) => ended_at !== undefined);
    }, WAIT);
    const files = NODES.flatMap((node) =>
      readdirSync(join(this.folder, node), { recursive: true, encoding: 'utf8' }),
    );
    expect(files.filter((path) => path.endsWith('.tmp'))).toEqual([]);
  }

  /** Builds the index; again if the control plane was held up for so long that its lease ended. */
  async rebuild(): Promise<void> {
    await vi.waitUntil(async () => {
      const { state, record } = await this.ended((await this.add('reindex')).id);
      if (record.error?.code === 'closed') return false;
      expect({ state, error: record.error }).toEqual({ state: 'done', error: undefined });
      return true;
    }, WAIT);
  }

  async #cancel(plane: HeldPlane, id: string): Promise<void> {
    const read = new Promise<void>((resolve) => {
      plane.onCanceling = () => resolve();
    });
    await this.store.jobs.requestCancel(id);
    await read;
  }
}

const shardsOf = (definition: string) => registeredDefinition(definition).shards;

/** Another definition, by a change of a strategy; the change after it goes back. */
function changed(definition: string, name: JobName): string {
  if (name === 'reshard') {
    const shards = shardsOf(definition) === 3 ? 2 : 3;
    return definition.replace(/sharding: \{[^}]*\}/, `sharding: { shards: ${shards} }`);
  }
  const [line, before]: readonly [string, string] =
    name === 'alter live'
      ? ['description: of a test\n', 'fields:']
      : name === 'alter field'
        ? ['  - { name: words, type: KEYWORD, source: title }\n', 'sharding:']
        : ['key: { identifier: [title] }\n', 'fields:'];
  // a reshard writes lists with spaces
  const written = [line, line.replace('[title]', '[ title ]')].find((l) => definition.includes(l));
  return written === undefined
    ? definition.replace(before, `${line}${before}`)
    : definition.replace(written, '');
}

/** Searches until it is ended: each finds all rows of one snapshot, once. */
function searching({ client, rowsAt }: KilledCluster) {
  const found: SearchResponse[] = [];
  let ended = false;
  const work = async () => {
    while (!ended) {
      found.push(await client.search({ index: INDEX, query: '*:*', limit: 1000 }));
      await setImmediate(); // the nodes run in this process
    }
  };
  const working = work();
  working.catch(() => {});
  return async () => {
    ended = true;
    await working;
    expect(found.length).toBeGreaterThan(0);
    for (const { hits, partial, snapshot } of found) {
      const rows = hits.map(({ fields }) => `${fields?.id} ${fields?.title}`).sort();
      expect({ snapshot, partial, rows }).toEqual({ snapshot, rows: rowsAt.get(snapshot) });
    }
  };
}

const STORES = ['SQLite', ...(module === null ? [] : ['PostgreSQL'])];
const taken = (turn: number): readonly Kill[] =>
  byEffort([BRIEF[turn]], everyNth(GRID, 12, seedOfDay() + turn), GRID);

describe
  .skipIf(byEffort(true, false))
  .each(STORES.map((name, turn) => [name, taken(turn)] as const))(
  'a control plane over %s that is killed',
  (name, kills) => {
    const cluster = new KilledCluster();
    let postgres: EmbeddedPostgres | undefined;
    beforeAll(async () => {
      if (name === 'PostgreSQL') postgres = await startEmbeddedPostgres(module!);
      await cluster.start(await postgres?.newDatabase());
    });
    afterAll(async () => {
      await cluster.stop();
      await postgres?.stop();
    });

    it.each(kills.map((kill) => [nameOf(kill), kill] as const))(
      'leaves all shards at one generation: %s',
      async (_, kill) => {
        if (kill.job === 'reindex') await cluster.grow(6);
        const before = (await cluster.store.definitions.get(INDEX))!.definition;
        const endSearches = searching(cluster);
        const { id, request } = await cluster.add(kill.job);
        await cluster.replace(await cluster.reach(id, kill));
        const job = await cluster.ended(id);
        const isDone = kill.step === 'cutover_finished';
        const isCanceled = kill.step === 'canceled';
        expect(job).toMatchObject(
          isDone || isCanceled
            ? { state: isDone ? 'done' : 'canceled' }
            : { state: 'failed', record: { error: { code: 'closed' } } },
        );
        const snapshot = await cluster.level();
        await endSearches();
        expect(await cluster.documents()).toEqual(cluster.rowsAt.get(snapshot));
        expect((await cluster.client.verify({ index: INDEX })).equal).toBe(true);
        const { definition } = (await cluster.store.definitions.get(INDEX))!;
        const wanted = isDone ? String(request.definition_yaml ?? before) : before;
        // a reshard adds the buckets of each shard
        if (kill.job === 'reshard' && isDone) expect(shardsOf(definition)).toBe(shardsOf(wanted));
        else expect(definition).toBe(wanted);
        await cluster.unstaged();
        await cluster.rebuild();
      },
    );

    it.runIf(byEffort(false, true)).each(JOBS)('halts at each step of %s', async (job) => {
      const seen = new Set<string>();
      for (const plane of cluster.planes) plane.onStep = async (step) => void seen.add(step);
      expect((await cluster.ended((await cluster.add(job)).id)).state).toBe('done');
      await expect.poll(() => [...seen].sort()).toEqual([...stepsOf(job).all].sort());
    });
  },
);

describe.skipIf(module === null)('two connectors of an index whose PostgreSQL is restarted', () => {
  const cluster = new KilledCluster();
  let postgres: EmbeddedPostgres;
  beforeAll(async () => {
    postgres = await startEmbeddedPostgres(module!);
    await cluster.start(await postgres.newDatabase(), true);
  });
  afterAll(async () => {
    await cluster.stop();
    await postgres.stop();
  });

  it.each(byEffort<readonly JobName[]>(['alter reindex'], ['alter field', 'alter reindex']))(
    'during an %s lose and double no row',
    async (name) => {
      const { table } = cluster;
      const endSearches = searching(cluster);
      const { id } = await cluster.add(name);
      await cluster.reach(id, { job: name, step: 'after alter' });
      await cluster.grow(5);
      await postgres.restart();
      cluster.release();
      await cluster.change(table.upsert('again', 1, 2, 3));
      await cluster.change(table.delete(4, 8));
      await cluster.ended(id);
      await vi.waitUntil(async () => (await cluster.level()) === table.head, WAIT);
      await endSearches();
      expect(await cluster.documents()).toEqual(table.expected());
      expect((await cluster.client.verify({ index: INDEX })).equal).toBe(true);
    },
  );
});
