import { Worker } from 'node:worker_threads';
import { LhsError } from '@lakehouse-search/contract';
import { errorFromPlain } from '../shard/bytes.ts';
import { COLD_FIGURES, coldBytesLimit } from '../storage/cold-cache.ts';
import type {
  CommitSource,
  FromThread,
  ThreadAnswer,
  ThreadSettings,
  ThreadWork,
  ToThread,
} from './messages.ts';

/** Heap of a thread, MiB. The index and what queries compute lie outside of it. */
const HEAP_BYTES = 2 ** 30;
const MIB = 2 ** 20;

/** Work on its way to a thread and back. */
export interface ThreadTask {
  /** Differs from those of earlier tasks. */
  readonly number: number;
  readonly source: CommitSource;
  done(answer: ThreadAnswer): void;
  failed(error: unknown): void;
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
 * A thread that does one task at a time on files that it maps itself. It keeps the process alive
 * only while it has tasks.
 */
export class SearchThread {
  readonly #worker: Worker;
  readonly #listener: ThreadListener;
  readonly #canceled = new Int32Array(new SharedArrayBuffer(4));
  /** The thread's figures of cold windows. */
  readonly coldFigures = new Float64Array(new SharedArrayBuffer(8 * COLD_FIGURES));
  readonly #opened = new Set<number>();
  #task: ThreadTask | null = null;
  /** It keeps the process alive: until it is idle at the end of a turn of the event loop. */
  #held = false;
  #releasing = false;
  #ending = false;
  #cause: unknown;
  /** When its task is taken to hang, in milliseconds of `performance.now()`. */
  until = Number.POSITIVE_INFINITY;

  constructor(entry: URL, threads: number, listener: ThreadListener, heapBytes = HEAP_BYTES) {
    this.#listener = listener;
    this.#worker = new Worker(entry, {
      workerData: {
        ...{ threads, canceled: this.#canceled, coldFigures: this.coldFigures },
        coldBytes: Math.floor(coldBytesLimit() / threads),
      } satisfies ThreadSettings,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: Math.floor(heapBytes / MIB) },
      name: 'search thread',
    });
    this.#worker.unref();
    this.#worker.on('message', (message: FromThread) => this.#answered(message));
    this.#worker.on('error', (error) => {
      this.#ending = true;
      this.#cause = error;
    });
    this.#worker.on('exit', () => this.#ended());
  }

  get task(): ThreadTask | null {
    return this.#task;
  }

  /** Whether it takes a task now: it has none, and does not end. */
  get free(): boolean {
    return this.#task === null && !this.#ending;
  }

  /** Whether it was told to open a commit. */
  has(commit: number): boolean {
    return this.#opened.has(commit);
  }

  /** Runs a task; the thread is free before. */
  run(task: ThreadTask, work: ThreadWork, until: number): void {
    const { number, source } = task;
    this.#task = task;
    this.until = until;
    Atomics.store(this.#canceled, 0, 0);
    this.#hold();
    if (!this.#opened.has(source.id)) {
      this.#opened.add(source.id);
      this.#post({ kind: 'open', source });
    }
    this.#post({ kind: 'call', task: number, commit: source.id, work });
  }

  /** Ends its task at the next look of the thread at its clock, at the latest at `until`. */
  cancel(until: number): void {
    if (this.#task === null) return;
    this.until = until;
    Atomics.store(this.#canceled, 0, 1);
  }

  /** Closes a commit; no later task is about it. */
  close(commit: number): void {
    if (this.#opened.delete(commit)) this.#post({ kind: 'close', commit });
  }

  /** Ends the thread, whatever it does. An answer that it still sends is dropped. */
  async terminate(): Promise<void> {
    this.#ending = true;
    await this.#worker.terminate();
  }

  #post(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #answered(message: FromThread): void {
    const task = this.#task;
    if (this.#ending || task === null || task.number !== message.task) return;
    this.#idle();
    if (message.kind === 'done') task.done(message.answer);
    else if (message.kind === 'failed') task.failed(errorFromPlain(message.error));
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
    this.#task = null;
    this.until = Number.POSITIVE_INFINITY;
    if (this.#releasing) return;
    this.#releasing = true;
    setImmediate(() => {
      this.#releasing = false;
      if (this.#task !== null || this.#ending) return;
      this.#held = false;
      this.#worker.unref();
    });
  }

  #hold(): void {
    if (this.#held) return;
    this.#held = true;
    this.#worker.ref();
  }
}
