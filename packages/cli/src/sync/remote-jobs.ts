import {
  type CallContext,
  type Job,
  LhsError,
  type StartJobRequest,
} from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { failureOf } from './background-job.ts';
import { progressOf } from './job-lines.ts';

type Loose = Readonly<Record<string, unknown>>;

/** Operations that run as jobs, and the kind of each. */
const KINDS = {
  reindex: 'reindex',
  alterIndex: 'alter',
  rollbackIndex: 'rollback',
  verify: 'verify',
  compact: 'compact',
  upgrade: 'upgrade',
  backup: 'backup',
  restore: 'restore',
  reindexWindow: 'reindex_window',
  moveWindows: 'move_windows',
  runErasure: 'erase',
} as const satisfies Partial<Record<keyof BackendApi, StartJobRequest['kind']>>;

type JobOperation = keyof typeof KINDS;

/**
 * A service whose long operations report progress: a call with `progress` starts a job, watches it,
 * and cancels it when the call is aborted. A caller who may not start jobs, and a
 * service without jobs of the kind, get the blocking operation, without progress.
 */
export function withJobProgress(service: BackendApi): BackendApi {
  const methods = (Object.keys(KINDS) as JobOperation[]).map((operation) => {
    const blocking = service[operation] as (request: Loose, call?: CallContext) => Promise<unknown>;
    const work = async (request: Loose, call?: CallContext): Promise<unknown> => {
      if (call?.progress === undefined || isPlan(operation, request)) {
        return blocking(request, call);
      }
      const job = await started(service, { kind: KINDS[operation], ...request } as never, call);
      return job === null ? blocking(request, call) : watched(service, job, call);
    };
    return [operation, work];
  });
  const reshards = RESHARDS.map((operation) => {
    const blocking = service[operation] as (request: never, call?: CallContext) => Promise<unknown>;
    const work = (request: { readonly index?: string }, call: CallContext = {}) =>
      besideJob(service, request.index, call, () => blocking(request as never, call));
    return [operation, work];
  });
  return { ...service, ...Object.fromEntries([...methods, ...reshards]) };
}

/** Operations that a service runs as a job of the kind `alter`, without an id in their response. */
const RESHARDS = ['applyReshard', 'moveBucket'] as const;
const LOOK_MS = 1000;

/** The result of work, with the progress of the job that it is for the service. */
async function besideJob(
  service: Pick<BackendApi, 'listJobs'>,
  index: string | undefined,
  { progress }: CallContext,
  work: () => Promise<unknown>,
): Promise<unknown> {
  if (progress === undefined) return work();
  const look = async () => {
    // a caller who may not list jobs, or a moment without an answer: the work decides
    const [job] = await service.listJobs({ index, limit: 1 }).catch(() => []);
    const now = job?.kind === 'alter' && job.ended_at === undefined ? progressOf(job) : null;
    if (now !== null) progress(now);
  };
  const timer = setInterval(look, LOOK_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** A plan alone is no job. */
const isPlan = (operation: JobOperation, { apply, plan }: Loose): boolean =>
  (operation === 'alterIndex' && apply !== true) || (operation === 'upgrade' && plan === true);

/** The caller may not start jobs, or the service has no jobs of the kind. */
const NO_JOB: ReadonlySet<string> = new Set(['permission_denied', 'unsupported']);

/** Milliseconds that an aborted call waits for the id of its job, to cancel it. */
const ID_WAIT_MS = 3000;

/**
 * A new job; null if there can be none. An abort does not end the call: the service may have
 * registered the job, which would go on.
 */
async function started(
  service: BackendApi,
  request: StartJobRequest,
  { signal }: CallContext,
): Promise<Job | null> {
  const starting = service.startJob(request).catch((error: unknown) => {
    if (error instanceof LhsError && NO_JOB.has(error.code)) return null;
    throw error;
  });
  if (signal === undefined) return starting;
  const late = lateAfter(signal);
  // an answer that comes later still has the id by which the job is canceled
  const cancel = (job: Job | null) => job && service.cancelJob({ job_id: job.job_id });
  late.given.catch(() => starting.then(cancel).catch(() => {}));
  return Promise.race([starting, late.given]).finally(late.release);
}

/** Rejects as interrupted some time after the signal is aborted. */
function lateAfter(signal: AbortSignal) {
  const { promise: given, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const begin = () => {
    timer = setTimeout(() => reject(new LhsError('interrupted', 'interrupted')), ID_WAIT_MS);
  };
  signal.addEventListener('abort', begin, { once: true });
  if (signal.aborted) begin();
  const release = () => {
    signal.removeEventListener('abort', begin);
    clearTimeout(timer);
  };
  return { given, release };
}

/** The result of a job; its progress is reported meanwhile. Throws the error of the job. */
async function watched(
  service: BackendApi,
  first: Job,
  { signal, progress }: CallContext,
): Promise<unknown> {
  const { job_id } = first;
  const cancel = () => void service.cancelJob({ job_id }).catch(() => {});
  signal?.addEventListener('abort', cancel, { once: true });
  if (signal?.aborted) cancel();
  let last = first;
  try {
    for await (const job of service.watchJob({ job_id })) {
      last = job;
      const now = progressOf(job);
      if (now !== null) progress?.(now);
    }
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
  const failed = failureOf(last);
  if (failed !== null) throw failed;
  return last.result;
}
