import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { type Ended, ended, Home, LHS } from './child.ts';

/** Data folders that are missing, and those whose names are not text. */
const home = new Home();
const MISSING = home.path('missing', 'data');
const env = { LHS_DATA_DIR: MISSING };
afterAll(() => home.dispose());

describe('a missing data folder', () => {
  it.each([
    ['index list', 'no indexes yet'],
    ['alias list', 'no aliases yet'],
    ['jobs list', 'no jobs'],
    ['query list', 'no saved queries yet'],
  ])('is an empty one to lhs %s, which names it', async (command, answer) => {
    const { code, stdout, stderr } = await home.run(command.split(' '), { env });
    expect([code, stdout]).toEqual([0, expect.stringContaining(answer)]);
    expect(stderr).toContain(`data folder "${MISSING}" does not exist`);
    expect(stderr).toContain('lhs config set data_dir DIR');
    expect(existsSync(home.path('missing'))).toBe(false);
  });

  it.each([
    'search incidents timeout',
    'index search incidents timeout',
    'index describe incidents',
    'index status incidents',
    'index export incidents',
    'keys get incidents 1',
  ])('has no index for lhs %s', async (command) => {
    const { code, stderr } = await home.run(command.split(' '), { env });
    expect(code).not.toBe(0);
    expect(stderr).toContain('there is no index "incidents"');
    expect(stderr).toContain(`data folder "${MISSING}" does not exist`);
    expect(existsSync(home.path('missing'))).toBe(false);
  });

  it('is not made by lhs doctor', async () => {
    const { stdout } = await home.run(['doctor'], { env });
    expect(stdout).toContain(MISSING);
    expect(existsSync(home.path('missing'))).toBe(false);
  });
});

/** Runs `lhs` in a shell, in which `$name` is a name that is not UTF-8. */
function shell(script: string): Promise<Ended> {
  const text = `name=$(printf 'caf\\351'); lhs() { "$NODE" "$LHS" "$@"; }; ${script}`;
  const variables = { ...process.env, LHS_URL: '', NODE: process.execPath, LHS };
  const settings = { XDG_CONFIG_HOME: home.path('config'), LHS_DATA_DIR: home.path('data') };
  const child = spawn('sh', ['-c', text], { cwd: home.folder, env: { ...variables, ...settings } });
  return ended(child);
}

describe('a name that is not UTF-8', () => {
  it.each([
    ['a flag', 'lhs index list --data-dir "d/$name"', 'argument "d/caf\ufffd" is not UTF-8'],
    ['an output', 'lhs index list -o "$name"', 'argument "caf\ufffd" is not UTF-8'],
    ['the environment', 'LHS_DATA_DIR="d/$name" lhs index list', 'is not UTF-8'],
    ['the working folder', 'mkdir -p "$name"; cd "$name"; lhs index list --data-dir .', 'UTF-8'],
  ])('is refused in %s', async (_, script, message) => {
    mkdirSync(home.path('d'), { recursive: true });
    const { code, stderr } = await shell(script);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(readdirSync(home.path('d'))).toEqual([]);
    expect(readdirSync(home.folder).filter((name) => name.includes('caf'))).toEqual(
      script.includes('mkdir') ? ['caf\ufffd'] : [],
    );
  });

  it('is no matter in a query that has the replacement character itself', async () => {
    const { stderr } = await home.run(['search', 'incidents', 'a\ufffd'], { env });
    expect(stderr).toContain('there is no index "incidents"');
  });
});
