import { Worker } from 'node:worker_threads';
import { LhsError } from '@lakehouse-search/contract';
import { answerFromPlain, errorFromPlain } from '../shard/bytes.ts';
import type { ShardOperation } from '../shard/shard.ts';
import {
  type CommitSource,
  type FromThread,
  fromBytes,
  type ThreadSettings,
  type ToThread,
  toBytes,
} from './messages.ts';

/** Heap of a thread, MiB. The index and what queries compute lie outside of it. */
const HEAP_MB = 1024;

/** One operation of a shard, on its way to a thread and back. */
export interface ThreadTask {
  /** Above 0, and above those of earlier tasks. */
  readonly number: number;
  readonly source: CommitSource;
  readonly shard: number;
  readonly operation: ShardOperation;
  readonly request: unknown;
  /** Milliseconds after which the thread is taken to hang. */
  readonly limitMs: number;
  /** The error of a task that is over its limit. */
  readonly late: () => Error;
  readonly done: (answer: unknown) => void;
  readonly failed: (error: unknown) => void;
}

/** What a thread reports to its pool. */
export interface ThreadListener {
  /** It has no task any more. */
  readonly free: (thread: SearchThread) => void;
  /** It has ended and takes no more tasks. */
  readonly ended: (thread: SearchThread) => void;
}

/** The files of a commit could not be opened in the thread. */
export class CommitUnopened extends Error {}

/**
 * A thread that runs operations of shards, one at a time, on files that it maps itself. It keeps
 * the process alive only while it has a task. One that does not answer in time is terminated.
 */
export class SearchThread {
  readonly #worker: Worker;
  readonly #listener: ThreadListener;
  readonly #canceled = new Int32Array(new SharedArrayBuffer(4));
  readonly #opened = new Set<number>();
  #task: ThreadTask | null = null;
  #timer: NodeJS.Timeout | undefined;
  #cause: unknown;

  constructor(entry: URL, threads: number, listener: ThreadListener) {
    this.#listener = listener;
    this.#worker = new Worker(entry, {
      workerData: { threads, canceled: this.#canceled } satisfies ThreadSettings,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      name: 'search thread',
    });
    this.#worker.unref();
    this.#worker.on('message', (message: FromThread) => this.#answered(message));
    this.#worker.on('error', (error) => {
      this.#cause = error;
    });
    this.#worker.on('exit', () => this.#ended());
  }

  get idle(): boolean {
    return this.#task === null;
  }

  /** Whether it has been told to open a commit. */
  has(commit: number): boolean {
    return this.#opened.has(commit);
  }

  /** Runs a task; the thread is idle before. */
  run(task: ThreadTask): void {
    this.#task = task;
    this.#worker.ref();
    const { number, source, shard, operation } = task;
    if (!this.#opened.has(source.id)) {
      this.#opened.add(source.id);
      this.#post({ kind: 'open', source });
    }
    const request = toBytes(task.request);
    this.#post({ kind: 'call', task: number, commit: source.id, shard, operation, request });
    this.#limit(task.limitMs);
  }

  /** Ends a task at the next look of the thread at its clock, at the latest after `graceMs`. */
  cancel(number: number, graceMs: number): void {
    if (this.#task?.number !== number) return;
    Atomics.store(this.#canceled, 0, number);
    this.#limit(graceMs);
  }

  /** Closes a commit; no later task is about it. */
  close(commit: number): void {
    if (this.#opened.delete(commit)) this.#post({ kind: 'close', commit });
  }

  /** Ends the thread, whatever it does. */
  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #post(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #limit(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#task?.failed(this.#task.late());
      void this.terminate();
    }, ms);
    this.#timer.unref();
  }

  #answered(message: FromThread): void {
    const task = this.#task;
    if (task === null || task.number !== message.task) return;
    this.#idle();
    if (message.kind === 'done') {
      task.done(answerFromPlain(task.operation, fromBytes(message.answer)));
    } else if (message.kind === 'failed') task.failed(errorFromPlain(message.error));
    else {
      this.#opened.delete(task.source.id);
      task.failed(new CommitUnopened());
    }
    this.#listener.free(this);
  }

  #ended(): void {
    const task = this.#task;
    this.#idle();
    const why = this.#cause instanceof Error ? `: ${this.#cause.message}` : '';
    const cause = this.#cause;
    task?.failed(new LhsError('internal', `a search thread has ended${why}`, { cause }));
    this.#listener.ended(this);
  }

  #idle(): void {
    clearTimeout(this.#timer);
    this.#task = null;
    this.#worker.unref();
  }
}
