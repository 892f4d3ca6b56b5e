import { randomUUID } from 'node:crypto';
import {
  type CallContext,
  checkJobRequest,
  checkListJobsRequest,
  checkReindexRequest,
  checkStartJobRequest,
  ENDED_JOB_STATES,
  type Job,
  type JobRequest,
  LhsError,
  type ListJobsRequest,
  type ReindexRequest,
  type ReindexResponse,
  type StartJobRequest,
} from '@lakehouse-search/contract';
import { LIMITS } from '../base/limits.ts';
import { unlessAborted } from '../source/source-errors.ts';
import { accessible, isListed, requireListed } from './caller.ts';
import { buildIndex } from './ingest.ts';
import { JobRun } from './job-run.ts';
import { type JobStore, MemoryJobs } from './job-store.ts';
import type { LocalIndexes } from './local-indexes.ts';
import { alreadyWritten } from './write-index.ts';

const LISTED_JOBS = 100;

/**
 * The jobs of the embedded engine. A job runs in the process that started it, and ends with it.
 * Each index has one reindex at a time.
 */
export class LocalJobs {
  readonly #indexes: LocalIndexes;
  readonly #store: JobStore = new MemoryJobs(LIMITS.endedJobs);
  /** By id. */
  readonly #running = new Map<string, JobRun>();

  constructor(indexes: LocalIndexes) {
    this.#indexes = indexes;
  }

  /** Starts a job that outlives the call. Throws index_busy, index_not_found, permission_denied. */
  async start(request: StartJobRequest, call: CallContext): Promise<Job> {
    const { kind: _, ...reindex } = checkStartJobRequest(request);
    const { run, ended } = this.#reindex(reindex, call, {});
    ended.catch(() => {});
    return run.job;
  }

  /**
   * A reindex that is watched until it ends; aborting the call cancels it. Throws what it threw.
   */
  async reindex(request: ReindexRequest, call: CallContext): Promise<ReindexResponse> {
    return this.#reindex(checkReindexRequest(request), call, call).ended;
  }

  /** The newest record of a job. Throws not_found, permission_denied. */
  get(request: JobRequest, call: CallContext): Job {
    const { job_id } = checkJobRequest(request);
    const job = this.#store.get(job_id);
    if (job === undefined) throw jobNotFound(job_id);
    requireListed(call, job.index);
    return job;
  }

  /** Jobs of the caller's indexes, newest first. */
  list(request: ListJobsRequest | undefined, call: CallContext): readonly Job[] {
    const { index, state, limit = LISTED_JOBS } = checkListJobsRequest(request);
    const name =
      index === undefined ? undefined : accessible(this.#indexes, index, call).registered.name;
    const fits = (job: Job) =>
      isListed(call, job.index) &&
      (name === undefined || job.index === name) &&
      (state === undefined || job.state === state);
    return this.#store.list().filter(fits).slice(0, limit);
  }

  /** Requests the cancellation of a job; one that has ended stays as it is. Throws as `get`. */
  cancel(request: JobRequest, call: CallContext): Job {
    const job = this.get(request, call);
    this.#running.get(job.job_id)?.cancel();
    return job;
  }

  /** The job now and after changes, until it has ended. Throws as `get`, and interrupted. */
  async *watch(request: JobRequest, call: CallContext): AsyncGenerator<Job> {
    const first = this.get(request, call);
    const run = this.#running.get(first.job_id);
    if (run === undefined) {
      yield first;
      return;
    }
    for (;;) {
      const { job, changed } = run;
      yield job;
      if (ENDED_JOB_STATES.has(job.state)) return;
      if (run.job === job) await unlessAborted(() => changed, call.signal);
    }
  }

  #reindex(request: ReindexRequest, caller: CallContext, waiting: CallContext) {
    const { registered } = accessible(this.#indexes, request.index, caller);
    const { name } = registered;
    const same = [...this.#running.values()].some(({ job }) => job.index === name);
    if (same) throw alreadyWritten('reindex', name);
    const { life, clock } = this.#indexes;
    const created_at = new Date(clock.now()).toISOString();
    const job: Job = {
      job_id: randomUUID(),
      kind: 'reindex',
      index: name,
      state: 'pending',
      created_at,
      shards: [],
    };
    const run = new JobRun(Object.freeze(job), this.#store, clock);
    this.#running.set(job.job_id, run);
    const { signal, progress } = waiting;
    const ended = run
      .run(
        (work) =>
          life.call(() => buildIndex(this.#indexes, name, request.as_of, life.stoppable(work))),
        { signal, progress },
      )
      .finally(() => this.#running.delete(job.job_id));
    return { run, ended };
  }
}

function jobNotFound(jobId: string): LhsError {
  return new LhsError('not_found', `there is no job "${jobId}"`, {
    hint: 'this process did not start it, or it ended long ago',
  });
}
