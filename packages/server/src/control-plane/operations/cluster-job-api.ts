import { randomUUID } from 'node:crypto';
import {
  type AlterIndexRequest,
  type AlterPlan,
  type CallContext,
  type ErrorCode,
  type IndexDefinition,
  type IndexRequest,
  type Job,
  type JobKind,
  type JobRequest,
  LhsError,
  type ListJobsRequest,
  type MoveIndexRequest,
  type MoveIndexResponse,
  type ReindexRequest,
  type ReindexResponse,
  type StartJobRequest,
} from '@lakehouse-search/contract';
import {
  checkAlterRequest,
  checkIndexRequest,
  checkJobRequest,
  checkListJobsRequest,
  checkMoveIndexRequest,
  checkReindexRequest,
  checkStartJobRequest,
  ENDED_JOB_STATES,
  type IndexApi,
  type IngestApi,
  isListed,
  type JobApi,
  namedIndex,
  refuseAborted,
} from '@lakehouse-search/contract/internal';
import {
  carrySharding,
  homePlace,
  registeredDefinition,
  withStorage,
} from '@lakehouse-search/engine/internal';
import { withAll } from '../../cluster/with-only.ts';
import type { ClusterJob } from '../../store/cluster-jobs.ts';
import type { Store } from '../../store/open-store.ts';
import { type ClusterContext, jobService, writerOf } from '../cluster-context.ts';
import { pause } from '../leader/leadership.ts';
import { requireWhole } from './cluster-caller.ts';
import { busy } from './cluster-index-api.ts';

/** Name of the lease of the control plane that leads. */
export const LEADER = 'control-plane';

/** What runs as a job of the cluster. */
const KINDS: ReadonlySet<JobKind> = new Set<JobKind>([
  'reindex',
  'alter',
  'backup',
  'erase',
  'compact',
  'upgrade',
  'move_windows',
  'reindex_window',
]);
const LISTED_JOBS = 100;
const WATCH_MS = 200;

/**
 * Jobs over all shards of an index. Any control plane accepts them; the one that leads runs them.
 */
export class ClusterJobApi
  implements
    JobApi,
    Pick<IngestApi, 'reindex'>,
    Pick<IndexApi, 'getDefinition' | 'alterIndex' | 'moveIndex'>
{
  readonly #context: ClusterContext;

  constructor(context: ClusterContext) {
    this.#context = context;
  }

  /** Throws index_busy, index_not_found, unsupported, and unreachable without a leader. */
  async startJob(request: StartJobRequest, call: CallContext = {}): Promise<Job> {
    const { kind, ...work } = checkStartJobRequest(request);
    requireWhole(call, 'startJob');
    if (!KINDS.has(kind)) throw unsupportedKind(kind);
    return jobOf(await this.#add(kind, work, call));
  }

  async getJob(request: JobRequest, call: CallContext = {}): Promise<Job> {
    const { job_id } = checkJobRequest(request);
    requireWhole(call, 'getJob');
    return jobOf(await this.#get(job_id, call));
  }

  async listJobs(request: ListJobsRequest = {}, call: CallContext = {}): Promise<readonly Job[]> {
    const { index, state, limit = LISTED_JOBS } = checkListJobsRequest(request);
    requireWhole(call, 'listJobs');
    const { store } = this.#context;
    const name = index === undefined ? undefined : await resolveName(store, index, call);
    return (await store.jobs.list())
      .filter((job) => isListed(call, job.index))
      .filter((job) => name === undefined || job.index === name)
      .filter((job) => state === undefined || job.state === state)
      .slice(0, limit)
      .map(jobOf);
  }

  async cancelJob(request: JobRequest, call: CallContext = {}): Promise<Job> {
    const { job_id } = checkJobRequest(request);
    requireWhole(call, 'cancelJob');
    const { id } = await this.#get(job_id, call);
    await this.#context.store.jobs.requestCancel(id);
    return jobOf(await this.#get(id, call));
  }

  async *watchJob(request: JobRequest, call: CallContext = {}): AsyncGenerator<Job> {
    const { job_id } = checkJobRequest(request);
    requireWhole(call, 'watchJob');
    const { signal = new AbortController().signal } = call;
    let last: string | undefined;
    for (;;) {
      const job = jobOf(await this.#get(job_id, call));
      const text = JSON.stringify(job);
      if (text !== last) yield job;
      last = text;
      if (ENDED_JOB_STATES.has(job.state)) return;
      await pause(WATCH_MS, signal);
      refuseAborted(signal);
    }
  }

  /** A job that is watched until it ends; aborting the call cancels it. */
  async reindex(request: ReindexRequest, call: CallContext = {}): Promise<ReindexResponse> {
    const checked = checkReindexRequest(request);
    requireWhole(call, 'reindex');
    const job = await this.#add('reindex', { ...checked }, call);
    return (await this.#ended(job, call)) as ReindexResponse;
  }

  async getDefinition(request: IndexRequest, call: CallContext = {}): Promise<IndexDefinition> {
    const { store } = this.#context;
    const index = await resolveName(store, checkIndexRequest(request).index, call);
    return { index, definition: (await store.definitions.get(index))!.definition };
  }

  async alterIndex(request: AlterIndexRequest, call: CallContext = {}): Promise<AlterPlan> {
    const checked = checkAlterRequest(request);
    requireWhole(call, 'alterIndex');
    const index = await resolveName(this.#context.store, checked.index, call);
    requireName(index, checked.definition_yaml);
    const { definition } = (await this.#context.store.definitions.get(index))!;
    const asked = checked.definition_yaml;
    const whole = carrySharding(
      asked,
      registeredDefinition(asked),
      registeredDefinition(definition),
    );
    const { address } = await writerOf(this.#context, index, call);
    const service = await jobService(this.#context, index, address);
    const plan = await service.alterIndex({ index, definition_yaml: withAll(whole) }, call);
    if (checked.apply !== true || plan.is_noop) return plan;
    const job = await this.#add('alter', { ...checked, definition_yaml: whole, index }, call);
    return (await this.#ended(job, call)) as AlterPlan;
  }

  /** An alter of the storage alone. */
  async moveIndex(request: MoveIndexRequest, call: CallContext = {}): Promise<MoveIndexResponse> {
    const { index: name, storage } = checkMoveIndexRequest(request);
    requireWhole(call, 'moveIndex');
    const began = performance.now();
    const index = await resolveName(this.#context.store, name, call);
    const { definition } = (await this.#context.store.definitions.get(index))!;
    const definition_yaml = withStorage(definition, storage);
    await this.alterIndex({ index, definition_yaml, apply: true }, call);
    return {
      ...{ index, storage: storage ?? null },
      previous_storage: homePlace(registeredDefinition(definition)),
      took_ms: Math.round(performance.now() - began),
    };
  }

  async #add(
    kind: ClusterJob['kind'],
    work: Readonly<Record<string, unknown>>,
    call: CallContext,
  ): Promise<ClusterJob> {
    const index = await resolveName(this.#context.store, work.index as string | undefined, call);
    if (kind === 'alter') requireName(index, String(work.definition_yaml));
    const { store } = this.#context;
    const leader = await store.leases.current(LEADER);
    if (leader === undefined) throw noLeader();
    const draft = { index, kind, request: { ...work, index }, epoch: leader.epoch };
    for (;;) {
      const job = await store.jobs.add(randomUUID(), draft);
      if (job !== undefined) return job;
      const running = await store.jobs.list({ running: true });
      const other = running.find((each) => each.index === index);
      if (other !== undefined) throw busy(index, other.id);
    }
  }

  /** Waits for the end of a job: its result, or its error. */
  async #ended(job: ClusterJob, call: CallContext): Promise<unknown> {
    const cancel = () => void this.#context.store.jobs.requestCancel(job.id).catch(() => {});
    call.signal?.addEventListener('abort', cancel, { once: true });
    if (call.signal?.aborted) cancel();
    try {
      const { signal: _, ...watching } = call;
      for await (const now of this.watchJob({ job_id: job.id }, watching)) {
        if (now.state === 'done') return now.result;
        if (now.state === 'canceled') throw new LhsError('interrupted', 'the job was canceled');
        if (now.error === undefined) continue;
        const { code, message, details } = now.error;
        throw new LhsError(code, message, { details });
      }
    } finally {
      call.signal?.removeEventListener('abort', cancel);
    }
    throw new LhsError('internal', `job ${job.id} has no end`);
  }

  async #get(id: string, call: CallContext): Promise<ClusterJob> {
    const job = await this.#context.store.jobs.get(id);
    if (job === undefined || !isListed(call, job.index)) {
      const message = `there is no job "${id}"`;
      throw new LhsError('not_found', message, { next: [{ step: 'list_jobs' }] });
    }
    return job;
  }
}

/** The index that a request names, itself or by an alias; the only one if it names none. */
export async function resolveName(
  { definitions, aliases }: Pick<Store, 'definitions' | 'aliases'>,
  name: string | undefined,
  call: CallContext,
): Promise<string> {
  const names = (await definitions.list()).map(({ index }) => index);
  const all = await aliases.list();
  return namedIndex(name, names, (alias) => all.find((one) => one.alias === alias)?.index, call);
}

/** A job as callers see it. */
function jobOf(job: ClusterJob): Job {
  const { id: job_id, kind, index, state, record, createdMs, endedMs, cancelMs, request } = job;
  const { shards, snapshot, result, error } = record;
  return {
    ...{ job_id, kind, index, state, shards },
    created_at: new Date(createdMs).toISOString(),
    ...(endedMs === null ? {} : { ended_at: new Date(endedMs).toISOString() }),
    ...(typeof request.as_of === 'string' ? { as_of: request.as_of } : {}),
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(cancelMs === null || endedMs !== null ? {} : { canceling: true }),
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error: { ...error, code: error.code as ErrorCode } }),
  } as Job;
}

/** Routes, placements and nodes know an index by its name. Throws unsupported for another one. */
function requireName(index: string, definition: string): void {
  if (registeredDefinition(definition).index !== index) throw renameUnsupported();
}

/** The error for another name of an index under a control plane. */
export const renameUnsupported = (): LhsError =>
  new LhsError('unsupported', 'an index under a control plane keeps its name', {
    hint: 'set an alias, which all requests take as the name of the index',
  });

const noLeader = (): LhsError =>
  new LhsError('unreachable', 'no control plane leads now', {
    hint: 'another one takes over within seconds: try again',
  });

const unsupportedKind = (kind: string): LhsError =>
  new LhsError('unsupported', `a cluster has no jobs of the kind "${kind}"`, {
    hint: 'call the operation itself, without a job',
  });
