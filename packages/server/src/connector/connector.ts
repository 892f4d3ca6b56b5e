import { randomUUID } from 'node:crypto';
import { errorOf } from '@lakehouse-search/client/internal';
import { type ErrorCode, LhsError } from '@lakehouse-search/contract';
import type { ServiceApi } from '@lakehouse-search/contract/internal';
import {
  isRestrictionsChanged,
  PUBLISH_MS,
  registeredDefinition,
} from '@lakehouse-search/engine/internal';
import {
  type ClusterContext,
  connectorLease,
  currentNodes,
  publishRoute,
} from '../control-plane/cluster-context.ts';
import { Leadership, pause } from '../control-plane/leader/leadership.ts';
import type { LoopFaults } from '../control-plane/leader/loop-faults.ts';
import type { WorkWatch } from '../control-plane/leader/work-watch.ts';
import { LEADER } from '../control-plane/operations/cluster-job-api.ts';
import type { LivingNode } from '../control-plane/placement/route-over.ts';
import type { StoredDefinition } from '../store/definitions.ts';
import type { Lease } from '../store/leases.ts';
import type { Route } from '../store/routes.ts';

/** How a connector works. */
export interface ConnectorOptions {
  readonly context: ClusterContext;
  readonly faults: LoopFaults;
  /** Tells this process from all others. */
  readonly holder: string;
  readonly leaseMs: number;
  /** Longest pause between two looks at a table. */
  readonly pollMs: number;
  readonly metrics: {
    synced(index: string): void;
    failing(index: string, isFailing: boolean): void;
  };
  /** Notes the looks. */
  readonly watch?: WorkWatch;
}

/** Pause between two looks at the list of indexes. */
const LOOK_MS = 1000;
const FIRST_PAUSE_MS = 250;
const MOST_PAUSE_MS = 30_000;

/**
 * Keeps all indexes of a cluster equal to their tables: the node of each applies what its table
 * has. Several connectors may run: each index has one at a time, which holds its lease.
 */
export class Connector {
  readonly #options: ConnectorOptions;
  readonly #stop = new AbortController();
  readonly #running = new Map<string, Leadership>();
  #looking: Promise<void> | undefined;

  constructor(options: ConnectorOptions) {
    this.#options = options;
  }

  /** Indexes whose lease this connector holds. */
  get held(): readonly string[] {
    return [...this.#running].filter(([, { held }]) => held !== undefined).map(([index]) => index);
  }

  start(): void {
    this.#looking ??= this.#keepLooking();
  }

  /** Ends all work and releases the leases; what was applied stays. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#looking;
    await Promise.all([...this.#running.values()].map((each) => each.stop()));
  }

  async #keepLooking(): Promise<void> {
    const { signal } = this.#stop;
    const { faults, watch } = this.#options;
    const loop = { work: 'connector' };
    while (!signal.aborted) {
      watch?.round(loop.work);
      await this.#look().then(
        () => faults.succeeded(loop),
        (error: unknown) => faults.failed(loop, error),
      );
      await pause(LOOK_MS, signal);
    }
  }

  async #look(): Promise<void> {
    const { store } = this.#options.context;
    const names = new Set((await store.definitions.list()).map(({ index }) => index));
    for (const [index, leadership] of this.#running) {
      if (names.has(index)) continue;
      this.#running.delete(index);
      await leadership.stop();
    }
    for (const index of names) if (!this.#running.has(index)) this.#begin(index);
  }

  #begin(index: string): void {
    const { context, holder, leaseMs } = this.#options;
    const leadership = new Leadership({
      leases: context.store.leases,
      name: connectorLease(index),
      holder,
      ttlMs: leaseMs,
      work: (lease, signal) => this.#follow(index, lease, signal),
      logger: context.logger,
      faults: context.repeated,
    });
    this.#running.set(index, leadership);
    leadership.start();
  }

  async #follow(index: string, lease: Lease, signal: AbortSignal): Promise<void> {
    const { context, faults, metrics, pollMs } = this.#options;
    const loop = { work: 'sync', index };
    let wait = FIRST_PAUSE_MS;
    while (!signal.aborted) {
      try {
        const rest = await this.#advance(index, lease, signal);
        metrics.failing(index, false);
        await faults.succeeded(loop);
        wait = rest ?? Math.min(pollMs, Math.max(FIRST_PAUSE_MS, 2 * wait));
      } catch (error) {
        if (signal.aborted) return;
        wait = Math.min(MOST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, 2 * wait));
        metrics.failing(index, true);
        await faults.failed(loop, error, { in_ms: wait, epoch: lease.epoch });
        if (isRestrictionsChanged(error)) await rebuild(context, index);
        // another connector has the index, or a node refuses this one: the lease decides
        if (isOf('fenced', error)) return;
      }
      if (wait > 0) await pause(wait, signal);
    }
  }

  /**
   * One look at the nodes and the table: searches move to what nodes have, and the node of the
   * index applies what is new. A node that has lost the index, or took it over from one that has
   * left, gets it back. Returns the pause after it; null: nothing is new. Throws fenced after the
   * end of the lease, what the node throws, and why it cannot gather the shards that earlier
   * versions spread.
   */
  async #advance(index: string, lease: Lease, signal: AbortSignal): Promise<number | null> {
    const { context } = this.#options;
    const { store, nodes } = context;
    const stored = await store.definitions.get(index);
    if (stored === undefined) return LOOK_MS;
    const living = await currentNodes(context, { signal });
    const name = await store.placements.nodeOf(index);
    const writer = living.find(({ node, isSilent }) => node === name && !isSilent);
    if (writer === undefined) return LOOK_MS;
    const route = await this.#publish(index, stored, living, lease);
    const own = writer.indexes.find((each) => each.index === index);
    const isLost = own?.commits.length === 0;
    if (own === undefined || (isLost && route === undefined)) return LOOK_MS;
    if (await runsJob(context, index, isLost ? undefined : 'alter')) return LOOK_MS;
    const service = nodes.at(writer.address).service(lease.epoch);
    if (own.ordinals.length < own.shards) {
      const { sync_failure: failure } = await service.status({ index }, { signal });
      if (failure !== undefined) throw errorOf({ ...failure, status: 0, details: {} });
      return LOOK_MS;
    }
    if (isLost) return this.#restore(index, writer.node, service, signal);
    const isPublished = registeredDefinition(stored.definition).storage !== undefined;
    const request = { index, net: isPublished || undefined };
    const { snapshots_applied } = await service.sync(request, { signal });
    if (snapshots_applied === 0) return null;
    return isPublished ? PUBLISH_MS : 0;
  }

  /** Fetches the commit of a lost index from its store, or has its node build the index. */
  async #restore(index: string, node: string, service: ServiceApi, signal: AbortSignal) {
    try {
      await service.sync({ index }, { signal });
    } catch (error) {
      if (!isOf('index_not_built', error)) throw error;
      const message = `node "${node}" has no data of the index and builds it from the table`;
      const loop = { work: 'sync', index };
      await this.#options.faults.noted(loop, 'index_not_built', message);
      await service.reindex({ index }, { signal });
    }
    return 0;
  }

  /** Stores the route over what the nodes have; undefined: the index is not built. */
  async #publish(
    index: string,
    { definition, version }: StoredDefinition,
    living: readonly LivingNode[],
    lease: Lease,
  ): Promise<Route | undefined> {
    const { context, metrics } = this.#options;
    const { store, logger } = context;
    const { shards = 1 } = registeredDefinition(definition);
    const before = (await store.routes.get(index))?.snapshot;
    const route = await publishRoute(store, lease, { index, shards, version }, living);
    if (route === undefined || route.snapshot === before) return route;
    metrics.synced(index);
    logger.info({ index, snapshot: route.snapshot, epoch: lease.epoch }, 'sync advanced');
    return route;
  }
}

/** Whether a job of an index runs: one that changes its definition holds back other work. */
const runsJob = async ({ store }: ClusterContext, index: string, kind?: 'alter') =>
  (await store.jobs.list({ running: true })).some(
    (job) => job.index === index && (kind === undefined || job.kind === kind),
  );

/** Starts a job that builds an index anew, unless it has one that runs. */
async function rebuild({ store, logger }: ClusterContext, index: string): Promise<void> {
  const leader = await store.leases.current(LEADER);
  if (leader === undefined) return;
  const draft = { index, kind: 'reindex', request: { index }, epoch: leader.epoch } as const;
  const job = await store.jobs.add(randomUUID(), draft);
  if (job === undefined) return;
  logger.info({ index, job: job.id }, 'the read restrictions have changed: the index is rebuilt');
}

const isOf = (code: ErrorCode, error: unknown): boolean =>
  error instanceof LhsError && error.code === code;
