import { type FollowEvent, LhsError } from '@lakehouse-search/contract';
import type { Follower } from './follow-index.ts';

/** A reader that is more events behind is ended. */
const MAX_EVENTS_BEHIND = 1000;

/**
 * One follower of an index, whose events go to all its readers. It works while a reader waits for
 * an event, looks at the table as often as the most frequent of them wants, and at once for a new
 * one. It ends with its last reader.
 */
export class SharedFollow {
  readonly #follower: Follower;
  readonly #closed: () => void;
  readonly #readers = new Set<Reader>();
  #isWorking = false;
  #end: { readonly error?: unknown } | null = null;
  #closing: Promise<void> | null = null;

  /** `closed` is called when the follower has given back the index. */
  constructor(open: (pollMs: () => number) => Follower, closed: () => void) {
    this.#follower = open(() => Math.min(...[...this.#readers].map(({ pollMs }) => pollMs)));
    this.#closed = closed;
  }

  /** True if it takes no more readers. */
  get isEnding(): boolean {
    return this.#end !== null || this.#closing !== null;
  }

  /**
   * Events until `signal` aborts or the caller ends the iteration. Throws as the follower, and
   * overloaded to a reader that takes them too slowly.
   */
  async *read(pollMs: number, signal: AbortSignal): AsyncGenerator<FollowEvent> {
    const reader = new Reader(pollMs);
    if (this.#readers.size > 0) this.#follower.wake();
    this.#readers.add(reader);
    signal.addEventListener('abort', reader.notify);
    try {
      while (!signal.aborted) {
        const event = reader.take();
        if (event !== undefined) yield event;
        else if (this.#end === null) await this.#next(reader);
        else if ('error' in this.#end) throw this.#end.error;
        else return;
      }
    } finally {
      signal.removeEventListener('abort', reader.notify);
      this.#readers.delete(reader);
      if (this.#readers.size === 0) await this.close();
    }
  }

  /** Ends the follower. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#follower.close().finally(this.#closed);
    return this.#closing;
  }

  #next(reader: Reader): Promise<void> {
    const changed = reader.changed();
    if (!this.#isWorking) void this.#work();
    return changed;
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    try {
      const { value, done } = await this.#follower.events.next();
      if (done === true) this.#end = {};
      else for (const reader of this.#readers) reader.offer(value);
    } catch (error) {
      this.#end = { error };
    }
    this.#isWorking = false;
    for (const reader of this.#readers) reader.notify();
  }
}

class Reader {
  readonly pollMs: number;
  readonly #events: FollowEvent[] = [];
  #last: FollowEvent['event'] | null = null;
  #isTooSlow = false;
  #changed = Promise.withResolvers<void>();

  constructor(pollMs: number) {
    this.pollMs = pollMs;
  }

  readonly notify = (): void => this.#changed.resolve();

  /** Resolves with the next call of `notify`. */
  changed(): Promise<void> {
    this.#changed = Promise.withResolvers();
    return this.#changed.promise;
  }

  /** A reader gets one `waiting` until something else happens, as if it were alone. */
  offer(event: FollowEvent): void {
    if (event.event === 'waiting' && this.#last === 'waiting') return;
    this.#last = event.event;
    this.#isTooSlow ||= this.#events.length === MAX_EVENTS_BEHIND;
    if (this.#isTooSlow) this.#events.length = 0;
    else if (event.event === 'waiting') this.#events.push({ ...event, every_ms: this.pollMs });
    else this.#events.push(event);
  }

  /** The next event; undefined: there is none yet. */
  take(): FollowEvent | undefined {
    if (!this.#isTooSlow) return this.#events.shift();
    const message = `this reader of events is more than ${MAX_EVENTS_BEHIND} behind`;
    throw new LhsError('overloaded', message, { hint: 'follow the index again, and read faster' });
  }
}
