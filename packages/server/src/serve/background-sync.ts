import { setTimeout } from 'node:timers/promises';
import { errorOf } from '@lakehouse-search/client/internal';
import { type FollowEvent, LhsError } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import type { Logger } from 'pino';
import { withOwn } from '../config/with-own.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { RepeatedFaults } from '../observe/repeated-faults.ts';
import { TAKE } from './register-node.ts';

/** What the background sync works with. */
export interface BackgroundSyncOptions {
  readonly backend: Pick<BackendApi, 'listIndexes' | 'listAliases' | 'follow'>;
  readonly logger: Logger;
  readonly faults: RepeatedFaults;
  /** Absent: nothing serves them. */
  readonly metrics?: Pick<Metrics, 'synced' | 'failing'>;
  /** False: only the names of the indexes are watched. */
  readonly enabled: boolean;
  readonly pollMs: number;
}

/** Pause between two looks at the list of indexes. */
const LOOK_MS = 2000;
const FIRST_PAUSE_MS = 1000;
const MOST_PAUSE_MS = 60_000;
/** These end a follower; the next look begins another one if the index is there again. */
const SYNC = 'sync';
const MERGE = 'merge of segments';
const MOVE = 'move of windows';
const WORK: { readonly [E in FollowEvent['event']]: string } = {
  ...{ commit: SYNC, waiting: SYNC, retry: SYNC },
  ...{ merge: MERGE, merge_failed: MERGE, windows_moved: MOVE, windows_failed: MOVE },
};
const LIST = 'list of indexes';
const GONE = ['index_not_found', 'index_not_built', 'closed'];

/** Keeps all built indexes equal to their tables, and knows their names. */
export class BackgroundSync {
  readonly #options: BackgroundSyncOptions;
  readonly #stop = new AbortController();
  readonly #followers = new Map<string, Promise<void>>();
  #names: ReadonlySet<string> = new Set();
  #looking: Promise<void> = Promise.resolve();

  constructor(options: BackgroundSyncOptions) {
    this.#options = options;
  }

  /** Begins. The first look at the indexes has ended when the promise resolves. */
  async start(): Promise<void> {
    await this.#look();
    this.#looking = this.#keepLooking();
  }

  /** True for the name of an index, and for an alias. */
  isKnown(name: string): boolean {
    return this.#names.has(name);
  }

  /** Ends all followers; what they have committed stays. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#looking;
    await Promise.all(this.#followers.values());
  }

  async #keepLooking(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await pause(LOOK_MS, signal);
      if (signal.aborted) return;
      const { faults } = this.#options;
      await this.#look().then(
        () => faults.succeeded(LIST),
        (error: unknown) => faults.failed(LIST, error),
      );
    }
  }

  async #look(): Promise<void> {
    const { backend, enabled } = this.#options;
    const indexes = await backend.listIndexes();
    const aliases = await backend.listAliases();
    const names = indexes.map(({ name }) => name);
    this.#names = new Set([...names, ...aliases.map(({ alias }) => alias)]);
    if (!enabled) return;
    const built = indexes.filter(({ status }) => status === 'live');
    for (const { name } of built) if (!this.#followers.has(name)) this.#begin(name);
  }

  #begin(index: string): void {
    const work = this.#keepFollowing(index).finally(() => this.#followers.delete(index));
    this.#followers.set(index, work);
  }

  async #keepFollowing(index: string): Promise<void> {
    const { faults, metrics } = this.#options;
    const { signal } = this.#stop;
    let wait = FIRST_PAUSE_MS;
    while (!signal.aborted) {
      try {
        await this.#follow(index, () => {
          wait = FIRST_PAUSE_MS;
        });
      } catch (error) {
        const code = error instanceof LhsError ? error.code : 'internal';
        if (GONE.includes(code)) faults.succeeded(SYNC, { index });
        if (GONE.includes(code) || signal.aborted) return;
        metrics?.failing(index, true);
        faults.failed(SYNC, error, { index, in_ms: wait });
        await pause(wait, signal);
        wait = Math.min(2 * wait, MOST_PAUSE_MS);
      }
    }
  }

  async #follow(index: string, progressed: () => void): Promise<void> {
    const { backend, pollMs } = this.#options;
    const call = { signal: this.#stop.signal };
    for await (const event of backend.follow({ index, poll_ms: pollMs }, call)) {
      if (event.event !== 'retry') progressed();
      this.#report(index, event);
    }
  }

  #report(index: string, event: FollowEvent): void {
    const { logger, metrics, faults } = this.#options;
    const work = WORK[event.event];
    metrics?.failing(index, event.event === 'retry');
    if ('code' in event) {
      const { code, message } = event;
      const in_ms = event.event === 'retry' ? { in_ms: event.in_ms } : {};
      faults.failed(work, errorOf({ code, message, status: 0, details: {} }), { index, ...in_ms });
      return;
    }
    faults.succeeded(work, { index });
    if (event.event === 'commit') metrics?.synced(index);
    const { event: what, at: _, ...fields } = event;
    if (what !== 'waiting') logger.info({ index, ...fields }, `sync ${what}`);
  }
}

/** A backend whose statuses say why an index does not follow its table. */
export function withSyncFailures(backend: BackendApi, faults: RepeatedFaults): BackendApi {
  return withOwn(backend, {
    status: async (...args) => {
      const status = await backend.status(...args);
      const failures = [SYNC, TAKE].flatMap((work) => faults.failureOf(work, status.index) ?? []);
      return failures.length === 0 ? status : { ...status, sync_failure: failures[0] };
    },
  });
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal, ref: false }).catch(() => {});
