import { describe, expect, it } from 'vitest';
import type { JobState } from './response.ts';
import { JOB_TRANSITIONS, type JobEvent, nextJobState } from './transitions.ts';

const STATES = Object.keys(JOB_TRANSITIONS) as readonly JobState[];
const EVENTS: readonly JobEvent[] = [
  'build_started',
  'build_finished',
  'cutover_finished',
  'build_failed',
  'canceled',
  'owner_gone',
];

/** The table of the specification: state, event, next state. A blank changes nothing. */
const TABLE = `
pending       build_started     building
pending       build_finished
pending       cutover_finished
pending       build_failed
pending       canceled          canceled
pending       owner_gone        failed
building      build_started
building      build_finished    cutting_over
building      cutover_finished
building      build_failed      failed
building      canceled          canceled
building      owner_gone        failed
cutting_over  build_started
cutting_over  build_finished
cutting_over  cutover_finished  done
cutting_over  build_failed      failed
cutting_over  canceled          canceled
cutting_over  owner_gone        failed
`;
const ended = (state: JobState) => EVENTS.map((event) => [state, event, state] as const);
const rows = TABLE.trim()
  .split('\n')
  .map((line) => line.trim().split(/ +/) as [JobState, JobEvent, JobState?])
  .map(([state, event, next = state]) => [state, event, next] as const);

describe('the transitions of a job', () => {
  it.each([...rows, ...ended('done'), ...ended('failed'), ...ended('canceled')])(
    'lead from %s on %s to %s',
    (state, event, next) => expect(nextJobState(state, event)).toBe(next),
  );

  it('are tested for every state and event', () => {
    const pairs = new Set(rows.map(([state, event]) => `${state} ${event}`));
    expect(pairs.size + 3 * EVENTS.length).toBe(STATES.length * EVENTS.length);
    const known = Object.values(JOB_TRANSITIONS).flatMap((row) => Object.keys(row));
    expect(new Set(known)).toEqual(new Set(EVENTS));
  });
});
