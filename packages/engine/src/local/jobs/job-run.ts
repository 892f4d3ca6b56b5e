import {
  type CallContext,
  errorBody,
  type Job,
  type JobKind,
  type JobResults,
  LhsError,
  type Progress,
  type ReindexResponse,
} from '@lakehouse-search/contract';
import type { JobEvent } from '@lakehouse-search/contract/internal';
import type { Clock } from '../../base/time/clock.ts';
import { finishCutover, isInForce } from '../../open/dead-jobs.ts';
import {
  currentGeneration,
  discardGeneration,
  type Generation,
  generationAt,
  generationBytes,
  generationNumbers,
  stageGeneration,
} from '../../open/index-folder.ts';
import type { OpenDirectory } from '../../open/open-index.ts';
import { wasDropped } from '../../registry/changed-meanwhile.ts';
import type { JobRecord, RegisteredJob } from '../../registry/jobs.ts';
import type { Registry } from '../../registry/registry.ts';
import { type BuildJob, liveCommit } from '../../sync/build/cut-over.ts';

/** The record is written at most this often while the work goes on. */
const WRITE_MS = 1000;
/** A write waits for the disk, 50 ms on some: writes take at most one in so many parts of the time. */
const WRITE_PART = 100;
/** The record is written at least this often, however long a write takes. */
const LATE_MS = 10_000;
/** Interval at which the registry is checked for a request to stop the job. */
const POLL_MS = 250;
/** An estimate needs this much time in a phase. */
const ESTIMATE_MS = 1000;

/** What a job runs on. */
interface JobHost {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly openDirectory: OpenDirectory;
}

/** The work of a job of a kind. */
export type JobWork<K extends JobKind> = (job: RunningJob<K>) => Promise<JobResults[K]>;

/** A job from the inside: what its work can do besides reporting. */
export interface RunningJob<K extends JobKind = JobKind> extends BuildJob {
  /** The build puts this definition in force with its generation. */
  readonly redefines: (redefines: JobRecord['redefines']) => void;
  /** Makes the job's result of a build's response. Default: the response. */
  readonly answers: (answer: (built: ReindexResponse) => JobResults[K]) => void;
  /** The job makes a generation live, or a commit in it, that exists and stays if the job fails. */
  readonly take: (folder: string, generation: Generation) => void;
}

/**
 * A job that this engine runs. Each transition is written to the registry at once, progress at most
 * once per second.
 */
export class JobRun<K extends JobKind = JobKind> {
  readonly #host: JobHost;
  readonly #stop = new AbortController();
  readonly #registered: RegisteredJob;
  #state: RegisteredJob;
  #job: Job;
  #changed = Promise.withResolvers<void>();
  #staged: { readonly folder: string; readonly generation: Generation } | null = null;
  #answer: (built: ReindexResponse) => JobResults[JobKind] = (built) => built;
  /** When the record may be written again. */
  #writeAt = Number.NEGATIVE_INFINITY;
  #phase = { name: '', since: 0, from: 0 };

  constructor(registered: RegisteredJob, host: JobHost) {
    this.#host = host;
    this.#registered = registered;
    this.#state = registered;
    this.#job = toJob(registered);
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
    this.#show({ ...this.#state, cancelMs: this.#now() });
    this.#stop.abort();
  }

  /**
   * Does the work. `call` belongs to a caller who waits: its signal cancels the job, and its
   * progress is reported. Throws what the work throws.
   */
  async run(work: JobWork<K>, call: CallContext): Promise<JobResults[K]> {
    const own = this.#stop.signal;
    const signal = call.signal === undefined ? own : AbortSignal.any([own, call.signal]);
    const progress = (progress: Progress) => {
      this.#advance(progress);
      call.progress?.(progress);
    };
    const timer = setInterval(() => this.#poll(), POLL_MS);
    timer.unref();
    try {
      this.#apply('build_started');
      const result = await work({ ...call, ...this.#steps(signal), signal, progress });
      this.#complete(result);
      return result;
    } catch (error) {
      const canceled = signal.aborted && error instanceof LhsError && error.code === 'interrupted';
      this.#end(canceled ? 'canceled' : 'build_failed', canceled ? {} : { error: wire(error) });
      throw error;
    } finally {
      clearInterval(timer);
      this.#host.registry.jobs.abandon(this.#registered.id);
    }
  }

  /** Ends a job that had no cutover. Its work is done: a request to cancel it comes too late. */
  #complete(result: JobResults[K]): void {
    if (this.#state.endedMs !== null) return;
    this.#write(this.#state.record);
    const after = this.#host.registry.jobs.complete(this.#registered.id, this.#now(), result);
    if (after !== undefined) this.#show(after);
  }

  #steps(signal: AbortSignal): Omit<RunningJob<K>, keyof CallContext> {
    return {
      redefines: (redefines) => this.#write({ ...this.#state.record, redefines }),
      answers: (answer) => {
        this.#answer = answer;
      },
      stage: (folder) => this.#stage(folder),
      adopt: (folder, left) => this.#adopt(folder, left),
      take: (folder, generation) => {
        this.#staged = { folder, generation };
      },
      fence: () => this.#requireRunning(),
      beginCutover: () => this.#beginCutover(),
      promote: (built, promote) => {
        const result = this.#answer(built);
        this.#write({ ...this.#state.record, result });
        const { jobs } = this.#host.registry;
        const { id } = this.#registered;
        const number = this.#staged?.generation.number ?? 0;
        const after = jobs.apply(id, 'cutover_finished', this.#now(), { result }, (job) => {
          if (job.cancelMs !== null) this.#stop.abort();
          if (signal.aborted) throw interrupted();
          promote();
          finishCutover(this.#host.registry, job, number, this.#now());
        });
        if (after?.state !== 'done') throw this.#ended(after);
        this.#show(after);
      },
    };
  }

  /** Says which generation takes the place of which: a crash is cleared up by that. */
  #beginCutover(): void {
    if (this.#staged !== null) {
      const { folder, generation } = this.#staged;
      const { openDirectory } = this.#host;
      const readable = liveCommit({ folder, openDirectory }) !== null;
      const from = readable ? (currentGeneration(folder)?.number ?? null) : null;
      this.#show(this.#with({ cutover: { from, to: generation.number } }));
    }
    this.#apply('build_finished');
  }

  #with(changes: Partial<JobRecord>): RegisteredJob {
    return { ...this.#state, record: { ...this.#state.record, ...changes } };
  }

  /** Names the generation first, so that its folder is never without a name. */
  #stage(folder: string): Generation {
    const { generations } = this.#host.registry;
    const { id, uuid } = this.#registered;
    const number = generations.stage(uuid, id, generationNumbers(folder), this.#now());
    this.#staged = { folder, generation: generationAt(folder, number) };
    const shards = [{ shard: 0, docs_done: 0, docs_total: 0, generation: number }];
    this.#report({ shards }, true);
    return stageGeneration(folder, number);
  }

  #adopt(folder: string, left: Generation): void {
    const { generations } = this.#host.registry;
    const { id, uuid } = this.#registered;
    if (!generations.adopt(uuid, left.number, id, this.#now())) throw nothingToResume(left.path);
    this.#staged = { folder, generation: left };
    const shards = [{ shard: 0, docs_done: 0, docs_total: 0, generation: left.number }];
    this.#report({ shards }, true);
  }

  /** Removes what was staged, unless it is live or another job's by now; ends the record. */
  #end(event: JobEvent, changes: Partial<JobRecord>): void {
    try {
      const after = this.#isLive() ? this.#finish() : this.#failed(event, changes);
      this.#show(after ?? { ...this.#state, state: 'canceled', endedMs: this.#now() });
    } catch (error) {
      // The next look at the jobs ends the record: this engine does not run the job any more.
      if (!(error instanceof LhsError)) throw error;
    }
  }

  #failed(event: JobEvent, changes: Partial<JobRecord>): RegisteredJob | undefined {
    const removed = this.#discard();
    const { jobs, generations } = this.#host.registry;
    const { id, uuid } = this.#registered;
    return jobs.apply(id, event, this.#now(), changes, () => {
      if (removed !== null) generations.forget(uuid, removed);
    });
  }

  /** True if the work is in force although the cutover has failed. */
  #isLive(): boolean {
    if (this.#staged === null) return false;
    const { folder, generation } = this.#staged;
    return isInForce(this.#host, folder, this.#state, generation.number);
  }

  /** Ends the job as it would have ended: its definition goes with its generation. */
  #finish(): RegisteredJob | undefined {
    const { registry } = this.#host;
    const { id } = this.#registered;
    const number = this.#staged?.generation.number ?? 0;
    return registry.jobs.apply(id, 'cutover_finished', this.#now(), {}, (job) =>
      finishCutover(registry, job, number, this.#now()),
    );
  }

  #discard(): number | null {
    if (this.#staged === null) return null;
    const { folder, generation } = this.#staged;
    const { id, uuid } = this.#registered;
    const named = this.#host.registry.generations.named(uuid, this.#now());
    const own = named.some(({ number, jobId }) => number === generation.number && jobId === id);
    if (!own) return null;
    discardGeneration(folder, generation);
    return generationBytes(generation) === 0 ? generation.number : null;
  }

  #requireRunning(): void {
    const job = this.#host.registry.jobs.get(this.#registered.id);
    if (job !== undefined && job.endedMs === null) return;
    this.#stop.abort();
    throw this.#ended(job);
  }

  /** Why a job ended whose record somebody has ended, or removed with its index. */
  #ended(job: RegisteredJob | undefined): LhsError {
    return job === undefined ? wasDropped(this.#registered.index) : interrupted();
  }

  #advance({ phase, docs_done, docs_total, shards, snapshot, ...more }: Progress): void {
    const former = this.#state.record.shards;
    const [first] = former;
    if (first === undefined) return;
    const { bytes_done, bytes_total, windows } = more;
    const copies = bytes_done !== undefined && bytes_total !== undefined;
    const eta_ms = copies
      ? this.#estimate(phase, bytes_done, bytes_total)
      : this.#estimate(phase, docs_done, docs_total);
    const documents = {
      shards: shards ?? (former.length > 1 ? former : [{ ...first, docs_done, docs_total }]),
      ...(windows === undefined ? {} : { windows }),
    };
    const changes = copies ? { bytes_done, bytes_total } : documents;
    this.#report({ ...changes, phase, eta_ms, ...(snapshot === undefined ? {} : { snapshot }) });
  }

  #estimate(phase: string, done: number, total: number): number | undefined {
    const now = this.#host.clock.ticks();
    if (phase !== this.#phase.name) this.#phase = { name: phase, since: now, from: done };
    const { since, from } = this.#phase;
    if (now - since < ESTIMATE_MS || done <= from) return undefined;
    return Math.round(((now - since) * Math.max(0, total - done)) / (done - from));
  }

  /** Changes the record here; in the registry too if it is time, or `now`. */
  #report(changes: Partial<JobRecord>, now = false): void {
    const record = { ...this.#state.record, ...changes };
    if (now || this.#host.clock.ticks() >= this.#writeAt) {
      const bytes = this.#staged === null ? undefined : generationBytes(this.#staged.generation);
      this.#write({ ...record, bytes });
    } else this.#show({ ...this.#state, record });
  }

  #write(record: JobRecord): void {
    const { clock, registry } = this.#host;
    const start = clock.ticks();
    this.#show({ ...this.#state, record });
    registry.jobs.report(this.#registered.id, record);
    const end = clock.ticks();
    const pause = Math.min(LATE_MS, Math.max(WRITE_MS, WRITE_PART * (end - start)));
    this.#writeAt = start + pause;
  }

  #apply(event: JobEvent): void {
    const { id } = this.#registered;
    const after = this.#host.registry.jobs.apply(id, event, this.#now(), this.#state.record);
    if (after !== undefined) this.#show(after);
    if (after === undefined || after.endedMs !== null) throw this.#ended(after);
  }

  /**
   * Stops the work if another process wants that, or has ended the record. Without a record the
   * index was dropped: the work notices that itself, with the right error.
   */
  #poll(): void {
    try {
      const job = this.#host.registry.jobs.get(this.#registered.id);
      if (job === undefined) return;
      if (job.endedMs !== null || job.cancelMs !== null) this.#stop.abort();
    } catch (error) {
      // If the registry cannot be read now, the next poll tries again.
      if (!(error instanceof LhsError)) throw error;
    }
  }

  #show(state: RegisteredJob): void {
    this.#state = state;
    this.#job = toJob(state);
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }

  #now(): number {
    return this.#host.clock.now();
  }
}

/** A job as callers see it. */
export function toJob(registered: RegisteredJob): Job {
  const { id: job_id, kind, index, state, owner, createdMs, endedMs, cancelMs } = registered;
  const { result, redefines: _, cutover: __, ...record } = registered.record;
  const iso = (ms: number) => new Date(ms).toISOString();
  const job = {
    ...{ job_id, kind, index, state, created_at: iso(createdMs) },
    ...(endedMs === null ? {} : { ended_at: iso(endedMs) }),
    ...record,
    ...(owner === null ? {} : { owner: { pid: owner.pid, host: owner.host } }),
    ...(cancelMs === null || endedMs !== null ? {} : { canceling: true }),
    ...(registered.resumable ? { resumable: true } : {}),
    ...(state === 'done' && result !== undefined ? { result } : {}),
  };
  return Object.freeze(withoutUndefined(job)) as Job;
}

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as T;
}

const nothingToResume = (path: string): LhsError =>
  new LhsError('not_found', `"${path}" cannot be resumed any more`, {
    hint: 'a reindex without resume begins anew',
  });

const interrupted = () => new LhsError('interrupted', 'interrupted: the job was canceled');

function wire(error: unknown): Job['error'] {
  const message = error instanceof Error ? error.message : String(error);
  const known = error instanceof LhsError ? error : new LhsError('internal', message);
  const { code, message: text, details } = errorBody(known).error;
  return { code, message: text, details };
}
