import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { hasEnded, processMark } from '../process-mark.ts';
import { WorkFolder } from './work-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'lhs-work-test-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('a work folder', () => {
  it('is private, and takes the parents that were made for it along', async () => {
    const parent = join(root, 'a', 'b');
    const folder = await WorkFolder.make(parent);
    expect(statSync(folder.path).mode & 0o777).toBe(0o700);
    writeFileSync(join(folder.path, 'x'), 'x');
    folder.remove();
    expect(existsSync(join(root, 'a'))).toBe(false);
  });

  it('leaves parents that are in use', async () => {
    const parent = join(root, 'c', 'd');
    const folder = await WorkFolder.make(parent);
    writeFileSync(join(parent, 'kept'), '');
    folder.remove();
    expect(readdirSync(parent)).toEqual(['kept']);
  });

  it('of a killed process is deleted by the next one beside it, a live one stays', async () => {
    const parent = join(root, 'e');
    const living = await WorkFolder.make(parent);
    const module = new URL('./work-folder.ts', import.meta.url).href;
    const script = `const { WorkFolder } = await import(${JSON.stringify(module)});
      console.log((await WorkFolder.make(${JSON.stringify(parent)})).path);
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
    const [path] = await once(child.stdout.setEncoding('utf8'), 'data');
    (await WorkFolder.make(parent)).remove();
    expect(existsSync(path.trim())).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    (await WorkFolder.make(parent)).remove();
    expect(existsSync(path.trim())).toBe(false);
    expect(existsSync(living.path)).toBe(true);
  });
});

describe('a work folder that cannot be made', () => {
  it('is refused by name', async () => {
    await expect(WorkFolder.make('/proc/nowhere')).rejects.toMatchObject({ file: '/proc/nowhere' });
  });
});

describe('a process mark', () => {
  it('tells a running process from one that ended', () => {
    const mark = processMark();
    expect(hasEnded(mark)).toBe(false);
    const [host, boot, , start] = mark.split('-');
    expect(hasEnded(`${host}-${boot}-4194305-${start}`)).toBe(true);
    expect(hasEnded(`${host}-${boot}-${process.pid}-1`)).toBe(process.platform === 'linux');
    expect(hasEnded(`00000000-${boot}-4194305-${start}`)).toBe(false);
    expect(hasEnded('anything')).toBe(false);
  });
});
