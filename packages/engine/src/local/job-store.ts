import { ENDED_JOB_STATES, type Job } from '@lakehouse-search/contract';

/** A store of job records. A record is replaced as a whole, and found by its id. */
export interface JobStore {
  /** Adds a record, or replaces the one with its id. */
  put(job: Job): void;
  get(jobId: string): Job | undefined;
  /** Newest first. */
  list(): readonly Job[];
}

/** Job records of this process: all that run, and the last `endedJobs` that have ended. */
export class MemoryJobs implements JobStore {
  /** By id, oldest first. */
  readonly #jobs = new Map<string, Job>();
  readonly #endedJobs: number;

  constructor(endedJobs: number) {
    this.#endedJobs = endedJobs;
  }

  put(job: Job): void {
    this.#jobs.set(job.job_id, job);
    if (ENDED_JOB_STATES.has(job.state)) this.#shrink();
  }

  get(jobId: string): Job | undefined {
    return this.#jobs.get(jobId);
  }

  list(): readonly Job[] {
    return [...this.#jobs.values()].reverse();
  }

  #shrink(): void {
    const ended = [...this.#jobs.values()].filter(({ state }) => ENDED_JOB_STATES.has(state));
    for (const { job_id } of ended.slice(0, -this.#endedJobs)) this.#jobs.delete(job_id);
  }
}
