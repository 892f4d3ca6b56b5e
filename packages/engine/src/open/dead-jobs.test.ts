import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { filesNamed } from '../../../../test/support/files-named.ts';
import { IndexWriter } from '../index/index-writer.ts';
import { type RegisteredIndex, Registry } from '../registry/registry.ts';
import { openLocalDirectory } from '../storage/local-directory.ts';
import { endDeadJobs } from './dead-jobs.ts';
import { generationAt, indexFolder, promoteGeneration, stageGeneration } from './index-folder.ts';

let dataDir = '';
let registry: Registry;
let index: RegisteredIndex;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'lhs-dead-jobs-'));
  registry = new Registry(dataDir);
  index = registry.add('commits', 'version: 1', '/');
  mkdirSync(indexFolder(dataDir, index.uuid), { recursive: true });
});
afterEach(() => {
  registry.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const REGISTRY = new URL('../registry/registry.ts', import.meta.url).href;

/** A job of another process that was killed after these events, with generation 1 staged. */
function deadJob(...events: readonly string[]): void {
  deadJobOf('reindex', events);
}

/** The same of a kind, with a record at its last event. */
function deadJobOf(kind: string, events: readonly string[], record: object = {}): void {
  const script = `import { Registry } from ${JSON.stringify(REGISTRY)};
    const { jobs, generations } = new Registry(${JSON.stringify(dataDir)});
    const uuid = ${JSON.stringify(index.uuid)};
    const { id } = jobs.start(uuid, '${kind}', 1, { makes: 'made' });
    if (${events.length > 0 && /reindex|alter/.test(kind)}) generations.stage(uuid, id, [], 1);
    for (const event of ${JSON.stringify(events)}) {
      jobs.apply(id, event, 2, ${JSON.stringify(record)});
    }
    process.kill(process.pid, 'SIGKILL');`;
  expect(() =>
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' }),
  ).toThrow();
}

function endDead() {
  endDeadJobs({ dataDir, registry, openDirectory: openLocalDirectory }, 1000);
  const [job] = registry.jobs.list();
  return job;
}
const folder = () => indexFolder(dataDir, index.uuid);
const named = () => registry.generations.named(index.uuid, 1001).map(({ number }) => number);

describe('a job whose process was killed', () => {
  it.each([
    { state: 'pending', events: [] },
    { state: 'building', events: ['build_started'] },
    { state: 'cutting_over', events: ['build_started', 'build_finished'] },
  ])('in $state is failed, and what it staged is not named any more', ({ state, events }) => {
    deadJob(...events);
    expect(registry.jobs.running()).toMatchObject([{ state }]);
    const job = endDead();
    expect(job).toMatchObject({ state: 'failed', endedMs: 1000, owner: null, resumable: false });
    expect(job.record.error).toMatchObject({
      code: 'interrupted',
      message: expect.stringMatching(/^process \d+ on ".+" ended before the job did$/),
    });
    expect(named()).toEqual([]);
    expect(registry.jobs.start(index.uuid, 'reindex', 1002)).not.toBeNull();
  });

  it('is resumable if its generation has a commit', () => {
    deadJob('build_started');
    const { path } = stageGeneration(folder(), 1);
    const writer = IndexWriter.open(openLocalDirectory(path), []);
    writer.commit({ checkpoint: null, files: filesNamed() });
    writer.close();
    expect(endDead()).toMatchObject({ state: 'failed', resumable: true });
    expect(named()).toEqual([1]);
  });

  it('is done if its generation is live', () => {
    deadJob('build_started', 'build_finished');
    stageGeneration(folder(), 1);
    promoteGeneration(folder(), generationAt(folder(), 1));
    expect(endDead()).toMatchObject({ state: 'done', resumable: false });
    expect(named()).toEqual([]);
  });

  it('is ended once, and a job of a living process is left alone', () => {
    deadJob('build_started');
    endDead();
    const { id } = registry.jobs.start(index.uuid, 'reindex', 3)!;
    expect(endDead()).toMatchObject({ id, state: 'pending' });
  });

  const KINDS = [
    ...['alter', 'rollback', 'compact', 'upgrade', 'verify', 'backup', 'restore'],
    ...['move_windows', 'reindex_window', 'erase'],
  ];
  const STATES = [[], ['build_started'], ['build_started', 'build_finished']];
  it.each(KINDS.flatMap((kind) => STATES.map((events) => ({ kind, events }))))(
    'of kind $kind after $events is failed, and another can start',
    ({ kind, events }) => {
      deadJobOf(kind, events);
      expect(endDead()).toMatchObject({ kind, state: 'failed', owner: null });
      expect(named()).toEqual([]);
      expect(registry.jobs.start(index.uuid, kind as 'verify', 1002)).not.toBeNull();
    },
  );

  it('in a rollback is done if the rename happened, and both generations change places', () => {
    registry.generations.keep(index.uuid, 1, 1, 5);
    for (const number of [1, 2]) stageGeneration(folder(), number);
    promoteGeneration(folder(), generationAt(folder(), 2));
    const cutover = { from: 2, to: 1 };
    deadJobOf('rollback', ['build_started', 'build_finished'], { cutover });
    expect(endDead()).toMatchObject({ state: 'failed' });
    expect(named()).toEqual([1]);
    deadJobOf('rollback', ['build_started', 'build_finished'], { cutover });
    promoteGeneration(folder(), generationAt(folder(), 1));
    expect(endDead()).toMatchObject({ state: 'done' });
    expect(named()).toEqual([2]);
    expect(registry.generations.kept(index.uuid, 1001)).toMatchObject([{ number: 2, version: 1 }]);
  });
});
