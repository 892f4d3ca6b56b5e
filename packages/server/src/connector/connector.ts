import { randomUUID } from 'node:crypto';
import { LhsError } from '@lakehouse-search/contract';
import { isRestrictionsChanged } from '@lakehouse-search/engine/internal';
import { type ClusterContext, connectorLease } from '../control-plane/cluster-context.ts';
import { Leadership, pause } from '../control-plane/leader/leadership.ts';
import type { LoopFaults } from '../control-plane/leader/loop-faults.ts';
import type { WorkWatch } from '../control-plane/leader/work-watch.ts';
import { LEADER } from '../control-plane/operations/cluster-job-api.ts';
import type { Lease } from '../store/leases.ts';
import { IndexConnector } from './index-connector.ts';

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
 * Keeps all indexes of a cluster equal to their tables. Several connectors may run: each index has
 * one at a time, which holds its lease.
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
    const connector = new IndexConnector(context, index, {
      advanced: (snapshot) => {
        metrics.synced(index);
        context.logger.info({ index, snapshot, epoch: lease.epoch }, 'sync advanced');
      },
    });
    let wait = FIRST_PAUSE_MS;
    try {
      while (!signal.aborted) {
        try {
          const applied = await connector.advance(lease, signal);
          metrics.failing(index, false);
          await faults.succeeded(loop);
          wait = applied ? 0 : Math.min(pollMs, Math.max(FIRST_PAUSE_MS, 2 * wait));
        } catch (error) {
          if (signal.aborted) return;
          wait = Math.min(MOST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, 2 * wait));
          metrics.failing(index, true);
          await faults.failed(loop, error, { in_ms: wait, epoch: lease.epoch });
          if (isRestrictionsChanged(error)) await rebuild(context, index);
          // another connector has the index, or a node refuses this one: the lease decides
          if (isFenced(error)) return;
        }
        if (wait > 0) await pause(wait, signal);
      }
    } finally {
      await connector.close();
    }
  }
}

/** Starts a job that builds an index anew, unless it has one that runs. */
async function rebuild({ store, logger }: ClusterContext, index: string): Promise<void> {
  const leader = await store.leases.current(LEADER);
  if (leader === undefined) return;
  const draft = { index, kind: 'reindex', request: { index }, epoch: leader.epoch } as const;
  const job = await store.jobs.add(randomUUID(), draft);
  if (job === undefined) return;
  logger.info({ index, job: job.id }, 'the read restrictions have changed: the index is rebuilt');
}

const isFenced = (error: unknown): boolean => error instanceof LhsError && error.code === 'fenced';
