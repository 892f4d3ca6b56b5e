import { describe, expect, it } from 'vitest';
import { type PlannedBuild, planTasks } from './plan-tasks.ts';

const MIB = 2 ** 20;
const ROWS = 100_000;

/** A build of 24 data files. */
function buildIn(memoryBytes: number): PlannedBuild {
  const files = Array.from({ length: 24 }, (_, i) => ({
    data: { path: `${i}.parquet`, recordCount: ROWS },
    deletes: [],
  }));
  return {
    ...{ definition: { index: 't', text: '' }, definitionVersion: 1, baseDir: '/', after: 0 },
    ...{ table: { files: async () => ({ files }) }, snapshotId: 1n, family: 'f', cache: '' },
    home: { place: 'home', store: { list: async function* () {} } },
    ...{ memoryBytes, now: 1e12 },
  } as never;
}

describe('the tasks of a build', () => {
  it.each([
    { memory: 1024, most: 1_000_000 },
    { memory: 512, most: 1_000_000 },
    { memory: 256, most: 524_288 },
  ])('have at most $most rows in $memory MiB', async ({ memory, most }) => {
    const tasks = await planTasks(buildIn(memory * MIB), {});
    expect(tasks).toHaveLength(Math.ceil((24 * ROWS) / most));
    for (const { rows } of tasks) expect(rows).toBeLessThanOrEqual(most);
  });

  it('are as many as required in any memory', async () => {
    expect(await planTasks(buildIn(256 * MIB), { tasks: 2 })).toHaveLength(2);
    expect(await planTasks(buildIn(256 * MIB), { rowsPerTask: 400_000 })).toHaveLength(6);
    expect(await planTasks(buildIn(1024 * MIB), { least: 4 })).toHaveLength(4);
  });
});
