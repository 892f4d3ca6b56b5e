import { isUnreachable, type ServiceApi } from '@lakehouse-search/contract/internal';
import { jobService, writerOf } from '../cluster-context.ts';
import { pause } from '../leader/leadership.ts';
import { type RunningJob, refuseStopped } from './running-job.ts';

/** Time for a node to take over an index that it has been given. */
const WAIT_MS = 15_000;
const LOOK_MS = 250;

/** The node that writes the index of a job, and its operations. */
export interface JobWriter {
  readonly node: string;
  readonly service: ServiceApi;
}

/** Throws as `writerOf`, after a wait. */
export async function jobWriter(run: RunningJob): Promise<JobWriter> {
  const { context, job, signal } = run;
  const until = performance.now() + WAIT_MS;
  for (;;) {
    refuseStopped(run);
    try {
      const { node, address } = await writerOf(context, job.index, { signal });
      return { node, service: await jobService(context, job.index, address) };
    } catch (error) {
      if (!isUnreachable(error) || performance.now() > until) throw error;
    }
    await pause(LOOK_MS, signal);
  }
}
