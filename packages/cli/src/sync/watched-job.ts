import type { Job, StartJobRequest } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';

/** A job that a command started and watches, in a process of its own or in a service. */
export interface WatchedJob {
  /** The first record. */
  readonly first: Job;
  /** The records after the first, until the job has ended. */
  records(): AsyncIterable<Job>;
  /** Requests the job to stop. */
  cancel(): Promise<void>;
  /** Lets the job go on without this process. */
  detach(): Promise<void>;
  /** Lets this process end; of a job in a process of its own, one that has not ended is canceled. */
  release(): void;
}

/** Starts a job of a service. Throws what the start throws. */
export async function startInService(
  backend: BackendApi,
  request: StartJobRequest,
): Promise<WatchedJob> {
  const first = await backend.startJob(request);
  const { job_id } = first;
  const watch = new AbortController();
  return {
    first,
    records: () => backend.watchJob({ job_id }, { signal: watch.signal }),
    cancel: async () => void (await backend.cancelJob({ job_id })),
    detach: async () => watch.abort(),
    release: () => watch.abort(),
  };
}
