import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SYSTEM_CLOCK } from '../../base/time/clock.ts';
import { Registry } from '../../registry/registry.ts';
import { openLocalDirectory } from '../../storage/local-directory.ts';
import { JobRun } from './job-run.ts';

let folder = '';
let registry: Registry;
let drop: () => void;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-job-run-'));
  registry = new Registry(folder);
});
afterEach(() => {
  registry.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a job whose index is dropped', () => {
  const dropped = { code: 'index_not_found', message: 'index "commits" was dropped meanwhile' };
  const started = () => {
    const { uuid } = registry.add('commits', 'version: 1', '/');
    drop = () => registry.remove(uuid);
    const job = registry.jobs.start(uuid, 'compact', SYSTEM_CLOCK.now())!;
    const host = { registry, clock: SYSTEM_CLOCK, openDirectory: openLocalDirectory };
    return new JobRun<'compact'>(job, host);
  };

  it('before it begins says so, and does nothing', async () => {
    const run = started();
    drop();
    let worked = false;
    const work = async () => {
      worked = true;
      return {} as never;
    };
    await expect(run.run(work, {})).rejects.toMatchObject(dropped);
    expect(worked).toBe(false);
  });

  it('before its cutover says so', async () => {
    const run = started();
    const work = async (job: { readonly fence: () => void }) => {
      drop();
      job.fence();
      return {} as never;
    };
    await expect(run.run(work, {})).rejects.toMatchObject(dropped);
  });
});
