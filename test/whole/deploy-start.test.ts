/**
 * The systemd unit and the Compose file, started as plain processes of this machine: their commands
 * and variables as the files have them, with addresses of this machine. The object store is a
 * folder; the database is PostgreSQL if it is there (LHS_EMBEDDED_POSTGRES), else SQLite.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@lakehouse-search/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { byEffort } from '../support/effort.ts';
import {
  type EmbeddedPostgres,
  findEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../support/embedded-postgres.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LHS = join(ROOT, 'packages/cli/bin/lhs.js');
const WAIT = { interval: 50 };
const PASSWORD = 'long-enough';
const FREE = '127.0.0.1:0';

interface Service {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** In campaigns: it starts PostgreSQL and seven processes. */
describe.skipIf(byEffort(true, false))('the files of deploy/, started as processes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-deploy-'));
  const children: ChildProcess[] = [];
  const module = findEmbeddedPostgres();
  let postgres: EmbeddedPostgres | undefined;

  beforeAll(async () => {
    if (module !== null) postgres = await startEmbeddedPostgres(module);
  });

  afterAll(async () => {
    for (const child of children.reverse()) await end(child);
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(args: readonly string[], env: Readonly<Record<string, string>>) {
    const own = { PATH: process.env.PATH ?? '', HOME: folder, ...env };
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    const child = spawn(process.execPath, [LHS, ...args, '--json'], {
      env: own,
      stdio: [...stdio],
    });
    children.push(child);
    const printed = { out: '', err: '' };
    child.stdout.on('data', (chunk) => {
      printed.out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      printed.err += chunk;
    });
    const line = () =>
      printed.out.split('\n').find((one) => one.startsWith('{"') && one.includes('"grpc":'));
    await vi.waitFor(() => {
      if (line() === undefined) throw new Error(`${args.join(' ')}: ${printed.out} ${printed.err}`);
    }, WAIT);
    const { grpc, url = '' } = JSON.parse(line()!) as { grpc: string; url?: string };
    return { child, grpc, url };
  }

  it('serve all as the systemd unit says, and end on its signal', async () => {
    const unit = readFileSync(join(ROOT, 'deploy/lhs.service'), 'utf8');
    const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)![1];
    const [program, ...args] = value('ExecStart')
      .replace('/etc/lhs/', join(ROOT, 'deploy/'))
      .replace('/var/lib/lhs', join(folder, 'state'))
      .split(' ');
    expect(program).toBe('/usr/local/bin/lhs');
    const env = { LHS_REST_ADDR: FREE, LHS_ADDR: FREE, LHS_ADMIN_PASSWORD: PASSWORD };
    const { child, url } = await start(args, env);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect((await fetch(`${url}/v1/indexes`)).status).toBe(401);
    expect(await end(child, value('KillSignal') as NodeJS.Signals)).toBe(0);
  });

  it('run the cluster of the Compose file', async () => {
    const { services } = parse(readFileSync(join(ROOT, 'deploy/compose.yaml'), 'utf8'), {
      merge: true,
    }) as { services: Readonly<Record<string, Service>> };
    mkdirSync(join(folder, 'objects'));
    const given: Readonly<Record<string, string>> = {
      LHS_CLUSTER_KEY: 'key of the cluster in tests',
      LHS_ADMIN_PASSWORD: PASSWORD,
      S3_ACCESS_KEY: 'demo',
      S3_SECRET_KEY: 'demo-secret',
      POSTGRES_URL: (await postgres?.newDatabase()) ?? '',
    };
    const run = (name: string, addresses: Readonly<Record<string, string>>) => {
      const { command, environment } = services[name];
      const env = Object.entries(environment).map(([key, text]) => {
        return [key, text.replace(/\$\{(\w+):\?[^}]*\}/g, (_, of: string) => given[of])] as const;
      });
      const kept = env.filter(([key]) => postgres !== undefined || !/POSTGRES/.test(key));
      const args = command.map((arg, i) => addresses[command[i - 1]] ?? arg);
      const own = {
        LHS_DATA_DIR: join(folder, name),
        LHS_LOG_LEVEL: 'silent',
        LHS_REST_ADDR: FREE,
      };
      const target = { LHS_BACKUP_TARGET: join(folder, 'objects') };
      return start(args, { ...own, ...Object.fromEntries(kept), ...target });
    };
    const plane = await run('control-plane', { '--addr': FREE });
    const led = { '--control-plane': plane.grpc, '--addr': FREE, '--rest-addr': FREE };
    for (const name of ['node-0', 'node-1', 'node-2']) await run(name, led);
    const gateway = await run('gateway', led);
    const visitor = createClient({ url: gateway.url });
    const { token } = await visitor.login({ username: 'admin', password: PASSWORD });
    await visitor.close();
    const admin = createClient({ url: gateway.url, authorization: () => `Bearer ${token}` });
    const inUse = async () => (await admin.license({})).nodes_in_use === 3;
    await vi.waitUntil(inUse, WAIT);
    await admin.close();
  });
});

/** The exit code after a signal. */
async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM') {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
  return child.exitCode;
}
