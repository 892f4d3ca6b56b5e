import {
  type CallContext,
  errorBody,
  type Job,
  LhsError,
  type Progress,
  type ReindexResponse,
} from '@lakehouse-search/contract';
import type { Clock } from '../base/clock.ts';
import type { JobStore } from './job-store.ts';

/** What the work of a job receives: a call, and a function to report the generation it builds. */
export interface JobCall extends CallContext {
  readonly building: (generation: number) => void;
}

/** A job that runs: it writes a new record after every change. */
export class JobRun {
  readonly #store: JobStore;
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  #job: Job;
  #changed = Promise.withResolvers<void>();

  constructor(job: Job, store: JobStore, clock: Clock) {
    this.#job = job;
    this.#store = store;
    this.#clock = clock;
    store.put(job);
  }

  /** The newest record. */
  get job(): Job {
    return this.#job;
  }

  /** Ends with the next change of the record. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  /** Requests the work to stop. The job is canceled when it has stopped. */
  cancel(): void {
    this.#stop.abort();
  }

  /**
   * Does the work. `call` belongs to a caller who waits: its signal cancels the job, and its
   * progress is reported. Throws what the work throws.
   */
  async run(
    work: (call: JobCall) => Promise<ReindexResponse>,
    call: CallContext,
  ): Promise<ReindexResponse> {
    const own = this.#stop.signal;
    const signal = call.signal === undefined ? own : AbortSignal.any([own, call.signal]);
    const progress = (progress: Progress) => {
      this.#advance(progress);
      call.progress?.(progress);
    };
    const building = (generation: number) => {
      const shards = [{ shard: 0, docs_done: 0, docs_total: 0, generation }];
      this.#change({ state: 'building', shards });
    };
    try {
      const result = await work({ ...call, signal, progress, building });
      this.#end({ state: 'done', result });
      return result;
    } catch (error) {
      const canceled = signal.aborted && error instanceof LhsError && error.code === 'interrupted';
      this.#end(canceled ? { state: 'canceled' } : { state: 'failed', error: wireError(error) });
      throw error;
    }
  }

  #advance({ phase, docs_done, docs_total, shards }: Progress): void {
    const [first, ...others] = this.#job.shards;
    if (first === undefined) return;
    const state = phase === 'committing' ? 'cutting_over' : this.#job.state;
    this.#change({ state, shards: shards ?? [{ ...first, docs_done, docs_total }, ...others] });
  }

  #end(end: Pick<Job, 'state' | 'result' | 'error'>): void {
    this.#change({ ...end, ended_at: new Date(this.#clock.now()).toISOString() });
  }

  #change(changes: Partial<Job>): void {
    this.#job = Object.freeze({ ...this.#job, ...changes });
    this.#store.put(this.#job);
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }
}

function wireError(error: unknown): Job['error'] {
  const message = error instanceof Error ? error.message : String(error);
  const known = error instanceof LhsError ? error : new LhsError('internal', message);
  const { code, message: text, details } = errorBody(known).error;
  return { code, message: text, details };
}
