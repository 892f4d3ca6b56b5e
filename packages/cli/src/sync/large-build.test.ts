import { describe, expect, it } from 'vitest';
import { isLargeBuild, taskProcesses } from './large-build.ts';

const GIB = 2 ** 30;

describe('the processes of a build', () => {
  it('are one per core, in half of the memory', () => {
    expect(taskProcesses(undefined, 8, 64 * GIB)).toBe(8);
    expect(taskProcesses(undefined, 8, 6 * GIB)).toBe(3);
    expect(taskProcesses(GIB / 4, 8, 6 * GIB)).toBe(8);
    expect(taskProcesses(4 * GIB, 8, 6 * GIB)).toBe(1);
  });

  it.each([
    { processes: 4, rows: [600_000, 400_001], place: './home', expected: true },
    { processes: 4, rows: [600_000, 400_000], place: './home', expected: false },
    { processes: 4, rows: [5_000_000], place: undefined, expected: false },
    { processes: 1, rows: [5_000_000], place: './home', expected: false },
  ])('build $rows rows in $place by $processes: $expected', async (given) => {
    const { processes, rows, place, expected } = given;
    const backend = {
      describeIndex: async () => (place === undefined ? {} : { published: { place } }),
      planBuild: async () => rows.map((count) => ({ rows: count })),
    } as never;
    expect(await isLargeBuild(backend, { index: 't' }, processes)).toBe(expected);
  });
});
