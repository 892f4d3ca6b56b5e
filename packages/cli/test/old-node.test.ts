import { spawn, spawnSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ended, Home, LHS } from './child.ts';

const home = new Home();
afterAll(() => home.dispose());

/** A Node of the PATH that is older than `lhs` needs. */
const oldNode = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .find((node) => /^v(1\d|20|21)\./.test(spawnSync(node, ['--version']).stdout?.toString() ?? ''));

const start = (...args: string[]) =>
  spawn(oldNode as string, [LHS, ...args], {
    cwd: home.folder,
    env: { LHS_DATA_DIR: home.path('data'), XDG_CACHE_HOME: home.path('cache') },
  });

describe.skipIf(oldNode === undefined)('lhs under a Node that is too old', () => {
  it('runs with the Node that npm ci installed, and ends as it ends', async () => {
    const version = await ended(start('version', '--json'));
    expect(JSON.parse(version.stdout).node).toMatch(/^v(2[2-9]|[3-9]\d)\./);
    const wrong = await ended(start('nonsense'));
    expect([wrong.code, wrong.stdout]).toEqual([2, '']);
  });

  it('names what to install if it is installed alone', async () => {
    const program = home.path('package', 'bin');
    cpSync(dirname(LHS), program, { recursive: true });
    writeFileSync(home.path('package', 'package.json'), '{"type":"module"}');
    const done = await ended(spawn(oldNode as string, [join(program, 'lhs.js'), 'demo', "it's"]));
    expect(done).toMatchObject({ code: 1, stdout: '' });
    expect(done.stderr).toMatch(/^error: lhs needs Node 22\.19 or newer, this is v/);
    expect(done.stderr).toContain(
      "\n  npx -p node@24 lhs demo 'it'\\''s' runs it with a newer one",
    );
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('passes %s on', async (signal) => {
    const child = start('serve', 'all', '--rest-addr', '127.0.0.1:0', '--addr', '127.0.0.1:0');
    const end = ended(child);
    await new Promise((resolve) => child.stderr.once('data', resolve));
    child.kill(signal);
    expect((await end).code).toBe(0);
  });
});
