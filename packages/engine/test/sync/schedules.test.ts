// @module-tag campaign
// @module-tag slow
import fc from 'fast-check';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { byEffort, seedOfDay } from '../../../../test/support/effort.ts';
import { operations } from './schedules/operations.ts';
import { repeatSchedule, runRepeats } from './schedules/repeated-keys.ts';
import { runSchedule, type Schedule } from './schedules/run-schedule.ts';

/**
 * `LHS_SCHEDULES=20 LHS_SEED=7 npx vitest run --project whole packages/engine/test/sync/schedules`
 * runs others. A failure prints the seed and the path to the schedule that it shrank to.
 */
const SCHEDULES = Number(process.env.LHS_SCHEDULES ?? byEffort(12, 60, 20_000));
const SEED = Number(process.env.LHS_SEED ?? byEffort(4, seedOfDay(), Date.now() % 2 ** 31));

/** Merges that the faulty disk stopped are told as warnings: thousands of them here. */
const listeners = process.listeners('warning');
const others = (warning: Error) => {
  if (warning.name !== 'LhsWarning') for (const listener of listeners) listener(warning);
};
beforeAll(() => {
  process.removeAllListeners('warning').on('warning', others);
});
afterAll(() => {
  process.off('warning', others);
  for (const listener of listeners) process.on('warning', listener);
});

const schedule: fc.Arbitrary<Schedule> = fc.record({
  formatVersion: fc.constantFrom(2, 3, 2, 3, 1),
  partitioned: fc.boolean(),
  begun: fc.constantFrom(true, true, true, false),
  shards: fc.constantFrom(1, 1, 3),
  operations: operations(),
});

describe('random schedules of syncs and faults', () => {
  it(`leave the index equal to its table in ${SCHEDULES} cases (seed ${SEED})`, async () => {
    await fc.assert(fc.asyncProperty(schedule, runSchedule), {
      numRuns: SCHEDULES,
      seed: SEED,
      path: process.env.LHS_PATH ?? '',
    });
  }, 14_400_000);

  it(`leave the index equal to a table whose rows share keys (seed ${SEED})`, async () => {
    const numRuns = Math.ceil(SCHEDULES / 10);
    await fc.assert(fc.asyncProperty(repeatSchedule, runRepeats), { numRuns, seed: SEED });
  }, 14_400_000);
});
