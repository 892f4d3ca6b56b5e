// @module-tag campaign
// @module-tag program
/**
 * The systemd unit, the Compose file and the start commands of pages and `--help`, run as plain
 * processes with their commands, variables and addresses as they are printed. The processes of the
 * Compose file are on hosts of their own, under the names of their services. Three things differ:
 * the configuration lies in deploy/, the object store is a folder, and the store is SQLite, as no
 * machine has PostgreSQL under that name.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { byEffort } from '../support/effort.ts';
import { type Command, canMakeNetworks, PrivateNetwork } from '../support/private-network.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LHS: Command = [process.execPath, join(ROOT, 'packages/cli/bin/lhs.js')];
const WAIT = { interval: 50 };
const PASSWORD = 'long-enough';
const FREE = '127.0.0.1:0';
const KEY = { LHS_CLUSTER_KEY: 'key of the cluster in tests' };

/** Prints how many nodes the license of a gateway counts, as its users read it. */
const NODES_IN_USE = `
const post = { method: 'POST', headers: { 'content-type': 'application/json' } };
const at = (path, init) => fetch('http://127.0.0.1:8080/v1/' + path, init).then((r) => r.json());
const user = JSON.stringify({ username: 'admin', password: '${PASSWORD}' });
const { token } = await at('login', { ...post, body: user });
const authorization = 'Bearer ' + token;
process.stdout.write(String((await at('license', { headers: { authorization } })).nodes_in_use));
`;

interface Service {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

type Environment = Readonly<Record<string, string>>;

/** Where a process runs: a host of a network, and a folder. */
interface Where {
  readonly on?: (command: Command) => Command;
  readonly cwd?: string;
}

/** In campaigns: it starts twenty processes. */
describe.skipIf(byEffort(true, false))('the commands that start servers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-deploy-'));
  let networks: PrivateNetwork[] = [];
  let children: ChildProcess[] = [];

  afterEach(async () => {
    for (const child of children.reverse()) await end(child);
    for (const network of networks) await network.close();
    [children, networks] = [[], []];
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function networkOf(...hosts: readonly string[]): Promise<PrivateNetwork> {
    const network = await PrivateNetwork.open(hosts);
    networks.push(network);
    return network;
  }

  function run(args: readonly string[], env: Environment, { on = (c) => c, cwd = folder }: Where) {
    const [program, ...own] = on(['env', '--chdir', cwd, ...LHS, ...args]);
    const child = spawn(program, own, {
      cwd,
      env: { PATH: process.env.PATH ?? '', HOME: cwd, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    const printed = { out: '', err: '' };
    child.stdout.on('data', (chunk) => {
      printed.out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      printed.err += chunk;
    });
    return { child, printed };
  }

  /** Starts a server; its addresses are those that it prints. */
  async function start(args: readonly string[], env: Environment, where: Where = {}) {
    const { child, printed } = run([...args, '--json'], env, where);
    const line = () =>
      printed.out.split('\n').find((one) => one.startsWith('{"') && one.includes('"grpc":'));
    const ended = once(child, 'close').then(() => {
      throw new Error(`${args.join(' ')}: ${printed.out} ${printed.err}`);
    });
    ended.catch(() => {});
    await Promise.race([ended, vi.waitUntil(() => line() !== undefined, WAIT)]);
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

  describe.skipIf(!canMakeNetworks())('with the addresses as printed (root on Linux)', () => {
    it('run the cluster of the Compose file', async () => {
      const { services } = parse(readFileSync(join(ROOT, 'deploy/compose.yaml'), 'utf8'), {
        merge: true,
      }) as { services: Readonly<Record<string, Service>> };
      const names = ['gateway', 'node-0', 'node-1', 'node-2', 'control-plane'];
      const network = await networkOf(...names);
      mkdirSync(join(folder, 'objects'));
      const secrets: Environment = {
        ...KEY,
        LHS_ADMIN_PASSWORD: PASSWORD,
        S3_ACCESS_KEY: 'demo',
        S3_SECRET_KEY: 'demo-secret',
      };
      for (const name of names) {
        const { command, environment } = services[name];
        const env = Object.entries(environment)
          .filter(([key]) => !/POSTGRES/.test(key))
          .map(([key, value]) => [
            key,
            value.replace(/\$\{(\w+):\?[^}]*\}/g, (_, of) => secrets[of]),
          ]);
        const replaced = {
          LHS_DATA_DIR: join(folder, name),
          LHS_BACKUP_TARGET: join(folder, 'objects'),
        };
        await start(
          command.map((word) => word.replace('/etc/lhs/', join(ROOT, 'deploy/'))),
          { ...Object.fromEntries(env), ...replaced },
          { on: (own) => network.on(name, own) },
        );
      }
      await vi.waitFor(async () => {
        const read = [process.execPath, '--input-type=module', '--eval', NODES_IN_USE] as const;
        const child = spawn('nsenter', network.on('gateway', read).slice(1));
        const [[code], printed] = await Promise.all([once(child, 'close'), text(child.stdout)]);
        expect([code, printed]).toEqual([0, '3']);
      }, WAIT);
    });

    it('start as docs/cluster.md and --help print them, with a key', async () => {
      const page = readFileSync(join(ROOT, 'docs/cluster.md'), 'utf8');
      const blocks = [...page.matchAll(/^```sh tested-by[^\n]*\n(.*?)^```/gms)].map(
        ([, text]) => text,
      );
      const isOfCluster = (line: string) => /^lhs serve (node|gateway|control-plane) /.test(line);
      const fixedList = blocks.flatMap((text) => text.split('\n').filter(isOfCluster));
      const examples: string[][] = [];
      for (const role of ['node', 'gateway', 'control-plane']) {
        const { child, printed: help } = run(['serve', role, '--help'], {}, {});
        await once(child, 'close');
        const lines = [...help.out.matchAll(/^ *\$ (lhs serve [^[\n]*)$/gm)].map(
          ([, line]) => line,
        );
        examples.push(...lines.map((line) => [line]));
      }
      expect([fixedList.length, examples.length]).toEqual([4, 6]);
      const hosts = [fixedList, ...examples];
      const network = await networkOf(...hosts.map((_, i) => `host-${i}`));
      for (const [i, lines] of hosts.entries()) {
        const cwd = join(folder, `host-${i}`);
        mkdirSync(cwd);
        writeFileSync(join(cwd, 'server.yaml'), 'sync_poll_ms: 1000\n');
        writeFileSync(join(cwd, 'gateway.yaml'), 'cluster: { nodes: 127.0.0.1:9001 }\n');
        const where = { cwd, on: (own: Command) => network.on(`host-${i}`, own) };
        for (const line of lines) await start(line.split(' ').slice(1), KEY, where);
      }
    });
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
