/**
 * The search threads of an engine. Threads start when there is work for them. A call waits in a
 * queue of bounded length until a thread is free; the time that it waits counts. A call that is
 * aborted, or whose time is over, leaves the queue or frees its thread. A thread that ends or hangs
 * fails its call alone; the next call starts another thread.
 */
import { LhsError } from '@lakehouse-search/contract';
import { Deadline, type TimeLeft } from '../base/deadline.ts';
import { engineClosed } from '../base/engine-closed.ts';
import { LIMITS } from '../base/limits.ts';
import type { ShardOperation } from '../shard/shard.ts';
import type { CommitSource } from './messages.ts';
import { SearchThread } from './search-thread.ts';

/** How a pool works. */
export interface WorkerPoolOptions {
  readonly threads: number;
  /** Calls that may wait. Default: `LIMITS.queuedCalls`. */
  readonly queue?: number;
  /** Milliseconds after a call's limit, or its abort, before its thread is terminated. */
  readonly graceMs?: number;
  /** The module that threads run. Default: shard-worker. */
  readonly entry?: URL;
}

const GRACE_MS = 2000;

/** A call of a shard of a commit. */
export interface PoolCall {
  readonly source: CommitSource;
  readonly shard: number;
  readonly operation: ShardOperation;
  /** `time`: what is left when the call is made. */
  readonly request: object & { readonly time?: TimeLeft };
  readonly signal?: AbortSignal | undefined;
}

interface Waiting {
  readonly number: number;
  readonly call: PoolCall;
  readonly since: number;
  readonly done: (answer: unknown) => void;
  readonly failed: (error: unknown) => void;
}

/** A bounded pool of search threads. Close it when done. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #threads = new Set<SearchThread>();
  readonly #running = new Map<number, { thread: SearchThread; failed: Waiting['failed'] }>();
  readonly #queue: Waiting[] = [];
  #last = 0;
  #closed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /** Threads that have been started and not ended, and calls that wait. */
  get figures(): { readonly threads: number; readonly waiting: number } {
    return { threads: this.#threads.size, waiting: this.#queue.length };
  }

  /**
   * Runs a call and returns its answer. Throws what the shard throws; interrupted when the signal
   * aborts; overloaded when too many calls wait; `CommitUnopened` when the commit's files are gone.
   */
  run(call: PoolCall): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    if (this.#closed) throw engineClosed();
    if (call.signal?.aborted) throw aborted();
    if (this.#queue.length >= this.#queueLimit && this.#freeThread(call) === null) {
      throw overloaded(this.#queueLimit);
    }
    const number = ++this.#last;
    const stop = () => this.#abort(number);
    const settle =
      <T>(end: (value: T) => void) =>
      (value: T) => {
        call.signal?.removeEventListener('abort', stop);
        this.#running.delete(number);
        end(value);
      };
    call.signal?.addEventListener('abort', stop);
    const ends = { done: settle(resolve), failed: settle(reject) };
    this.#queue.push({ number, call, since: performance.now(), ...ends });
    this.#dispatch();
    return promise;
  }

  /** Closes a commit in all threads; no later call is about it. */
  release(commit: number): void {
    for (const thread of this.#threads) thread.close(commit);
  }

  /** Ends all threads. Calls that wait or run throw closed. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { failed } of this.#queue.splice(0)) failed(engineClosed());
    await Promise.all([...this.#threads].map((thread) => thread.terminate()));
  }

  get #queueLimit(): number {
    return this.#options.queue ?? LIMITS.queuedCalls;
  }

  get #graceMs(): number {
    return this.#options.graceMs ?? GRACE_MS;
  }

  #dispatch(): void {
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      const thread = this.#freeThread(next.call);
      if (thread === null) return;
      this.#queue.shift();
      this.#start(next, thread);
    }
  }

  /** A thread for a call: rather one that has its commit open; null: all are busy. */
  #freeThread({ source }: PoolCall): SearchThread | null {
    const idle = [...this.#threads].filter((thread) => thread.idle);
    const open = idle.find((thread) => thread.has(source.id));
    if (open !== undefined) return open;
    if (this.#threads.size < this.#options.threads) return this.#startThread();
    return idle[0] ?? null;
  }

  #startThread(): SearchThread {
    const { threads, entry = workerEntry() } = this.#options;
    const thread = new SearchThread(entry, threads, {
      free: () => this.#dispatch(),
      ended: (ended) => {
        this.#threads.delete(ended);
        this.#dispatch();
      },
    });
    this.#threads.add(thread);
    return thread;
  }

  #start({ number, call, since, done, failed }: Waiting, thread: SearchThread): void {
    const { source, shard, operation } = call;
    const { time } = call.request;
    const left = time && { ...time, millis: time.millis - (performance.now() - since) };
    try {
      if (left !== undefined) Deadline.limited(left).check();
    } catch (error) {
      failed(error);
      return;
    }
    const request = left === undefined ? call.request : { ...call.request, time: left };
    const limitMs = (left?.millis ?? LIMITS.queryMillis) + this.#graceMs;
    this.#running.set(number, { thread, failed });
    thread.run({
      ...{ number, source, shard, operation, request, limitMs, done },
      late: () => lateError(left),
      failed: (error) => failed(this.#closed ? engineClosed(error) : error),
    });
  }

  /** The call ends at once; its thread a little later. */
  #abort(number: number): void {
    const at = this.#queue.findIndex((waiting) => waiting.number === number);
    if (at >= 0) this.#queue.splice(at, 1)[0].failed(aborted());
    const running = this.#running.get(number);
    running?.thread.cancel(number, this.#graceMs);
    running?.failed(aborted());
  }
}

/** The worker's entry: beside this file, as source or as built. */
function workerEntry(): URL {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new URL(`./shard-worker.${ending}`, import.meta.url);
}

const aborted = (): LhsError => new LhsError('interrupted', 'the call was aborted');

function overloaded(waiting: number): LhsError {
  return new LhsError('overloaded', `${waiting} calls wait for a search thread already`, {
    hint: 'try again later, or open the engine with more threads',
    details: { waiting },
  });
}

/** The error of a query that does not look at its clock. */
function lateError(time: TimeLeft | undefined): Error {
  try {
    Deadline.limited({ millis: -1, limit: time?.limit ?? 'query' }).check();
  } catch (error) {
    return error as Error;
  }
  return new LhsError('internal', 'a time limit that is over does not throw');
}
