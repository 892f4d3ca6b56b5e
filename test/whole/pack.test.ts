// @module-tag campaign
/**
 * Each package as it is packed, alone in an empty project with the packages that its manifest names
 * and nothing else. The declared dependencies are links into this clone, which takes a second;
 * campaigns install the command globally with npm, from its tarball alone. Runs with this Node and
 * with those of LHS_NODES (paths, separated by colons), such as the oldest and the newest Node that
 * `engines` allows.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { byEffort } from '../support/effort.ts';
import {
  dependenciesOf,
  FOLDERS,
  link,
  manifestOf,
  packInto,
  ROOT,
  run,
  SCOPE,
  tarball,
  withOurs,
} from '../support/packed.ts';

const NODES = [process.execPath, ...(process.env.LHS_NODES ?? '').split(':').filter(Boolean)];
const folder = mkdtempSync(join(tmpdir(), 'lhs pack-')); // a path with a space
const packed = join(folder, 'packed');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function install(names: readonly string[], app: string): void {
  const args = ['install', '--global', '--prefix', app, '--no-audit', '--no-fund'];
  run('npm', [...args, '--prefer-offline', ...names.map((name) => tarball(packed, name))], app);
  symlinkSync(join(app, 'lib/node_modules'), join(app, 'node_modules'));
}

/** The names of the services, by reflection, and what surrounds them in the message. */
async function servicesOf(address: string, version: string): Promise<string> {
  const client = new Client(address, credentials.createInsecure());
  const method = `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`;
  const bytes = (buffer: Buffer) => buffer;
  const stream = client.makeBidiStreamRequest(method, bytes, bytes);
  stream.end(Buffer.from([0x3a, 0])); // list_services: ''
  const [message] = await once(stream, 'data');
  client.close();
  return message.toString('latin1');
}

const apps = new Map<string, string>();
/** An empty project with one package; made once. */
function appOf(name: string): string {
  const app = apps.get(name) ?? join(folder, `app of ${name}`);
  if (apps.has(name)) return app;
  mkdirSync(app);
  const names = [...withOurs(name)];
  if (name === 'cli' && byEffort(false, true)) install(names, app);
  else link(packed, names, app);
  apps.set(name, app);
  return app;
}

beforeAll(() => {
  packInto(packed);
  expect(readdirSync(packed)).toHaveLength(FOLDERS.length);
});

describe('the package of the command', () => {
  it('contains all but two native libraries', () => {
    expect([...withOurs('cli')]).toEqual(['cli']);
    const [duckdb, ...optional] = dependenciesOf(manifestOf('cli'));
    expect(duckdb).toBe('@duckdb/node-bindings');
    expect(optional.filter((name) => !name.startsWith('@koromix/koffi-'))).toEqual([]);
    if (byEffort(true, false)) return;
    const [kibibytes] = run('du', ['-sk', appOf('cli')], folder).split('\t');
    expect(Number(kibibytes) / 1024).toBeLessThan(120);
  });

  it('contains the pages, and a list of them for agents', () => {
    const files = run('tar', ['-tzf', tarball(packed, 'cli')], folder).split('\n');
    const pages = readdirSync(join(ROOT, 'docs')).filter((file) => file.endsWith('.md'));
    const inside = (file: string) => `package/bundle/docs/${file}`;
    expect(files).toEqual(expect.arrayContaining([...pages, 'llms.txt'].map(inside)));
    const list = run('tar', ['-xOzf', tarball(packed, 'cli'), inside('llms.txt')], folder);
    for (const page of pages)
      expect(list).toMatch(new RegExp(`^- \\[.+\\]\\(${page}\\): [A-Z\`].*\\.$`, 'm'));
  });

  it.runIf(byEffort(false, true))(
    'is installed by the line of README.md, without the clone',
    () => {
      const prefix = join(folder, 'by readme');
      const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
      const [, line] = /^```sh tested-by test\/whole\/pack\.test\.ts\n(.*)\n```$/m.exec(readme)!;
      onTestFinished(() => rmSync(join(ROOT, 'lakehouse-search-cli-0.1.0.tgz')));
      const env = { ...process.env, npm_config_prefix: prefix, npm_config_prefer_offline: 'true' };
      const script = `exec 2>&1; ${line}`;
      const printed = execFileSync('bash', ['-euo', 'pipefail', '-c', script], { cwd: ROOT, env });
      expect(printed.toString()).not.toMatch(/warn/i);
      const command = realpathSync(join(prefix, 'bin/lhs'));
      expect(command.startsWith(realpathSync(prefix))).toBe(true);
      expect(run(process.execPath, [command, 'version'], folder)).toContain('0.1.0');
    },
  );

  it('is installed by the Dockerfile with the native libraries alone', () => {
    const app = join(folder, 'image');
    const [, install] = /^FROM build AS install\nRUN ((?:.*\\\n)*.*)$/m.exec(
      readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8'),
    )!;
    const script = install.replaceAll('/app', '"$APP"');
    const env = { ...process.env, APP: app };
    const doctor = execFileSync('bash', ['-euo', 'pipefail', '-c', script], { cwd: ROOT, env });
    expect(doctor.toString()).not.toContain(' bad ');
    expect(existsSync(join(app, 'packages/cli/node_modules/apache-arrow'))).toBe(false);
  });
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
    for (const ending of ['arrow', 'parquet']) {
      const file = join(data, `hits.${ending}`);
      lhs('search', 'demo-incidents', 'timeout', '--output', file);
      expect(statSync(file).size).toBeGreaterThan(1000);
    }
    expect(lhs('doctor')).not.toContain(' bad ');
  });

  it('the command names lines of our sources in stacks, with --debug', () => {
    const bin = join(appOf('cli'), 'node_modules', SCOPE, 'cli/bin/lhs.js');
    const data = mkdtempSync(join(folder, 'empty '));
    const args = [bin, 'search', 'absent', 'x', '--debug', '--data-dir', data];
    const { stderr } = spawnSync(node, args, { encoding: 'utf8' });
    const [, file, line] = /Registry\.get \(.*\/(engine\/src\/\S+):(\d+):/.exec(stderr)!;
    const source = readFileSync(join(ROOT, 'packages', file!), 'utf8').split('\n')[
      Number(line) - 1
    ];
    expect(source).toContain('this.#read(');
  });

  it('the command has the clients of S3 and PostgreSQL in it', () => {
    const bin = join(appOf('cli'), 'node_modules', SCOPE, 'cli/bin/lhs.js');
    const failed = (args: readonly string[], env: object) => {
      const child = spawnSync(node, [bin, ...args], { env: { ...process.env, ...env } });
      expect(child.status).not.toBe(0);
      return child.stderr.toString();
    };
    const s3 = { AWS_ENDPOINT_URL: 'http://127.0.0.1:1', AWS_REGION: 'us-east-1' };
    const keys = { AWS_ACCESS_KEY_ID: 'some-key-id', AWS_SECRET_ACCESS_KEY: 'some-secret' };
    const tables = ['source', 'tables', '--warehouse', 's3://bucket/lake'];
    expect(failed(tables, { ...s3, ...keys })).toContain('ECONNREFUSED');
    const store = {
      LHS_STORE_POSTGRES_ENV: 'STORE_URL',
      STORE_URL: 'postgres://127.0.0.1:1/lhs',
      LHS_CLUSTER_KEY: 'a key of a cluster that never starts',
    };
    expect(failed(['serve', 'control-plane', '--addr', '127.0.0.1:0'], store)).toMatch(
      /ECONNREFUSED|cannot be reached/,
    );
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
    const { url, grpc } = JSON.parse(line);
    for (const version of ['v1', 'v1alpha']) {
      expect(await servicesOf(grpc, version)).toContain('lhs.v1.Search');
    }
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
