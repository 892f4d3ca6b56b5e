/**
 * The search threads of an engine. Threads start when there is work for them. A call waits in a
 * queue of bounded length until a thread is free; the time that it waits counts. Shares (callers)
 * take turns, and a full queue refuses calls of the share that fills it. A call that is
 * aborted, or whose time is over, leaves the queue or frees its thread. A thread that ends or hangs
 * fails its call alone; the next call starts another thread. One timer watches all threads.
 */

import { LhsError } from '@lakehouse-search/contract';
import { abortedBy, refuseAborted } from '@lakehouse-search/contract/internal';
import { engineClosed } from '../base/engine-closed.ts';
import { LIMITS } from '../base/limits.ts';
import { Deadline, type TimeLeft } from '../base/time/deadline.ts';
import { COLD_FIGURES } from '../storage/cold-cache.ts';
import { SHARD_WORKER } from './entries.ts';
import { FairQueue } from './fair-queue.ts';
import type { CommitSource, ThreadAnswer, ThreadWork } from './messages.ts';
import { SearchThread, type ThreadTask } from './search-thread.ts';

/** How a pool works. */
export interface WorkerPoolOptions {
  readonly threads: number;
  /** Calls that may wait. Default: `LIMITS.queuedCalls`. */
  readonly queue?: number;
  /** Milliseconds after a call's limit, or its abort, before its thread is terminated. */
  readonly graceMs?: number;
  /** Bytes of the heap of a thread. Default: 1 GiB. */
  readonly heapBytes?: number | undefined;
  /** The module that threads run. Default: shard-worker. */
  readonly entry?: URL;
}

const GRACE_MS = 2000;
/** A query that has waited for more than this part of its time is not begun. */
const MOST_WAIT = 0.3;
/** Seconds after which a refused call may come again. */
const RETRY_S = 1;

/** A call over a commit. */
export interface PoolCall {
  readonly source: CommitSource;
  /** What is left when the call is made; absent: the work is short. */
  readonly time?: TimeLeft | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Calls of one share wait for each other; shares take turns. */
  readonly share?: string | undefined;
  /** A step of a longer call, which was admitted already: no length of the queue refuses it. */
  readonly isPatient?: boolean;
  /** The work, made when a thread is free; `time`: what is left then. */
  work(time: TimeLeft | undefined): ThreadWork;
}

/** A call that waits for a thread, or runs in one. */
interface PoolTask extends ThreadTask {
  readonly call: PoolCall;
  readonly since: number;
  thread: SearchThread | null;
}

/** A bounded pool of search threads. Close it when done. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #threads = new Set<SearchThread>();
  readonly #queue = new FairQueue<PoolTask>();
  /** Figures of cold windows of threads that have ended. */
  readonly #formerFigures = new Float64Array(COLD_FIGURES);
  #last = 0;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;
  /** When the timer fires, in milliseconds of `performance.now()`. */
  #looksAt = Number.POSITIVE_INFINITY;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /** Threads that have been started and not ended, and calls that wait. */
  get figures(): { readonly threads: number; readonly waiting: number } {
    return { threads: this.#threads.size, waiting: this.#queue.length };
  }

  /**
   * Runs a call and returns its answer. Throws what the work throws; interrupted when the signal
   * aborts; overloaded when too many calls wait; `CommitUnopened` when the commit's files are gone.
   */
  run(call: PoolCall): Promise<ThreadAnswer> {
    if (this.#closed) throw engineClosed();
    refuseAborted(call.signal);
    const free = this.#freeThread(call);
    if (free === null && call.isPatient !== true) this.#makeRoom(shareOf(call));
    const { promise, resolve, reject } = Promise.withResolvers<ThreadAnswer>();
    const task = this.#task(call, resolve, reject);
    if (free !== null && this.#queue.length === 0) this.#start(task, free);
    else {
      this.#queue.push(shareOf(call), task);
      this.#dispatch();
    }
    return promise;
  }

  /** Throws overloaded for a call of the share that fills the queue; else refuses a call of it. */
  #makeRoom(share: string): void {
    if (this.#queue.length < this.#queueLimit) return;
    const newest = this.#queue.newestOfLargest(share);
    if (newest === undefined) throw overloaded(this.#queueLimit);
    this.#queue.remove(shareOf(newest.call), newest);
    newest.failed(overloaded(this.#queueLimit));
  }

  /** Figures of cold windows, of each thread. */
  get coldFigures(): readonly Float64Array[] {
    return [this.#formerFigures, ...[...this.#threads].map((thread) => thread.coldFigures)];
  }

  /** Threads that could take a task, started or not. */
  get idle(): number {
    let busy = 0;
    for (const { free } of this.#threads) if (!free) busy++;
    return this.#options.threads - busy;
  }

  /** Closes a commit in all threads; no later call is about it. */
  release(commit: number): void {
    for (const thread of this.#threads) thread.close(commit);
  }

  /** Fails the calls that wait or run; their threads end at their next look at the clock. */
  stop(): void {
    for (const task of this.#queue.drain()) task.failed(engineClosed());
    for (const thread of this.#threads) {
      const { task } = thread;
      this.#cancel(thread);
      task?.failed(engineClosed());
    }
  }

  /** Ends all threads. Calls that wait or run throw closed. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.stop();
    await Promise.all([...this.#threads].map((thread) => thread.terminate()));
  }

  get #queueLimit(): number {
    return this.#options.queue ?? LIMITS.queuedCalls;
  }

  get #graceMs(): number {
    return this.#options.graceMs ?? GRACE_MS;
  }

  /** A call with its ends: the first one that is reached counts. */
  #task(
    call: PoolCall,
    resolve: (answer: ThreadAnswer) => void,
    reject: (error: unknown) => void,
  ): PoolTask {
    const { signal } = call;
    const abort = () => this.#abort(task);
    const task: PoolTask = {
      number: ++this.#last,
      source: call.source,
      call,
      since: performance.now(),
      thread: null,
      done(answer) {
        signal?.removeEventListener('abort', abort);
        resolve(answer);
      },
      failed(error) {
        signal?.removeEventListener('abort', abort);
        reject(error);
      },
    };
    signal?.addEventListener('abort', abort);
    return task;
  }

  #dispatch(): void {
    for (let { next } = this.#queue; next !== undefined; { next } = this.#queue) {
      const thread = this.#freeThread(next.call);
      if (thread === null) return;
      this.#queue.shift();
      this.#start(next, thread);
    }
  }

  /** A thread for a call: rather one that has its commit open; null: all are busy. */
  #freeThread({ source }: PoolCall): SearchThread | null {
    let idle: SearchThread | null = null;
    for (const thread of this.#threads) {
      if (!thread.free) continue;
      if (thread.has(source.id)) return thread;
      idle ??= thread;
    }
    return this.#threads.size < this.#options.threads ? this.#startThread() : idle;
  }

  #startThread(): SearchThread {
    const { threads, entry = SHARD_WORKER, heapBytes } = this.#options;
    const listener = {
      free: () => this.#dispatch(),
      ended: (ended: SearchThread) => {
        this.#threads.delete(ended);
        // the memory of an ended thread is free
        const figures = ended.coldFigures.subarray(0, -1);
        for (const [i, figure] of figures.entries()) this.#formerFigures[i] += figure;
        if (!this.#closed) this.#dispatch();
      },
    };
    const thread = new SearchThread(entry, threads, listener, heapBytes);
    this.#threads.add(thread);
    return thread;
  }

  #start(task: PoolTask, thread: SearchThread): void {
    const { call, since } = task;
    const now = performance.now();
    if (call.time?.limit === 'query' && now - since > call.time.millis * MOST_WAIT) {
      task.failed(waitedLong(now - since));
      return;
    }
    const left = call.time && { ...call.time, millis: call.time.millis - (now - since) };
    if (left !== undefined && left.millis < 0) {
      task.failed(lateError(left));
      return;
    }
    const until = now + (left?.millis ?? LIMITS.queryMillis) + this.#graceMs;
    task.thread = thread;
    thread.run(task, call.work(left), until);
    this.#watch(until);
  }

  /** Looks at the threads at this time, or earlier. */
  #watch(at: number): void {
    if (at >= this.#looksAt) return;
    clearTimeout(this.#timer);
    this.#looksAt = at;
    const look = () => this.#look();
    this.#timer = setTimeout(look, Math.max(0, Math.ceil(at - performance.now()))).unref();
  }

  /** Terminates the threads that hang. */
  #look(): void {
    this.#looksAt = Number.POSITIVE_INFINITY;
    const now = performance.now();
    for (const thread of this.#threads) {
      if (thread.until > now) this.#watch(thread.until);
      else {
        const { call } = thread.task as PoolTask;
        thread.task?.failed(lateError(call.time));
        void thread.terminate();
      }
    }
  }

  /** The call ends at once; its thread a little later. */
  #abort(task: PoolTask): void {
    this.#queue.remove(shareOf(task.call), task);
    if (task.thread?.task === task) this.#cancel(task.thread);
    task.failed(abortedBy(task.call.signal!));
  }

  #cancel(thread: SearchThread): void {
    const until = performance.now() + this.#graceMs;
    thread.cancel(until);
    this.#watch(until);
  }
}

const shareOf = ({ share = '' }: PoolCall): string => share;

function overloaded(waiting: number): LhsError {
  return new LhsError('overloaded', `${waiting} calls wait for a search thread already`, {
    hint: 'try again later, or open the engine with more threads',
    details: { waiting, retry_after_s: RETRY_S },
  });
}

/** The engine has more calls than it can answer: the query itself is not to blame. */
function waitedLong(millis: number): LhsError {
  const waited = (millis / 1000).toFixed(1);
  return new LhsError('overloaded', `the call waited for a search thread for ${waited} s`, {
    hint: 'try again later, or open the engine with more threads',
    details: { retry_after_s: RETRY_S },
  });
}

/** The error of a call whose time is over, as its own deadline throws it. */
function lateError(time: TimeLeft | undefined): Error {
  try {
    Deadline.limited({ millis: -1, limit: time?.limit ?? 'query' }).check();
  } catch (error) {
    return error as Error;
  }
  return new LhsError('internal', 'a time limit that is over does not throw');
}
