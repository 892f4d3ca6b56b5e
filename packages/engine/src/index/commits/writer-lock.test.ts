import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { LhsError } from '@lakehouse-search/contract';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { interceptFiles, systemError } from '../../../../../test/support/file-calls.ts';
import { filesNamed } from '../../../../../test/support/files-named.ts';
import { thisProcess } from '../../base/process-identity.ts';
import { takeLock } from '../../open/index-folder.ts';
import { openLocalDirectory } from '../../storage/local-directory.ts';
import { IndexWriter } from '../index-writer.ts';
import { readCommit } from './commit.ts';
import { leftLocks, lockHolder, lockIndex } from './writer-lock.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const errorOf = (call: () => unknown): LhsError => {
  try {
    call();
  } catch (error) {
    if (error instanceof LhsError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
};

describe('the writer lock', () => {
  test('refuses a second writer and names the first, until it is released', () => {
    const lock = lockIndex(folder);
    const refused = errorOf(() => lockIndex(folder));
    expect(refused.code).toBe('index_busy');
    expect(refused.message).toContain(`process ${process.pid} on "${thisProcess().host}"`);
    expect(refused.details).toEqual({ pid: process.pid, host: thisProcess().host });
    expect(lockHolder(folder)?.pid).toBe(process.pid);
    lock.assertHeld();
    lock.release();
    lock.release();
    expect(errorOf(() => lock.assertHeld()).code).toBe('index_busy');
    expect(lockHolder(folder)).toBeNull();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is taken over from a dead process, but not from another host', () => {
    const lives = { ...thisProcess(), token: 'other' };
    const path = join(folder, 'writer.lock');
    const gone = spawnSync(process.execPath, ['-e', '']).pid;
    for (const dead of [
      { ...lives, pid: gone },
      { ...lives, started: '1' },
      { ...lives, boot_id: 'before' },
      'not JSON',
    ]) {
      writeFileSync(path, typeof dead === 'string' ? dead : JSON.stringify(dead));
      const lock = lockIndex(folder);
      expect(lockHolder(folder)?.pid).toBe(process.pid);
      lock.release();
      expect(readdirSync(folder)).toEqual([]);
    }
    writeFileSync(path, JSON.stringify({ ...lives, host: 'elsewhere' }));
    const far = errorOf(() => lockIndex(folder));
    expect([far.code, far.message.includes('"elsewhere"')]).toEqual(['index_busy', true]);
    expect(far.hint).toContain(`if "elsewhere" is gone for good, remove "${path}"`);
    expect(errorOf(() => takeLock(folder, 'notes', 'sync')).hint).toBe(far.hint);
    expect(existsSync(path)).toBe(true);
  });

  test('is not held by another process with the number of a dead one', () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    try {
      const lived = { ...thisProcess(), pid: child.pid, token: 'former' };
      writeFileSync(join(folder, 'writer.lock'), JSON.stringify(lived));
      lockIndex(folder).release();
      const own = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
      const started = own.slice(own.lastIndexOf(')') + 2).split(' ')[19];
      writeFileSync(join(folder, 'writer.lock'), JSON.stringify({ ...lived, started }));
      expect(errorOf(() => lockIndex(folder)).details).toMatchObject({ pid: child.pid });
    } finally {
      child.kill('SIGKILL');
    }
  });

  test('goes to one of many processes that take it over at once', async () => {
    const module = JSON.stringify(new URL('./writer-lock.ts', import.meta.url).href);
    const script = `import { lockIndex } from ${module};
    let lock = null;
    process.stdin.on('data', (line) => {
      try {
        if (String(line).includes('take')) lock = lockIndex(${JSON.stringify(folder)});
        lock?.assertHeld();
        console.log(lock === null ? 'busy' : 'held');
      } catch { console.log('busy'); }
    });
    process.stdin.on('end', () => process.exit());
    console.log('ready');`;
    const children = Array.from({ length: 5 }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', script]),
    );
    const lines = children.map(({ stdout }) => createInterface(stdout)[Symbol.asyncIterator]());
    const answers = () =>
      Promise.all(lines.map(async (each) => (await each.next()).value as string));
    const ask = (what: string) => {
      for (const { stdin } of children) stdin.write(`${what}\n`);
      return answers();
    };
    try {
      expect(new Set(await answers())).toEqual(new Set(['ready']));
      for (let round = 0; round < 10; round++) {
        const dead = { ...thisProcess(), boot_id: 'before', token: `dead ${round}` };
        writeFileSync(join(folder, 'writer.lock'), JSON.stringify(dead));
        await ask('take');
        const held = (await ask('still')).filter((answer) => answer === 'held');
        expect(held).toEqual(['held']);
      }
    } finally {
      for (const child of children) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
    }
    lockIndex(folder).release();
    expect(leftLocks(folder)).toEqual([]);
  });

  test('is taken over from a killed process', () => {
    const module = JSON.stringify(new URL('./writer-lock.ts', import.meta.url).href);
    const script = `import { lockIndex } from ${module};
    lockIndex(${JSON.stringify(folder)}); process.kill(process.pid, 'SIGKILL');`;
    const child = spawnSync(process.execPath, ['--input-type=module', '-e', script]);
    expect(child.signal).toBe('SIGKILL');
    expect(lockHolder(folder)?.pid).toBe(child.pid);
    lockIndex(folder).release();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('prevents commits of a writer that lost it', () => {
    const lock = lockIndex(folder);
    const home = mkdtempSync(join(folder, 'generation-'));
    const writer = IndexWriter.open(openLocalDirectory(home, lock.assertHeld), []);
    writer.commit({ checkpoint: null, files: filesNamed() });
    const other = JSON.stringify({ ...thisProcess(), token: 'other' });
    writeFileSync(join(folder, 'writer.lock'), other);
    const error = errorOf(() => writer.commit({ checkpoint: null, files: filesNamed('a') }));
    expect(error.code).toBe('index_busy');
    expect(readCommit(openLocalDirectory(home))?.number).toBe(1);
    lock.release();
    expect(readFileSync(join(folder, 'writer.lock'), 'utf8')).toBe(other);
  });

  test('has no owner if it could not be removed, and its drafts are left over', () => {
    const stop = interceptFiles(folder, (call) => {
      if (call.kind === 'unlink') throw systemError('EIO', call);
      return undefined;
    });
    const lock = lockIndex(folder);
    lock.release();
    stop();
    expect(readdirSync(folder)).toHaveLength(2);
    const [draft, ...others] = leftLocks(folder);
    expect([draft, others]).toEqual([expect.stringContaining('writer.lock.'), []]);
    rmSync(draft);
    lockIndex(folder).release();
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each(['write', 'link'] as const)('is drafted again if a sweep precedes the %s', (kind) => {
    const swept: string[] = [];
    const stop = interceptFiles(folder, (call) => {
      if (call.kind !== kind || swept.length > 0) return undefined;
      swept.push(...leftLocks(folder));
      for (const path of swept) rmSync(path);
      return undefined;
    });
    const lock = lockIndex(folder);
    stop();
    expect(swept).toHaveLength(1);
    lock.assertHeld();
    lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is busy if every draft is swept', () => {
    const stop = interceptFiles(folder, ({ kind, path }) => {
      if (kind === 'link') rmSync(path);
      return undefined;
    });
    const refused = errorOf(() => lockIndex(folder));
    stop();
    expect([refused.code, refused.details]).toEqual(['index_busy', {}]);
  });

  test('cannot be taken in a folder that is removed before the link', () => {
    const stop = interceptFiles(folder, ({ kind }) => {
      if (kind === 'link') renameSync(folder, `${folder}.dropped`);
      return undefined;
    });
    const refused = errorOf(() => lockIndex(folder));
    stop();
    rmSync(`${folder}.dropped`, { recursive: true });
    expect([refused.code, refused.details?.errno]).toEqual(['io_error', 'ENOENT']);
  });

  test('is not taken from a living process whose start cannot be read', () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const hidden = interceptFiles(`/proc/${child.pid}`, (call) => {
      throw systemError('EACCES', call);
    });
    try {
      const lives = { ...thisProcess(), pid: child.pid, started: '1', token: 'other' };
      writeFileSync(join(folder, 'writer.lock'), JSON.stringify(lives));
      expect(errorOf(() => lockIndex(folder)).details).toMatchObject({ pid: child.pid });
    } finally {
      hidden();
      child.kill('SIGKILL');
    }
  });

  test('marks its own lock that another process put aside as not left over', () => {
    const own = { ...thisProcess(), token: 'own' };
    writeFileSync(join(folder, 'writer.lock.other.dead'), JSON.stringify(own));
    expect(leftLocks(folder)).toEqual([]);
  });

  test('marks drafts of dead processes as left over, those of live ones not', () => {
    const dead = { ...thisProcess(), boot_id: 'before', token: 'a' };
    const far = { ...thisProcess(), host: 'elsewhere', token: 'b' };
    writeFileSync(join(folder, 'writer.lock.a'), JSON.stringify(dead));
    writeFileSync(join(folder, 'writer.lock.b'), JSON.stringify(far));
    writeFileSync(join(folder, 'writer.lock.c.dead'), '{"pid":');
    const names = leftLocks(folder).map((path) => path.slice(folder.length + 1));
    expect(names.sort()).toEqual(['writer.lock.a', 'writer.lock.c.dead']);
  });
});
