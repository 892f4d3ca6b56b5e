import {
  type CallContext,
  type JobKind,
  type JobResults,
  LhsError,
  type StartJobRequest,
} from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import type { Terminal } from '../terminal/terminal.ts';
import { BackgroundJob, failureOf } from './background-job.ts';
import { JobWatch } from './job-watch.ts';
import { type BackendFlags, backendArgs, printDetached } from './start-detached.ts';
import { startInService, type WatchedJob } from './watched-job.ts';

/** Flags of a command that runs a job. */
export interface JobFlags extends BackendFlags {
  readonly detach?: boolean | undefined;
}

/** The work of a command that is a job. */
export interface JobWork<K extends JobKind> {
  readonly request: Extract<StartJobRequest, { readonly kind: K }>;
  /** It ends with this process, also on a terminal. */
  readonly isHere?: boolean;
  /** The index that progress names; by default that of the request. */
  readonly label?: string | undefined;
  /** What is true after the job was canceled, for the error. */
  readonly stopped: string;
  /** The blocking operation: for a command that asks nothing. */
  call(backend: BackendApi, call: CallContext): Promise<JobResults[K]>;
}

/** Where a job is started and watched. */
export interface JobScene {
  readonly terminal: Terminal;
  readonly flags: JobFlags;
  /** The service that runs the job; null: a process of its own on this machine does. */
  readonly service: BackendApi | null;
  /** Ends this process at once. */
  readonly endNow: () => void;
}

/**
 * Runs a job and watches it on the terminal, where Ctrl-C asks whether to detach it or to cancel
 * it. null: the job goes on without this process. Throws what the work throws.
 */
export async function watchedJob<K extends JobKind>(
  { request, stopped }: JobWork<K>,
  { terminal, flags, service, endNow }: JobScene,
): Promise<JobResults[K] | null> {
  const job: WatchedJob =
    service === null
      ? await BackgroundJob.start(request, backendArgs(flags))
      : await startInService(service, request);
  const last = flags.detach ? null : await new JobWatch(job, terminal, endNow).end();
  if (last === null) {
    await printDetached(terminal, job, flags.json === true);
    return null;
  }
  job.release();
  const failed = failureOf(last);
  if (failed?.code === 'interrupted') {
    throw new LhsError('interrupted', `interrupted: ${stopped}`);
  }
  if (failed !== null || last.result === undefined) throw failed;
  return last.result as JobResults[K];
}
