import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  type CallContext,
  type Job,
  type JobKind,
  type JobRequest,
  type JobRequests,
  type JobResults,
  LhsError,
  type ListJobsRequest,
  type ReindexRequest,
  type StartJobRequest,
} from '@lakehouse-search/contract';
import {
  BUILD_KINDS,
  checkJobRequest,
  checkListJobsRequest,
  checkStartJobRequest,
  checkWork,
  ENDED_JOB_STATES,
  isListed,
} from '@lakehouse-search/contract/internal';
import { endDeadJobs } from '../../open/dead-jobs.ts';
import { currentGeneration } from '../../open/index-folder.ts';
import { wasDropped } from '../../registry/changed-meanwhile.ts';
import type { FirstRecord, RegisteredJob } from '../../registry/jobs.ts';
import { refuseAborted, unlessAborted } from '../../source/source-errors.ts';
import { accessible, underNewDefinition } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { buildRunning } from '../writes/write-index.ts';
import { JobRun, toJob } from './job-run.ts';
import { JOB_WORKS, type JobWorkOf } from './job-works.ts';

const LISTED_JOBS = 100;
/** So often a job of another process is looked at while it is watched. */
const WATCH_MS = 250;
/** After so long without an answer from another host, a request to cancel ends the record. */
const CANCEL_MS = 60_000;

/** Who starts a job, who waits for it, and what it does. */
interface Started<K extends JobKind> {
  readonly caller: CallContext;
  readonly waiting: CallContext;
  /** Default: as all jobs of the kind. */
  readonly work?: JobWorkOf<K> | undefined;
}

/** The index that a job works on, or the name of one that it makes. */
interface JobSubject {
  readonly uuid: string;
  readonly name: string;
  readonly first: FirstRecord;
}

/**
 * The jobs of a data folder: those that this engine runs, and the records of all others. A job ends
 * with its process. Each index has one job at a time that replaces its generation.
 */
export class LocalJobs {
  readonly #indexes: LocalIndexes;
  /** By id. */
  readonly #running = new Map<string, Pick<JobRun, 'job' | 'changed' | 'cancel'>>();

  constructor(indexes: LocalIndexes) {
    this.#indexes = indexes;
  }

  /**
   * Starts a job that outlives the call. Throws index_busy, index_not_found, permission_denied, and
   * limit_exceeded for a reindex that needs more memory than there is.
   */
  async start(request: StartJobRequest, call: CallContext): Promise<Job> {
    const { kind, ...work } = checkStartJobRequest(request);
    const { principal } = call;
    const own = principal === undefined ? {} : { principal };
    const { job, ended } = await this.#begin(kind, work, { caller: call, waiting: own });
    ended.catch(() => {});
    return job;
  }

  /**
   * An operation as a job that is watched until it ends; aborting the call cancels it. `work`: what
   * it does, if not what jobs of its kind do. Throws what the operation throws, and index_busy if
   * two builds of an index meet.
   */
  async run<K extends JobKind>(
    kind: K,
    request: JobRequests[K] | undefined,
    call: CallContext,
    work?: JobWorkOf<K>,
  ): Promise<JobResults[K]> {
    const { ended } = await this.#begin(kind, checkWork(kind, request), {
      caller: call,
      waiting: call,
      work,
    });
    return ended;
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
    if (registered === undefined || !isListed(call, registered.index)) throw jobNotFound(job_id);
    return this.#shown(registered);
  }

  /** Of a job that this engine runs, what it has not written yet. */
  #shown(registered: RegisteredJob): Job {
    return this.#running.get(registered.id)?.job ?? toJob(registered);
  }

  #endDead(uuid?: string): void {
    endDeadJobs(this.#indexes, this.#indexes.clock.now(), uuid);
  }

  async #begin<K extends JobKind>(
    kind: K,
    request: JobRequests[K],
    { caller, waiting, work: own = JOB_WORKS[kind] as JobWorkOf<K> }: Started<K>,
  ) {
    const { life, memory } = this.#indexes;
    if (kind === 'reindex') {
      // a job that cannot fit has no record
      const { requireMemory } = await import('../../sync/build/build-resources.ts');
      requireMemory(request as ReindexRequest, memory.build);
    }
    const job = this.#register(kind, await this.#subject(kind, request, caller));
    const run = new JobRun<K>(job, this.#indexes);
    this.#running.set(job.id, run);
    const work = () =>
      run.run((running) => {
        const once = () => own(this.#indexes, request, running);
        return kind === 'alter' ? once() : underNewDefinition(once);
      }, life.stoppable(waiting));
    const ended = life.call(work).finally(() => this.#running.delete(job.id));
    return { job: toJob(job), ended };
  }

  async #subject(
    kind: JobKind,
    request: JobRequests[JobKind],
    call: CallContext,
  ): Promise<JobSubject> {
    if (kind === 'restore') {
      const { restoredName } = await import('../writes/backups.ts');
      const makes = await restoredName(this.#indexes, request, call);
      return { uuid: randomUUID(), name: makes, first: { makes } };
    }
    const known = accessible(this.#indexes, request.index, call);
    const { uuid, name } = known.registered;
    const as_of = 'as_of' in request ? request.as_of : undefined;
    if (BUILD_KINDS.has(kind)) return { uuid, name, first: { as_of } };
    return { uuid, name, first: { generation: liveNumber(known.folder) } };
  }

  /** A new record. Throws index_busy, index_not_found. */
  #register(kind: JobKind, { uuid, name, first }: JobSubject): RegisteredJob {
    const { registry, clock } = this.#indexes;
    for (;;) {
      this.#endDead(uuid);
      const job = registry.jobs.start(uuid, kind, clock.now(), first);
      if (job !== null) return job;
      if (!registry.has(uuid)) throw wasDropped(name);
      const other = registry.jobs.build(uuid);
      if (other !== undefined) throw buildRunning(kind, name, other);
    }
  }
}

/** The number of the live generation; undefined if there is none that can be found. */
function liveNumber(folder: string): number | undefined {
  try {
    return currentGeneration(folder)?.number;
  } catch (error) {
    if (error instanceof LhsError) return undefined;
    throw error;
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
