// @module-tag slow
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { interceptFiles, systemError } from '../../../../test/support/file-calls.ts';
import { contentOf, expectSound, indexFolderOf, type Operation, Stage } from './operations.ts';
import { openData } from './work.ts';

/**
 * What the system forbids: a file system that is mounted read-only, few open files, files that may
 * not grow. Reading works where it can; writing says by name what is in its way; nothing is lost.
 */
let stage: Stage;
let sync: Operation;
let reindex: Operation;
beforeAll(async () => {
  stage = await Stage.make([1]);
  const named = (name: string) => stage.operations.find((operation) => operation.name === name);
  sync = named('sync of all') as Operation;
  reindex = named('reindex, later') as Operation;
}, 600_000);
afterAll(() => stage.dispose());

/** All names below a folder with size and time of change: what writing to it would change. */
const stateOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(
      (path) =>
        `${path} ${statSync(join(folder, path)).size} ${statSync(join(folder, path)).mtimeMs}`,
    )
    .sort();

/** Runs `work` on a read-only mount of a folder; false where none can be made. */
async function mountedReadOnly(folder: string, work: () => Promise<void>): Promise<boolean> {
  try {
    execFileSync('mount', ['--bind', folder, folder], { stdio: 'ignore' });
  } catch {
    return false;
  }
  try {
    execFileSync('mount', ['-o', 'remount,ro,bind', folder], { stdio: 'ignore' });
    await work();
    return true;
  } finally {
    execFileSync('umount', [folder]);
  }
}

async function expectReadOnly(data: string, from: Operation): Promise<void> {
  const backend = await openData(data);
  try {
    expect((await backend.search({ query: 'title:title', limit: 3 })).hits).toHaveLength(3);
    expect(await contentOf(backend)).toBe(from.states[0]);
    expect((await backend.describeIndex({})).status).toBe('live');
    expect((await backend.status({})).status).toBe('live');
    for (const write of [
      () => backend.sync({}),
      () => backend.reindex({}),
      () => backend.compact({}),
      () => backend.verify({ repair: true }),
      () => backend.dropIndex({ index: 't' }),
      () =>
        backend.createIndex({
          definition: stage.table.definition.replace('index: t', 'index: u'),
          base_dir: '/',
        }),
    ]) {
      await expect(write()).rejects.toMatchObject({
        name: 'LhsError',
        code: 'io_error',
        message: expect.stringMatching(/read-?only/i),
      });
    }
    expect(await contentOf(backend)).toBe(from.states[0]);
  } finally {
    await backend.close();
  }
}

describe('a read-only file system', () => {
  it('is searched, and writing to it says that it is read-only', async (context) => {
    const data = stage.copy(sync);
    const before = stateOf(data);
    const mounted = await mountedReadOnly(data, () => expectReadOnly(data, sync));
    if (!mounted) context.skip('no file system can be mounted here (not root)');
    expect(stateOf(data)).toEqual(before);
    await expectSound(data, sync, 0);
  });

  it('with what a dead process left in it is searched as it is', async (context) => {
    const data = stage.copy(sync);
    const folder = indexFolderOf(data);
    cpSync(join(folder, 'gen-000001'), join(folder, 'gen-000002'), { recursive: true });
    const before = stateOf(data);
    const mounted = await mountedReadOnly(data, () => expectReadOnly(data, sync));
    if (!mounted) context.skip('no file system can be mounted here (not root)');
    expect(stateOf(data)).toEqual(before);
    await expectSound(data, sync, 0);
  });

  it('met by a search leaves neither a lock nor a note of what was found whole', async () => {
    const data = stage.copy(sync);
    const stop = interceptFiles(data, (call) => {
      if (!/^(open|read|list)$/.test(call.kind)) throw systemError('EROFS', call);
      return undefined;
    });
    try {
      const backend = await openData(data);
      expect((await backend.search({ query: 'title:title' })).total).toBeGreaterThan(0);
      await expect(backend.sync({})).rejects.toMatchObject({
        code: 'io_error',
        message: expect.stringMatching(/read-only \(EROFS\)/),
      });
      await backend.close();
    } finally {
      stop();
    }
    await expectSound(data, sync, 0);
  });
});

const child = fileURLToPath(new URL('./kill-child.ts', import.meta.url));
const loader = fileURLToPath(new URL('../../../../test/support/from-source.ts', import.meta.url));

/** Runs an operation in a process under a limit of the shell (`ulimit`). */
function runLimited(limit: string, data: string, operation: Operation) {
  const words = [process.execPath, '--import', loader, child, data, JSON.stringify(operation.work)];
  const script = `ulimit ${limit}; exec "$@"`;
  return spawnSync('sh', ['-c', script, 'sh', ...words, '0', 'WHOLE'], {
    encoding: 'utf8',
    timeout: 240_000,
  });
}

describe('few open files (ulimit -n)', () => {
  it('end an operation with the name of the limit, and lose nothing', async () => {
    const ends = new Map<string, number>();
    for (const files of [20, 23, 26, 40]) {
      const data = stage.copy(sync);
      const { stdout, stderr, signal } = runLimited(`-n ${files}`, data, sync);
      expect(signal).toBeNull();
      const acknowledged = /^begin (\.*)/.exec(stdout)?.[1].length ?? 0;
      const end = stdout.includes(' end ') ? 'went on' : whyOf(stderr);
      ends.set(end, (ends.get(end) ?? 0) + 1);
      await expectSound(data, sync, acknowledged);
      rmSync(data, { recursive: true });
    }
    console.log(`ulimit -n: ${JSON.stringify([...ends])}`);
    expect(ends.get('other')).toBeUndefined();
    expect(ends.get('EMFILE')).toBeGreaterThan(0);
  });
});

/** What stopped a child: the engine's or the system's word for too many open files. */
function whyOf(stderr: string): string {
  expect(stderr).not.toMatch(/source_invalid|corrupt_index/);
  return /too many open files|unable to open database file/i.test(stderr) ? 'EMFILE' : 'other';
}

describe('files that may not grow (ulimit -f: real short writes)', () => {
  it('end a reindex with an error, and the former generation answers', async () => {
    for (const blocks of [1, 2, 4]) {
      const data = stage.copy(reindex);
      const { stdout, stderr, signal } = runLimited(`-f ${blocks}`, data, reindex);
      expect(signal).toBeNull();
      if (!stdout.includes(' end ')) expect(stderr).toMatch(/cannot write ".*EFBIG|io_error|disk/);
      await expectSound(data, reindex, stdout.includes(' end ') ? 1 : 0);
      rmSync(data, { recursive: true });
    }
  });
});
