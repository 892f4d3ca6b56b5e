import { describe, expect, it } from 'vitest';
import { isTooManyRuns, limitedRuns, MOST_RUNS } from './limited-runs.ts';

describe('reads of aggregations', () => {
  it('have one limit for both kinds, over all indexes', async () => {
    let calls = 0;
    const run = async () => {
      calls++;
      return {};
    };
    const limited = limitedRuns({ run, runOverAll: run }, 2);
    for (let i = 0; i < MOST_RUNS / 4; i++) {
      await limited.run({});
      await limited.runOverAll({});
    }
    const refused = await limited.run({}).catch((error: unknown) => error);
    expect([calls, isTooManyRuns(refused)]).toEqual([MOST_RUNS / 2, true]);
  });
});
