import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { RepeatedFaults } from '../../observe/repeated-faults.ts';
import type { Lease } from '../../store/leases.ts';
import type { Store } from '../../store/open-store.ts';

/** How a process gets and keeps a right that one process has at a time. */
export interface LeadershipOptions {
  readonly leases: Store['leases'];
  /** Name of the lease. */
  readonly name: string;
  /** Tells this process from all others. */
  readonly holder: string;
  /** Without a renewal, another process takes over after this time. */
  readonly ttlMs: number;
  /** Works while the lease is held; `signal` aborts when it is lost, or at `stop`. */
  readonly work: (lease: Lease, signal: AbortSignal) => Promise<void>;
  readonly logger: Logger;
  readonly faults: RepeatedFaults;
}

/** Attempts within the time of a lease, to acquire it and to renew it. */
const ATTEMPTS = 4;
const ACQUIRE = 'acquisition of a lease';
const RENEW = 'renewal of a lease';
const WORK = 'work under a lease';

/** A process that wants a lease: it acquires it when it is free, works, and renews it meanwhile. */
export class Leadership {
  readonly #options: LeadershipOptions;
  readonly #stop = new AbortController();
  #held: Lease | undefined;
  #running: Promise<void> | undefined;

  constructor(options: LeadershipOptions) {
    this.#options = options;
  }

  /** The lease, while it is held. */
  get held(): Lease | undefined {
    return this.#held;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends the work and releases the lease. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { ttlMs, logger, name } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const began = performance.now();
      const lease = await this.#acquire();
      if (lease !== undefined) {
        logger.info({ lease: name, epoch: lease.epoch }, 'lease acquired');
        await this.#hold(lease, began);
        logger.info({ lease: name, epoch: lease.epoch }, 'lease ended');
      }
      await pause(ttlMs / ATTEMPTS, signal);
    }
  }

  async #acquire(): Promise<Lease | undefined> {
    const { leases, name, holder, ttlMs, faults } = this.#options;
    try {
      const lease = await leases.acquire(name, holder, ttlMs);
      faults.succeeded(ACQUIRE, { lease: name });
      return lease;
    } catch (error) {
      faults.failed(ACQUIRE, error, { lease: name });
      return undefined;
    }
  }

  /** Works under a lease until it is lost, by the clock of this process too. */
  async #hold(lease: Lease, acquired: number): Promise<void> {
    const { work, leases, name, faults } = this.#options;
    const lost = new AbortController();
    const signal = AbortSignal.any([lost.signal, this.#stop.signal]);
    this.#held = lease;
    const done = work(lease, signal)
      .then(
        () => faults.succeeded(WORK, { lease: name }),
        (error: unknown) => {
          if (!signal.aborted) faults.failed(WORK, error, { lease: name });
        },
      )
      .finally(() => lost.abort());
    await this.#renew(lease, acquired, signal);
    this.#held = undefined;
    lost.abort();
    await done;
    await leases.release(lease).catch(() => {});
  }

  async #renew(lease: Lease, acquired: number, signal: AbortSignal): Promise<void> {
    const { leases, ttlMs, name, faults } = this.#options;
    let until = acquired + ttlMs;
    while (!signal.aborted && performance.now() < until) {
      await pause(ttlMs / ATTEMPTS, signal);
      if (signal.aborted) return;
      const asked = performance.now();
      try {
        if ((await leases.renew(lease, ttlMs)) === undefined) return;
        until = asked + ttlMs;
        faults.succeeded(RENEW, { lease: name });
      } catch (error) {
        faults.failed(RENEW, error, { lease: name });
      }
    }
  }
}

/** Ends early, without an error, when the signal aborts. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal, ref: false }).catch(() => {});
