import { hostname } from 'node:os';
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
import type { LocatedDefinition } from '../alter/plan-alter.ts';
import { endDeadJobs } from '../open/dead-jobs.ts';
import type { KnownIndex } from '../open/open-index.ts';
import type { FirstRecord, Redefinition, RegisteredJob } from '../registry/jobs.ts';
import { type RegisteredIndex, wasDropped } from '../registry/registry.ts';
import { storedDefinition } from '../schema/parsed-definition.ts';
import { refuseAborted, unlessAborted } from '../source/source-errors.ts';
import type { BuildJob } from '../sync/cut-over.ts';
import { alterFields } from './alter-fields.ts';
import { buildIndex } from './build-index.ts';
import { accessible, isListed, requireListed } from './caller.ts';
import { JobRun, toJob } from './job-run.ts';
import type { LocalIndexes } from './local-indexes.ts';
import { buildRunning } from './write-index.ts';

const LISTED_JOBS = 100;
/** So often a job of another process is looked at while it is watched. */
const WATCH_MS = 250;
/** After so long without an answer from another host, a request to cancel ends the record. */
const CANCEL_MS = 60_000;

/**
 * The jobs of a data folder: those that this engine runs, and the records of all others. A job ends
 * with its process. Each index has one reindex at a time.
 */
export class LocalJobs {
  readonly #indexes: LocalIndexes;
  /** By id. */
  readonly #running = new Map<string, JobRun>();

  constructor(indexes: LocalIndexes) {
    this.#indexes = indexes;
  }

  /** Starts a job that outlives the call. Throws index_busy, index_not_found, permission_denied. */
  async start(request: StartJobRequest, call: CallContext): Promise<Job> {
    const { kind: _, ...reindex } = checkStartJobRequest(request);
    const known = accessible(this.#indexes, reindex.index, call);
    const { job, ended } = this.#reindex(known, reindex, {});
    ended.catch(() => {});
    return job;
  }

  /**
   * A reindex that is watched until it ends; aborting the call cancels it. Throws what it threw.
   */
  async reindex(request: ReindexRequest, call: CallContext): Promise<ReindexResponse> {
    const checked = checkReindexRequest(request);
    return this.#reindex(accessible(this.#indexes, checked.index, call), checked, call).ended;
  }

  #reindex(known: KnownIndex, request: ReindexRequest, call: CallContext) {
    const work = (job: BuildJob) => buildIndex(this.#indexes, known, request, job);
    return this.#build(known, work, call, { as_of: request.as_of });
  }

  /**
   * A build under a new definition, which is in force when its generation is live. `by`: field by
   * field, from the table if it has the rows of the live generation (`reindex`) or not
   * (`other rows`). Throws what the build threw, index_busy if the index was altered meanwhile.
   */
  alter(
    known: KnownIndex,
    { definition, baseDir }: LocatedDefinition,
    by: 'field' | 'reindex' | 'other rows',
    call: CallContext,
  ): Promise<ReindexResponse> {
    const { registered } = known;
    const to = storedDefinition(definition, baseDir);
    const fields = by === 'field' ? { by } : {};
    const redefines: Redefinition = { from: registered.version, to, ...fields };
    const next = { ...registered, ...to, name: registered.name, version: registered.version + 1 };
    const built = { ...known, registered: next, definition, definitionOf: () => definition };
    const now = { definition: known.definition, baseDir: registered.baseDir };
    const followLive = by === 'reindex';
    const work = (job: BuildJob) =>
      by === 'field'
        ? alterFields(this.#indexes, built, now, redefines, job)
        : buildIndex(this.#indexes, built, { followLive }, job);
    return this.#build(built, work, call, { redefines }).ended;
  }

  /** The newest record of a job. Throws not_found, permission_denied. */
  get(request: JobRequest, call: CallContext): Job {
    const { job_id } = checkJobRequest(request);
    return this.#newest(job_id, call);
  }

  /** Jobs of the caller's indexes, newest first. */
  list(request: ListJobsRequest | undefined, call: CallContext): readonly Job[] {
    const { index, state, limit = LISTED_JOBS } = checkListJobsRequest(request);
    const name =
      index === undefined ? undefined : accessible(this.#indexes, index, call).registered.name;
    this.#endDead();
    const fits = (job: Job) =>
      isListed(call, job.index) &&
      (name === undefined || job.index === name) &&
      (state === undefined || job.state === state);
    const all = this.#indexes.registry.jobs.list().map((job) => this.#shown(job));
    return all.filter(fits).slice(0, limit);
  }

  /**
   * Requests the cancellation of a job; one that has ended stays as it is. A job of another host
   * that has not answered an earlier request for a minute ends at once. Throws as `get`.
   */
  cancel(request: JobRequest, call: CallContext): Job {
    const { job_id } = this.get(request, call);
    const { registry, clock } = this.#indexes;
    const { jobs } = registry;
    const former = jobs.get(job_id);
    jobs.requestCancel(job_id, clock.now());
    this.#running.get(job_id)?.cancel();
    if (former !== undefined && isSilent(former, clock.now())) {
      jobs.apply(job_id, 'canceled', clock.now());
    }
    return this.#newest(job_id, call);
  }

  /** The job now and after changes, until it has ended. Throws as `get`, and interrupted. */
  async *watch(request: JobRequest, call: CallContext): AsyncGenerator<Job> {
    const { job_id } = this.get(request, call);
    let last: string | undefined;
    for (;;) {
      const run = this.#running.get(job_id);
      const changed = run?.changed;
      const job = this.#newest(job_id, call);
      const text = JSON.stringify(job);
      if (text !== last) yield job;
      last = text;
      if (ENDED_JOB_STATES.has(job.state)) return;
      const pause = () => changed ?? this.#indexes.clock.sleep(WATCH_MS, call.signal);
      await unlessAborted(pause, call.signal);
      refuseAborted(call.signal);
    }
  }

  #newest(job_id: string, call: CallContext): Job {
    this.#endDead();
    const registered = this.#indexes.registry.jobs.get(job_id);
    if (registered === undefined) throw jobNotFound(job_id);
    requireListed(call, registered.index);
    return this.#shown(registered);
  }

  /** Of a job that this engine runs, what it has not written yet. */
  #shown(registered: RegisteredJob): Job {
    return this.#running.get(registered.id)?.job ?? toJob(registered);
  }

  #endDead(uuid?: string): void {
    endDeadJobs(this.#indexes, this.#indexes.clock.now(), uuid);
  }

  #build(
    known: KnownIndex,
    build: (job: BuildJob) => Promise<ReindexResponse>,
    waiting: CallContext,
    first: FirstRecord,
  ) {
    const { life } = this.#indexes;
    const job = this.#begin(known.registered, first);
    const run = new JobRun(job, this.#indexes);
    this.#running.set(job.id, run);
    const { signal, progress } = waiting;
    const work = () => run.run(build, life.stoppable({ signal, progress }));
    const ended = life.call(work).finally(() => this.#running.delete(job.id));
    return { job: toJob(job), ended };
  }

  /** A new record. Throws index_busy, index_not_found. */
  #begin({ uuid, name }: RegisteredIndex, first: FirstRecord): RegisteredJob {
    const { registry, clock } = this.#indexes;
    for (;;) {
      this.#endDead(uuid);
      const job = registry.jobs.start(uuid, 'reindex', clock.now(), first);
      if (job !== null) return job;
      if (!registry.has(uuid)) throw wasDropped(name);
      const [other] = registry.jobs.running(uuid);
      if (other !== undefined) throw buildRunning('reindex', name, other);
    }
  }
}

/** A job of another host that does not answer. */
function isSilent({ owner, cancelMs }: RegisteredJob, now: number): boolean {
  const elsewhere = owner !== null && owner.host !== hostname();
  return elsewhere && cancelMs !== null && now - cancelMs >= CANCEL_MS;
}

function jobNotFound(jobId: string): LhsError {
  return new LhsError('not_found', `there is no job "${jobId}"`, {
    hint: 'its index was dropped, or the job ended long ago',
    next: [{ step: 'list_jobs' }],
  });
}
