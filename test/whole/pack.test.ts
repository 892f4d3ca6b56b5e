import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { byEffort } from '../support/effort.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'lhs-pack-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (command: string, args: string[], cwd: string) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

function install(tarballs: readonly string[], app: string): void {
  writeFileSync(
    join(app, 'package.json'),
    '{"name":"app","private":true,"allowScripts":{"koffi":false,"better-sqlite3":false}}',
  );
  run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...tarballs], app);
}

/** As `install`, with the dependencies of this clone: takes a second instead of half a minute. */
function unpack(tarballs: readonly string[], app: string): void {
  const modules = join(app, 'node_modules');
  const own = join(modules, '@lakehouse-search');
  mkdirSync(own, { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name.startsWith('.') || name === basename(own)) continue;
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  for (const tarball of tarballs) {
    run('tar', ['-xzf', tarball], own);
    const { name } = JSON.parse(readFileSync(join(own, 'package/package.json'), 'utf8'));
    renameSync(join(own, 'package'), join(modules, name));
  }
  mkdirSync(join(modules, '.bin'));
  symlinkSync(join(own, 'cli/bin/lhs.js'), join(modules, '.bin/lhs'));
}

describe('packed packages', () => {
  it('install to a working lhs in an empty folder', () => {
    const packed = join(folder, 'packed');
    mkdirSync(packed);
    run('npm', ['pack', '--workspaces', '--pack-destination', packed], root);
    const tarballs = readdirSync(packed).map((name) => join(packed, name));
    expect(tarballs).toHaveLength(9);
    const app = join(folder, 'app');
    mkdirSync(app);
    byEffort(unpack, install)(tarballs, app);
    const lhs = join(app, 'node_modules/.bin/lhs');
    const node = process.execPath;
    expect(run(node, [lhs, '--version'], app)).toMatch(/^lhs \d+\.\d+\.\d+\n$/);
    const data = join(folder, 'data');
    const demo = JSON.parse(run(node, [lhs, 'demo', '--data-dir', data, '--json'], app));
    expect(demo).toMatchObject({ equal: true, inserted: 20, updated: 3, deleted: 2 });
    const answer = JSON.parse(
      run(node, [lhs, 'search', 'demo-incidents', 'timeout', '--data-dir', data, '--json'], app),
    );
    expect(answer.total).toBeGreaterThan(100);
    const question = 'employees locked outside the office entrance';
    const meant = ['index', 'semantic', 'demo-incidents', question, '--data-dir', data, '--json'];
    expect(JSON.parse(run(node, [lhs, ...meant], app)).hits[0].fields.title).toBe(
      'Nobody could enter the building',
    );
  });
});
