/**
 * Each kind of command for a user without home, passwd entry, SHELL and TERM, in a file system that
 * is read-only but for the data folder and the cache folder, as in a container.
 */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { hasContainers, startContainer } from '../../../test/support/container.ts';

/** The exit code of `erase check` for a key that the table has. */
const STILL_IN_TABLE = 5;
const folder = mkdtempSync(join(tmpdir(), 'lhs-bare-'));
const [data, cache] = ['/var/lib/lhs', '/var/cache'];
const volumes = { [data]: join(folder, 'data'), [cache]: join(folder, 'cache') };
for (const path of Object.values(volumes)) mkdirSync(path);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const lhs = (...args: string[]) => ended(0, args);

/** Runs a command to its end, with an exit code; returns standard output. */
async function ended(expected: number, args: readonly string[]): Promise<string> {
  const env = { LHS_DATA_DIR: data, XDG_CACHE_HOME: cache };
  const child = startContainer({ volumes, env }, args);
  const [out, err, [code]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'close'),
  ]);
  expect(code, `${args.join(' ')}: ${err}`).toBe(expected);
  return out;
}

describe.skipIf(!hasContainers())('a user without home, shell and writable system', () => {
  it('runs the demo and searches it', async () => {
    expect(await lhs('version')).toMatch(/^lhs \d/);
    await lhs('demo', '--json');
    const search = await lhs('search', 'demo-incidents', 'locked outside', '--mode', 'hybrid');
    expect(search).toContain('id=');
    expect(await lhs('index', 'verify', 'demo-incidents', '--json')).toContain('"equal":true');
  });

  it('uses its cache folder for temporary files, and leaves none', async () => {
    const copies = join(data, 'copies');
    await lhs('index', 'backup', 'demo-incidents', '--to', copies);
    writeFileSync(join(volumes[data], 'keys'), 'id=4217\n');
    const keys = ['--keys', join(data, 'keys'), '--backup', copies];
    await ended(STILL_IN_TABLE, ['erase', 'check', 'demo-incidents', ...keys]);
    expect(readdirSync(join(volumes[cache], 'lhs', 'tmp'))).toEqual([]);
  });

  it.each([
    ['doctor'],
    ['mcp', 'config', '--client', 'claude'],
    ['help', 'search'],
    ['index', 'list'],
    ['index', 'init', 'demo.incidents', '--warehouse', join(data, 'demo-lake')],
    ['source', 'rows', 'demo.incidents', '--warehouse', join(data, 'demo-lake'), '--limit', '1'],
  ])('runs lhs %s', async (...args) => {
    expect(await lhs(...args)).not.toBe('');
  });
});
