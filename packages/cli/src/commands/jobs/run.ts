import { errorBody, type Job, LhsError } from '@lakehouse-search/contract';
import { ENDED_JOB_STATES } from '@lakehouse-search/contract/internal';
import { sourceError } from '@lakehouse-search/engine/internal';
import { LhsCommand } from '../../base-command.ts';
import type { FromJob, ToJob } from '../../sync/background-job.ts';

/** Records are sent at most this often while the state is the same. */
const SEND_MS = 200;

export default class JobsRun extends LhsCommand {
  static override hidden = true;
  static override summary = 'Run a job in this process. Other commands start it.';
  static override examples = [
    '<%= config.bin %> reindex demo-incidents --detach',
    '<%= config.bin %> jobs list',
  ];

  override async run(): Promise<void> {
    const { flags } = await this.parse(JobsRun);
    if (process.send === undefined) {
      throw new LhsError('invalid_argument', '"jobs run" is started by other commands', {
        hint: 'use "lhs index reindex INDEX --detach"',
      });
    }
    const start = Promise.withResolvers<Exclude<ToJob, string>['start']>();
    let detached = false;
    let cancel = () => {};
    process.on('message', (message: ToJob) => {
      if (message === 'detach') detached = true;
      else if (message === 'cancel') cancel();
      else start.resolve(message.start);
    });
    process.on('disconnect', () => {
      if (!detached) cancel();
    });
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => cancel());
    try {
      const request = await start.promise;
      const backend = await this.localBackend(flags);
      const { job_id } = await backend.startJob(request);
      cancel = () => void backend.cancelJob({ job_id }).catch(() => {});
      if (!process.connected && !detached) cancel();
      await this.#relay(backend.watchJob({ job_id }));
    } catch (error) {
      await send({ error: wire(error) });
    } finally {
      if (process.connected) process.disconnect();
    }
  }

  async #relay(records: AsyncIterable<Job>): Promise<void> {
    let state = '';
    let sentAt = 0;
    for await (const job of records) {
      const now = performance.now();
      if (job.state === state && now - sentAt < SEND_MS) continue;
      state = job.state;
      sentAt = now;
      const sent = send({ job });
      if (ENDED_JOB_STATES.has(job.state)) await sent;
    }
  }
}

/** Ends when the message is on its way, or nobody is there any more. */
function send(message: FromJob): Promise<void> {
  if (!process.connected) return Promise.resolve();
  return new Promise((resolve) => {
    process.send?.(message, undefined, undefined, () => resolve());
  });
}

function wire(error: unknown) {
  const known = sourceError(error);
  const message = known instanceof Error ? known.message : String(known);
  return errorBody(known instanceof LhsError ? known : new LhsError('internal', message)).error;
}
