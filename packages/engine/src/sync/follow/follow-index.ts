/**
 * Following: applies new snapshots of the table to an index until stopped.
 *
 * 1. A look at the table's pointer. Nothing new: the pauses between looks grow up to `pollMs`.
 * 2. Something new: the index is opened (its lock taken) and brought to the head, a commit for each
 *    snapshot. It stays open until a look finds nothing and no merge runs, or a reindex wants to
 *    make its generation the live one; then the lock is given back.
 * 3. Merges run beside; one that has ended is taken in by the next commit, or by one of its own.
 *    One that fails is an event; the index goes on with more segments.
 *    The commits of a published index take all that is new, once per second.
 * 4. After a commit the windows are checked: one that is older than the definition keeps hot is
 *    moved to the store by a job, one per look, with the lock given back before. After a failure
 *    the next one is tried an hour later.
 * 5. If the catalog's read restrictions have changed, the index is built anew.
 * 6. What passes by itself (an outage, another writer, a full disk) is waited for, ever longer, for
 *    ever; everything else ends it with its error. After a fault the index is opened anew, at its
 *    last commit.
 *
 * An abort ends it without an error: the step in hand is dropped, what is committed stays.
 */

import { type FollowEvent, LhsError, type MoveWindowsResponse } from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import type { Clock } from '../../base/time/clock.ts';
import { isRestrictionsChanged, sourceIdentity } from '../../index/commits/source-identity.ts';
import type { KnownIndex } from '../../open/open-index.ts';
import { fromSource, unlessAborted } from '../../source/source-errors.ts';
import { followedSnapshot } from '../../source/source-table.ts';
import type { AppliedStep, SyncSession } from '../sync.ts';
import { lookPause, mendsItself, PUBLISH_MS, retryPause } from './follow-pace.ts';

/** Default of the longest pause between two checks. */
export const POLL_MS = 5000;
/** Pause after a move of a window that failed. */
const TIERS_PAUSE_MS = 3_600_000;

/** An index that is open for following: its lock is held until it is closed. */
export interface FollowedIndex {
  /** Opened at the last commit; closed before the lock is released. */
  readonly session: Pick<SyncSession, 'catchUp' | 'merging' | 'takeMerges' | 'takeMergeFault'>;
  /** Gives back the session and the lock. */
  close(): Promise<void>;
}

/** Moves of windows by their age. */
export interface FollowedTiers {
  /** The name of the oldest window that is hot and too old for it; null: there is none. */
  due(known: KnownIndex): string | null;
  /** Moves it in a job. Throws index_busy, unreachable, interrupted, … */
  cool(known: KnownIndex, window: string, signal: AbortSignal): Promise<MoveWindowsResponse>;
}

/** What following needs of an engine. */
export interface FollowHost {
  readonly clock: Clock;
  /** The index with the newest version of its definition. Throws index_not_found. */
  known(): KnownIndex;
  /** What names the newest commit of an index; null before the first reindex. */
  commitVersion(known: KnownIndex): string | null;
  openTable(known: KnownIndex, signal: AbortSignal): Promise<SourceTable>;
  /** Whether commits are published. */
  publishes(known: KnownIndex): boolean;
  /** Opens the live generation for following. Throws index_busy, index_not_built, … */
  open(known: KnownIndex): Promise<FollowedIndex>;
  /** The moves of windows by age; absent: there are none. */
  readonly tiers?: FollowedTiers;
  /** Builds the index anew; absent: following ends when the read restrictions have changed. */
  readonly rebuild?: (known: KnownIndex, signal: AbortSignal) => Promise<unknown>;
  /** True while a reindex waits for the lock or has it, to make its generation the live one. */
  mustYield(known: KnownIndex): boolean;
}

/**
 * Follows an index until it is closed. Its events throw what does not pass by itself:
 * source_changed, schema_changed, source_invalid, corrupt_index, index_not_found, …
 */
export class Follower {
  readonly #host: FollowHost;
  readonly #pollMs: () => number;
  readonly #stop = new AbortController();
  readonly #signal = this.#stop.signal;
  /** What happens, as it is read: nothing goes on beyond the next event. */
  readonly events: AsyncGenerator<FollowEvent>;
  /** The table at the newest version seen, and whose it is. */
  #table: SourceTable | null = null;
  #subject = '';
  #index: FollowedIndex | null = null;
  /** State of the table when the index was released: nothing to do while it is the same. */
  #restedAt = '';
  #quietLooks = 0;
  /** When there was no merge the last time, in ticks. */
  #mergingSince = 0;
  #toldWaiting = false;
  /** A commit may have made windows too old. */
  #looksAtTiers = false;
  /** In ticks. */
  #tiersAfter = 0;
  #reached = false;
  /** A look is due at once. */
  #isWoken = false;
  /** Ends the pause that runs. */
  #resting: AbortController | null = null;
  #failures = 0;
  #lastFault = '';

  /** `pollMs`: the longest pause between two looks at the table from now on. */
  constructor(host: FollowHost, pollMs: () => number) {
    this.#host = host;
    this.#pollMs = pollMs;
    this.events = this.#events();
  }

  /** Looks at the table now, and returns a `waiting` event if nothing is new. */
  wake(): void {
    this.#isWoken = true;
    this.#resting?.abort();
  }

  async *#events(): AsyncGenerator<FollowEvent> {
    while (!this.#signal.aborted) {
      try {
        yield* this.#round();
        this.#failures = 0;
      } catch (error) {
        await this.#letGo();
        if (this.#signal.aborted && isInterrupted(error)) return;
        if (isRestrictionsChanged(error) && this.#host.rebuild !== undefined) {
          yield* this.#rebuild(this.#host.rebuild, error as LhsError);
          continue;
        }
        const fault = this.#passing(error);
        const pause = retryPause(fault, this.#failures++, this.#host.clock.random());
        yield this.#event({
          event: 'retry',
          code: fault.code,
          message: fault.message,
          in_ms: pause,
        });
        this.#toldWaiting = false;
        await this.#rest(pause);
      }
    }
  }

  /** Builds the index under the catalog's present restrictions; a failure is tried again. */
  async *#rebuild(
    rebuild: NonNullable<FollowHost['rebuild']>,
    { code, message }: LhsError,
  ): AsyncGenerator<FollowEvent> {
    yield this.#event({ event: 'retry', code, message, in_ms: 0 });
    this.#toldWaiting = false;
    try {
      await rebuild(this.#host.known(), this.#signal);
      this.#failures = 0;
    } catch (error) {
      if (this.#signal.aborted && isInterrupted(error)) return;
      const fault = this.#passing(error);
      const pause = retryPause(fault, this.#failures++, this.#host.clock.random());
      yield this.#event({
        event: 'retry',
        code: fault.code,
        message: fault.message,
        in_ms: pause,
      });
      await this.#rest(pause);
    }
  }

  /** Gives the index and the table back, and ends what still goes on. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.events.return(undefined);
    await this.#letGo();
    await this.#table?.close();
    this.#table = null;
  }

  /** One look, what follows from it, and the pause after it. */
  async *#round(): AsyncGenerator<FollowEvent> {
    const known = this.#host.known();
    const table = await this.#look(known);
    const head = followedSnapshot(table, known.definition.source.ref);
    const seen = `${this.#subject}/${sourceIdentity(table)}/${head}`;
    const committed = yield* this.#work(known, table, head, seen);
    if (committed) this.#looksAtTiers = true;
    const moved = yield* this.#tendTiers(known);
    this.#quietLooks = committed || moved ? 0 : this.#quietLooks + 1;
    if (!committed && !moved && this.#merging === null) {
      await this.#letGo();
      this.#restedAt = `${seen}/${this.#host.commitVersion(known)}`;
      if (!this.#toldWaiting) {
        this.#toldWaiting = true;
        yield this.#event({ event: 'waiting', every_ms: this.#pollMs() });
      }
    }
    const pause = lookPause(this.#quietLooks, this.#pollMs(), this.#host.clock.random());
    await this.#rest(Math.max(pause, committed && this.#host.publishes(known) ? PUBLISH_MS : 0));
  }

  /** Brings the index to the head where anything is new; true when something was committed. */
  async *#work(
    known: KnownIndex,
    table: SourceTable,
    head: bigint | null,
    seen: string,
  ): AsyncGenerator<FollowEvent, boolean> {
    const version = this.#host.commitVersion(known);
    if (this.#index === null && this.#restedAt === `${seen}/${version}`) return false;
    if (this.#host.mustYield(known)) {
      await this.#letGo();
      return false;
    }
    this.#index ??= await this.#host.open(known);
    if (this.#merging === null) this.#mergingSince = this.#host.clock.ticks();
    let committed = false;
    const net = this.#host.publishes(known) || undefined;
    for await (const step of this.#catchUp(this.#index, table, head, net)) {
      committed = true;
      this.#toldWaiting = false;
      const took_ms = Math.round(step.took_ms * 10) / 10;
      yield this.#event({ event: 'commit', ...step, took_ms });
    }
    yield* this.#tendMerges(this.#index);
    return committed;
  }

  /** Makes a merge that has ended visible and begins the next; nothing waits for one. */
  async *#tendMerges({ session }: FollowedIndex): AsyncGenerator<FollowEvent> {
    const taken = await session.takeMerges();
    const fault = session.takeMergeFault();
    if (fault !== null) {
      const code = fault instanceof LhsError ? fault.code : 'internal';
      yield this.#event({ event: 'merge_failed', code, message: fault.message });
    }
    if (taken === null) return;
    const now = this.#host.clock.ticks();
    const since = this.#mergingSince;
    this.#mergingSince = now;
    const { before: segments_before, after: segments_after } = taken;
    this.#toldWaiting = false;
    yield this.#event({
      event: 'merge',
      segments_before,
      segments_after,
      took_ms: Math.round(now - since),
    });
  }

  /** Moves one window that is too old for the local disk; true if one was moved. */
  async *#tendTiers(known: KnownIndex): AsyncGenerator<FollowEvent, boolean> {
    const { tiers, clock } = this.#host;
    if (tiers === undefined || !this.#looksAtTiers || this.#merging !== null) return false;
    if (clock.ticks() < this.#tiersAfter || this.#host.mustYield(known)) return false;
    const window = tiers.due(known);
    this.#looksAtTiers = window !== null;
    if (window === null) return false;
    await this.#letGo();
    this.#toldWaiting = false;
    try {
      const { cooled, bytes_copied, took_ms } = await tiers.cool(known, window, this.#signal);
      yield this.#event({ event: 'windows_moved', cooled, bytes_copied, took_ms });
      return true;
    } catch (error) {
      if (!(error instanceof LhsError) || this.#signal.aborted) throw error;
      this.#tiersAfter = clock.ticks() + TIERS_PAUSE_MS;
      yield this.#event({ event: 'windows_failed', code: error.code, message: error.message });
      return false;
    }
  }

  /** The steps of a catch-up as they are committed; the next one is worked on meanwhile. */
  async *#catchUp(
    { session }: FollowedIndex,
    table: SourceTable,
    head: bigint | null,
    net: boolean | undefined,
  ): AsyncGenerator<AppliedStep> {
    const steps: AppliedStep[] = [];
    let ended = false;
    let wake = () => {};
    const tell = () => wake();
    const onCommit = (step: AppliedStep) => {
      steps.push(step);
      tell();
    };
    const work = { signal: this.#signal, onCommit, net };
    const done = session.catchUp(table, head, work).finally(() => {
      ended = true;
      tell();
    });
    done.catch(() => {});
    try {
      for (;;) {
        const step = steps.shift();
        if (step !== undefined) yield step;
        else if (ended) break;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
      await done;
    } finally {
      if (!ended) this.#stop.abort();
      await done.catch(() => {});
    }
  }

  /** The table as it is now: one look at its pointer while nothing changes. */
  async #look(known: KnownIndex): Promise<SourceTable> {
    const { uuid, version } = known.registered;
    const subject = `${uuid}/${version}`;
    if (subject !== this.#subject) {
      await this.#letGo();
      await this.#table?.close();
      this.#table = null;
      this.#subject = subject;
    }
    const table = this.#table;
    const newest = () =>
      table === null
        ? this.#host.openTable(known, this.#signal)
        : fromSource(() => table.refresh());
    this.#table = await unlessAborted(newest, this.#signal);
    this.#reached = true;
    return this.#table;
  }

  /** Pauses so long, until a merge ends, or `wake` is called. */
  async #rest(millis: number): Promise<void> {
    const resting = new AbortController();
    this.#resting = resting;
    if (!this.#isWoken) {
      const signal = AbortSignal.any([this.#signal, resting.signal]);
      const rest = this.#host.clock.sleep(millis, signal);
      await Promise.race([rest, this.#merging ?? rest]);
      resting.abort();
    }
    this.#resting = null;
    if (this.#isWoken) this.#toldWaiting = false;
    this.#isWoken = false;
  }

  get #merging(): Promise<void> | null {
    return this.#index?.session.merging ?? null;
  }

  async #letGo(): Promise<void> {
    const index = this.#index;
    this.#index = null;
    this.#restedAt = '';
    await index?.close();
  }

  /** The fault, where it is one that passes by itself; else throws it. */
  #passing(error: unknown): LhsError {
    if (!(error instanceof LhsError)) throw error;
    if (error.code !== this.#lastFault) this.#failures = 0;
    this.#lastFault = error.code;
    const seen = { reached: this.#reached, inARow: this.#failures };
    if (!mendsItself(error, seen)) throw error;
    return error;
  }

  #event({ event, ...rest }: DistributiveOmit<FollowEvent, 'at'>): FollowEvent {
    const at = new Date(this.#host.clock.now()).toISOString();
    return { event, at, ...rest } as FollowEvent;
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

const isInterrupted = (error: unknown): boolean =>
  error instanceof LhsError && error.code === 'interrupted';
