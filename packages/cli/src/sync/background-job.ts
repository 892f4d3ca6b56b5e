import { type ChildProcess, spawn } from 'node:child_process';
import { on } from 'node:events';
import {
  type errorBody,
  type Job,
  LhsError,
  type NextStep,
  type StartJobRequest,
} from '@lakehouse-search/contract';
import { ENDED_JOB_STATES } from '@lakehouse-search/contract/internal';
import type { WatchedJob } from './watched-job.ts';

/** What a command sends to the process of its job. */
export type ToJob = { readonly start: StartJobRequest } | 'cancel' | 'detach';

/** What the process of a job sends back. */
export type FromJob =
  | { readonly job: Job }
  | { readonly error: ReturnType<typeof errorBody>['error'] };

/** The hidden command that runs a job in a process of its own (commands/jobs/run.ts). */
const COMMAND = ['jobs', 'run'];

/**
 * A job in a process of its own, which survives this terminal once it is detached. If this process
 * ends before, the job is canceled.
 */
export class BackgroundJob implements WatchedJob {
  /** The first record. */
  readonly first: Job;
  readonly #child: ChildProcess;
  readonly #messages: AsyncIterator<FromJob>;

  private constructor(first: Job, child: ChildProcess, messages: AsyncIterator<FromJob>) {
    this.first = first;
    this.#child = child;
    this.#messages = messages;
  }

  /** Starts a job; `flags` are those that name the data folder. Throws what the start throws. */
  static async start(request: StartJobRequest, flags: readonly string[]): Promise<BackgroundJob> {
    const args = [...process.execArgv, process.argv[1], ...COMMAND, ...flags];
    const child = spawn(process.execPath, args, {
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const messages = messagesOf(child);
    tell(child, { start: request });
    const first = await messages.next();
    if (first.done === true) throw processEnded();
    if ('error' in first.value) throw errorOf(first.value.error);
    return new BackgroundJob(first.value.job, child, messages);
  }

  /** The records after the first, until the job has ended. */
  async *records(): AsyncGenerator<Job> {
    for (;;) {
      const next = await this.#messages.next();
      if (next.done === true) throw processEnded();
      if ('error' in next.value) throw errorOf(next.value.error);
      yield next.value.job;
      if (ENDED_JOB_STATES.has(next.value.job.state)) return;
    }
  }

  /** Requests the job to stop. */
  async cancel(): Promise<void> {
    tell(this.#child, 'cancel');
  }

  /** Lets the job go on without this process. */
  async detach(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#child.send('detach' satisfies ToJob, () => resolve());
    });
    this.release();
  }

  /** Lets this process end. A job that was not detached and has not ended is canceled. */
  release(): void {
    if (this.#child.connected) this.#child.disconnect();
    this.#child.unref();
  }
}

function tell(child: ChildProcess, message: ToJob): void {
  // A process that has ended is noticed by the end of its messages.
  if (child.connected) child.send(message, () => {});
}

/** The messages of a process, until it ends. */
function messagesOf(child: ChildProcess): AsyncIterator<FromJob> {
  const all = on(child, 'message', { close: ['disconnect', 'error'] });
  return (async function* () {
    for await (const [message] of all) yield message as FromJob;
  })();
}

const processEnded = (): LhsError =>
  new LhsError('internal', 'the process of the job ended before the job did', {
    next: [{ step: 'list_jobs' }],
  });

/** The error of a wire form. */
export function errorOf({ code, message, details }: NonNullable<Job['error']>): LhsError {
  const { hint, next, ...more } = details;
  return new LhsError(code, message, {
    details: more,
    ...(typeof hint === 'string' ? { hint } : {}),
    ...(Array.isArray(next) ? { next: next as NextStep[] } : {}),
  });
}

/** The error of a job that did not end well; null for one that did. */
export function failureOf({ state, error }: Job): LhsError | null {
  if (state === 'canceled') return new LhsError('interrupted', 'the job was canceled');
  return error === undefined ? null : errorOf(error);
}
