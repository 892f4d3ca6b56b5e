// @module-tag campaign
/**
 * Each package as it is packed, alone in an empty project with the packages that its manifest names
 * and nothing else. The declared dependencies are links into this clone, which takes a second;
 * campaigns install the command with npm. Runs with this Node and with those of LHS_NODES (paths,
 * separated by colons), such as the oldest and the newest Node that `engines` allows.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
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
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { byEffort } from '../support/effort.ts';

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SCOPE = '@lakehouse-search/';
const FOLDERS = readdirSync(join(ROOT, 'packages'));
const NODES = [process.execPath, ...(process.env.LHS_NODES ?? '').split(':').filter(Boolean)];
const folder = mkdtempSync(join(tmpdir(), 'lhs pack-')); // a path with a space
const packed = join(folder, 'packed');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (command: string, args: readonly string[], cwd: string) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8'));

const dependenciesOf = ({ dependencies, optionalDependencies }: Manifest): readonly string[] =>
  Object.keys({ ...dependencies, ...optionalDependencies });

/** The folder names of a package and of those of ours that it depends on, directly or not. */
function withOurs(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const needed of dependenciesOf(manifestOf(name))) {
    if (needed.startsWith(SCOPE)) withOurs(needed.slice(SCOPE.length), found);
  }
  return found;
}

const tarball = (name: string) => join(packed, `lakehouse-search-${name}-0.1.0.tgz`);

function install(names: readonly string[], app: string): void {
  const allowScripts = { koffi: false, 'better-sqlite3': false };
  writeFileSync(
    join(app, 'package.json'),
    JSON.stringify({ name: 'app', private: true, allowScripts }),
  );
  const args = ['install', '--no-audit', '--no-fund', '--prefer-offline'];
  run('npm', [...args, ...names.map(tarball)], app);
}

/** Extracts the tarballs and links the dependencies that they declare, and no others. */
function link(names: readonly string[], app: string): void {
  const modules = join(app, 'node_modules');
  mkdirSync(join(modules, SCOPE), { recursive: true });
  for (const name of names) {
    run('tar', ['-xzf', tarball(name)], modules);
    renameSync(join(modules, 'package'), join(modules, SCOPE, name));
    const inner = join(ROOT, 'packages', name, 'node_modules');
    if (existsSync(inner)) symlinkSync(inner, join(modules, SCOPE, name, 'node_modules'));
    for (const needed of dependenciesOf(manifestOf(name))) {
      if (needed.startsWith(SCOPE) || existsSync(join(modules, needed))) continue;
      mkdirSync(dirname(join(modules, needed)), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules', needed), join(modules, needed));
    }
  }
}

const apps = new Map<string, string>();
/** An empty project with one package; made once. */
function appOf(name: string): string {
  const app = apps.get(name) ?? join(folder, `app of ${name}`);
  if (apps.has(name)) return app;
  mkdirSync(app);
  const add = name === 'cli' ? byEffort(link, install) : link;
  add([...withOurs(name)], app);
  apps.set(name, app);
  return app;
}

beforeAll(() => {
  mkdirSync(packed);
  run('npm', ['pack', '--workspaces', '--pack-destination', packed], ROOT);
  expect(readdirSync(packed)).toHaveLength(FOLDERS.length);
});

describe.each(NODES)('with %s', (node) => {
  const libraries = FOLDERS.filter((name) => manifestOf(name).exports?.['.'] !== undefined);

  it.each(libraries)('%s can be imported alone', (name) => {
    const app = appOf(name);
    const program = `import * as all from '${SCOPE}${name}'; console.log(Object.keys(all).length)`;
    writeFileSync(join(app, 'import.mjs'), program);
    expect(Number(run(node, ['import.mjs'], app))).toBeGreaterThan(3);
  });

  it('the command runs: demo, verify, search by words and by meaning, backup', () => {
    const app = appOf('cli');
    const data = mkdtempSync(join(folder, 'data of '));
    const bin = join(app, 'node_modules', SCOPE, 'cli/bin/lhs.js');
    const lhs = (...args: string[]) => run(node, [bin, ...args, '--data-dir', data], app);
    expect(run(node, [bin, '--version'], app)).toMatch(/^lhs \d+\.\d+\.\d+\n$/);
    const demo = JSON.parse(lhs('demo', '--json'));
    expect(demo).toMatchObject({ equal: true, inserted: 20, updated: 3, deleted: 2 });
    expect(JSON.parse(lhs('index', 'verify', 'demo-incidents', '--deep', '--json'))).toMatchObject({
      equal: true,
    });
    const answer = JSON.parse(lhs('search', 'demo-incidents', 'timeout', '--json'));
    expect(answer.total).toBeGreaterThan(100);
    const question = 'employees locked outside the office entrance';
    const meant = JSON.parse(lhs('index', 'semantic', 'demo-incidents', question, '--json'));
    expect(meant.hits[0].fields.title).toBe('Nobody could enter the building');
    lhs('index', 'backup', 'demo-incidents', '--to', join(data, 'copies'), '--verify');
    expect(lhs('doctor')).toContain('node');
  });

  it('the command serves accounts, REST and the console', async () => {
    const data = mkdtempSync(join(folder, 'served '));
    const bin = join(appOf('cli'), 'node_modules', SCOPE, 'cli/bin/lhs.js');
    const free = ['--rest-addr', '127.0.0.1:0', '--addr', '127.0.0.1:0'];
    const args = [bin, 'serve', 'all', '--auth', ...free, '--data-dir', data, '--json'];
    const env = { ...process.env, LHS_ADMIN_PASSWORD: 'long-enough' };
    const server = spawn(node, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void server.kill('SIGKILL'));
    const exit = once(server, 'exit');
    const lines = createInterface(server.stdout);
    const [line] = await Promise.race([once(lines, 'line'), exit]);
    const { url } = JSON.parse(line);
    const login = await fetch(`${url}/v1/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'admin', password: 'long-enough' }),
    });
    const { token } = (await login.json()) as { readonly token: string };
    const authorization = `Bearer ${token}`;
    expect((await fetch(`${url}/v1/indexes`, { headers: { authorization } })).status).toBe(200);
    expect((await fetch(`${url}/v1/indexes`)).status).toBe(401);
    const page = await fetch(`${url}/`, { headers: { accept: 'text/html' } });
    expect(await page.text()).toContain('<!doctype html>');
    server.kill();
    expect(await exit).toEqual([0, null]);
  });
});
