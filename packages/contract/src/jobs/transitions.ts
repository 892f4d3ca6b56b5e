import type { JobState } from './response.ts';

/** What happens to a job. */
export type JobEvent =
  /** The work has begun. */
  | 'build_started'
  /** The staged generation is complete; the cutover begins. */
  | 'build_finished'
  /** The new generation is live. */
  | 'cutover_finished'
  /** The work has ended with an error. */
  | 'build_failed'
  /** The work has stopped after a request to cancel it. */
  | 'canceled'
  /** The process that ran the job is gone. */
  | 'owner_gone';

type Row = Readonly<Partial<Record<JobEvent, JobState>>>;

/**
 * The states of a job: state, event, next state. An event that is not listed changes nothing; a job
 * that has ended never changes. A failure of the cutover counts as a failure of the build.
 */
export const JOB_TRANSITIONS: Readonly<Record<JobState, Row>> = Object.freeze({
  pending: { build_started: 'building', canceled: 'canceled', owner_gone: 'failed' },
  building: {
    build_finished: 'cutting_over',
    build_failed: 'failed',
    canceled: 'canceled',
    owner_gone: 'failed',
  },
  cutting_over: {
    cutover_finished: 'done',
    build_failed: 'failed',
    canceled: 'canceled',
    owner_gone: 'failed',
  },
  done: {},
  failed: {},
  canceled: {},
});

/** The state of a job after an event. */
export const nextJobState = (state: JobState, event: JobEvent): JobState =>
  JOB_TRANSITIONS[state][event] ?? state;
