// @module-tag campaign
/**
 * The commands of docs/deploy.md, up to the first search over a real table. There is no container
 * engine here, so the test makes the containers itself: commands, variables, users, mounts, names
 * and addresses are those of the files. It replaces what no machine of the tests has: PostgreSQL
 * (SQLite instead, so one gateway and one control plane), the object store of Compose, `openssl`,
 * `systemctl` and the TLS of nobody. The shell runs the commands of the user as they are printed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Container, hasContainers, startContainer } from '../support/container.ts';
import { byEffort } from '../support/effort.ts';
import { findProgram } from '../support/find-program.ts';
import { manifests, podContainer, type Resource, renderChart } from '../support/kubernetes.ts';
import { canMakeNetworks, PrivateNetwork } from '../support/private-network.ts';
import { findVersitygw } from '../support/versitygw.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = readFileSync(join(ROOT, 'docs/deploy.md'), 'utf8');
const LHS = join(ROOT, 'packages/cli/bin/lhs.js');
const HELM = findProgram('helm');
const SECRETS: Environment = {
  LHS_CLUSTER_KEY: 'key of the cluster in tests',
  LHS_ADMIN_PASSWORD: 'correct-horse',
  S3_ACCESS_KEY: 'lhs',
  S3_SECRET_KEY: 'demo-secret',
};
/** What the image sets. */
const IMAGE: Environment = Object.fromEntries(
  [
    .../^ENV ((?:.*\\\n)*.*)$/m
      .exec(readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8'))![1]
      .matchAll(/(\w+)=(\S+)/g),
  ].map(([, name, value]) => [name, value]),
);

/** What creates the resources, and how many nodes there are. */
const RELEASES: readonly (readonly [string, () => readonly Resource[], number])[] = [
  ['kubectl', manifests, 3],
  ...(HELM === null ? [] : [['helm', () => renderChart(HELM, ['node.replicas=2']), 2] as const]),
];

type Environment = Readonly<Record<string, string>>;

/** The block of a section. */
const blockOf = (section: string): string =>
  new RegExp(`^## ${section}\n[^]*?^\`\`\`sh[^\n]*\n([^]*?)^\`\`\`$`, 'm').exec(PAGE)![1];

/** The words of a command, without quotes. */
const wordsOf = (command: string): readonly string[] =>
  command.match(/(?:"[^"]*"|[^\s"])+/g)!.map((word) => word.replaceAll('"', ''));

/** In campaigns: each test starts a service and builds an index. */
describe.skipIf(byEffort(true, false) || !hasContainers() || !canMakeNetworks())(
  'docs/deploy.md',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'lhs-deploy-'));
    chmodSync(folder, 0o755);
    let network: PrivateNetwork;
    let children: ChildProcess[] = [];

    afterEach(async () => {
      for (const child of children.reverse()) {
        const closed = once(child, 'close');
        if (child.exitCode === null && child.kill()) await closed;
      }
      children = [];
      await network.close();
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    const newFolder = () => mkdtempSync(join(folder, 'volume-'));

    /** Starts a container on a host; it runs until it prints that it listens. */
    async function start(host: string, container: Container, args: readonly string[]) {
      const env = { ...IMAGE, ...container.env };
      const child = startContainer(
        { ...container, env, on: (command) => network.on(host, command) },
        args,
      );
      children.push(child);
      let printed = '';
      const listening = new Promise<void>((resolve) => {
        for (const output of [child.stdout!, child.stderr!]) {
          output.on('data', (bytes) => {
            printed += bytes;
            if (/"msg":"listening/.test(printed)) resolve();
          });
        }
      });
      const exit = once(child, 'exit').then(([code]) => {
        throw new Error(`${host} ended with ${code}: ${printed}`);
      });
      exit.catch(() => {});
      await Promise.race([listening, exit]);
    }

    /** Runs a command to its end in a container; it must succeed. */
    async function finish(container: Container, args: readonly string[]): Promise<void> {
      const child = startContainer({ ...container, env: { ...IMAGE, ...container.env } }, args);
      const [err, [code]] = await Promise.all([text(child.stderr!), once(child, 'close')]);
      expect(code, err).toBe(0);
    }

    /** Runs a script of the user on a host, in a folder like a clone; returns what it prints. */
    async function shell(host: string, script: string): Promise<string> {
      const home = newFolder();
      mkdirSync(join(home, 'bin'));
      const lhs = `exec '${process.execPath}' '${LHS}' "$@"`;
      writeFileSync(join(home, 'bin/lhs'), `#!/bin/sh\n${lhs}\n`, { mode: 0o755 });
      writeFileSync(join(home, 'bin/npx'), `#!/bin/sh\nshift\n${lhs}\n`, { mode: 0o755 });
      const command = ['env', '--chdir', home, 'bash', '-euo', 'pipefail', '-c', script];
      const [program, ...args] = network.on(host, ['env', ...command.slice(1)]);
      const env = { PATH: `${home}/bin:${process.env.PATH}`, HOME: home };
      const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
      const [out, err, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ]);
      expect(code, `${out}${err}`).toBe(0);
      return out;
    }

    async function expectFirstSearch(host: string): Promise<void> {
      const printed = await shell(host, blockOf('First search'));
      expect(printed).toMatch(/^[1-9]\d* hits in incidents/m);
      expect(printed).not.toContain('partial');
    }

    /** Runs the `docker run … source import` of the page; returns the folder of the tables. */
    async function importTable(): Promise<string> {
      const lake = newFolder();
      chmodSync(lake, 0o755); // as `mkdir -p lake` makes it
      const [line] = dockerRuns(blockOf('Image'));
      expect(line).toContain('source import');
      await finish(containerOf(line, { lake, user: 1000 }), argsOf(line));
      return lake;
    }

    it('has an image that creates a table and serves it', async () => {
      network = await PrivateNetwork.open(['server']);
      const lake = await importTable();
      const [, line] = dockerRuns(blockOf('Image'));
      await start('server', containerOf(line, { lake }), argsOf(line));
      await expectFirstSearch('server');
    });

    it('has a cluster for Compose', async () => {
      const compose = parse(readFileSync(join(ROOT, 'deploy/compose.yaml'), 'utf8'), {
        merge: true,
      }) as Compose;
      const names = ['control-plane', 'node-0', 'node-1', 'node-2', 'gateway'];
      network = await PrivateNetwork.open(names);
      const lake = await importTable();
      for (const name of names) {
        const service = compose.services[name];
        const { volumes, files } = mountsOf(service.volumes, { lake, newFolder });
        const config = join(ROOT, 'deploy', compose.configs[service.configs[0].source].file);
        const container = {
          volumes,
          files: { ...files, [service.configs[0].target]: config },
          tmpfs: { '/tmp': '64m' },
          env: { ...withSecrets(service.environment), LHS_BACKUP_TARGET: '' },
        };
        await start(name, container, service.command);
      }
      await expectFirstSearch('gateway');
    });

    it.skipIf(findVersitygw() === null).each(RELEASES)(
      'has a cluster for Kubernetes, by %s',
      async (_, resources, replicas) => {
        const nodes = Array.from({ length: replicas }, (_, i) => `node-${i}`);
        const pods = ['control-plane', ...nodes, 'gateway'];
        // a headless service has the addresses of all nodes
        const hosts = pods.map((pod) => (pod.startsWith('node') ? `${pod} node` : pod));
        network = await PrivateNetwork.open([...hosts, 'objects']);
        const objects = newFolder();
        mkdirSync(join(objects, 'lake'));
        const table = ['--table', 'ops.incidents', '--key', 'id'];
        const file = join(ROOT, 'fixtures/incidents.parquet');
        const args = [
          'source',
          'import',
          file,
          ...table,
          '--warehouse',
          `${objects}/lake/warehouse`,
        ];
        await shell('objects', ['lhs', ...args].map((word) => `'${word}'`).join(' '));
        await startStore(objects);
        const { config, podOf } = podsOf(resources());
        const folderOfConfig = newFolder();
        writeFileSync(join(folderOfConfig, 'server.yaml'), config);
        chmodSync(folderOfConfig, 0o755);
        for (const [i, pod] of pods.entries()) {
          const { args, env } = podOf(pod);
          const container = {
            volumes: { '/var/lib/lhs': newFolder() },
            files: { '/etc/lhs': folderOfConfig },
            tmpfs: { '/tmp': '64m' },
            env: { ...env, ...STORE },
          };
          await start(hosts[i], container, args);
        }
        await expectFirstSearch('gateway');
      },
    );

    /** versitygw on the host `objects`. */
    async function startStore(data: string): Promise<void> {
      const binary = findVersitygw()!;
      const command = [binary, '--port', '0.0.0.0:7070', 'posix', data];
      const [program, ...args] = network.on('objects', ['env', ...command]);
      const env = { ROOT_ACCESS_KEY: 'lhs', ROOT_SECRET_KEY: 'demo-secret' };
      children.push(spawn(program, args, { env, stdio: 'ignore' }));
      await shell('objects', 'until curl -s -o /dev/null http://objects:7070; do :; done');
    }

    it('has a unit for systemd', async () => {
      network = await PrivateNetwork.open(['machine']);
      const lake = newFolder();
      chmodSync(lake, 0o755);
      const printed = blockOf('systemd').split('\n');
      const imported = printed.find((line) => line.startsWith('lhs source import'))!;
      const onThisMachine = imported.replace('fixtures/', `${ROOT}/fixtures/`);
      const files = { '/srv/lake': lake, '/etc/lhs/server.yaml': join(ROOT, 'deploy/server.yaml') };
      await finish(
        {
          volumes: { '/srv/lake': lake },
          files: { [`${ROOT}/fixtures`]: join(ROOT, 'fixtures') },
          env: {},
          user: 0,
        },
        wordsOf(onThisMachine).slice(1),
      );
      const unit = readFileSync(join(ROOT, 'deploy/lhs.service'), 'utf8');
      const settingOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)![1];
      const settings = settingOf('Environment')
        .split(' ')
        .map((one) => one.split('='));
      const secret = printed.find((line) => line.includes('/etc/lhs/environment'))!;
      const [, name, value] = /echo (\w+)=(\S+)/.exec(secret)!;
      const volumes = {
        [`/var/lib/${settingOf('StateDirectory')}`]: newFolder(),
        [`/var/cache/${settingOf('CacheDirectory')}`]: newFolder(),
      };
      const env = { HOME: '/', ...Object.fromEntries(settings), [name]: value };
      const command = settingOf('ExecStart').split(' ').slice(1);
      network = await PrivateNetwork.open(['machine']);
      await start('machine', { volumes, files, tmpfs: { '/tmp': '64m' }, env }, command);
      await expectFirstSearch('machine');
    });
  },
);

const STORE: Environment = {
  AWS_ENDPOINT_URL_S3: 'http://objects:7070',
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'lhs',
  AWS_SECRET_ACCESS_KEY: 'demo-secret',
};

interface Compose {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly command: readonly string[];
        readonly environment: Environment;
        readonly volumes: readonly string[];
        readonly configs: readonly { readonly source: string; readonly target: string }[];
      }
    >
  >;
  readonly configs: Readonly<Record<string, { readonly file: string }>>;
}

/** The `docker run` commands of a block, in one line each. */
const dockerRuns = (block: string): readonly string[] =>
  block
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.startsWith('docker run '));

/** The arguments after the image. */
const argsOf = (line: string): readonly string[] => {
  const words = wordsOf(line);
  return words.slice(words.findIndex((word) => word.startsWith('lhs:')) + 1);
};

/** The container of a `docker run` command. */
function containerOf(
  line: string,
  { lake, user }: { readonly lake: string; readonly user?: number },
): Container {
  const words = wordsOf(line);
  const after = (flag: string) => words.filter((_, i) => words[i - 1] === flag);
  const newFolder = () => mkdtempSync(join(tmpdir(), 'lhs-volume-'));
  const mounts = mountsOf(after('-v'), { lake, newFolder });
  const tmpfs = Object.fromEntries(after('--tmpfs').map((path) => [path, '64m']));
  const env = Object.fromEntries(after('-e').map((one) => one.split('=')));
  return { ...mounts, tmpfs, env, ...(user === undefined ? {} : { user }) };
}

/** Mounts as Docker writes them: a named volume is a new folder, `$PWD` is the clone. */
function mountsOf(
  mounts: readonly string[],
  { lake, newFolder }: { readonly lake: string; readonly newFolder: () => string },
): Pick<Container, 'volumes'> & { readonly files: Environment } {
  const volumes: Record<string, string> = {};
  const files: Record<string, string> = {};
  for (const mount of mounts) {
    const [, source, path, mode] = /^(.*?):(\/[^:]*)(?::(ro))?$/.exec(mount)!;
    const isLake = source.endsWith('/lake') || source.startsWith('${LHS_LAKE');
    const folder = isLake ? lake : source.replace('$PWD', ROOT);
    (mode === 'ro' ? files : volumes)[path] = folder.startsWith('/') ? folder : newFolder();
  }
  return { volumes, files };
}

/** Variables of Compose with the values of `.env`; those of PostgreSQL are left out. */
const withSecrets = (environment: Environment): Environment =>
  Object.fromEntries(
    Object.entries(environment)
      .filter(([key]) => !key.includes('POSTGRES'))
      .map(([key, value]) => [key, value.replace(/\$\{(\w+):\?[^}]*\}/g, (_, of) => SECRETS[of])]),
  );

interface Pod {
  readonly args: readonly string[];
  readonly env: Environment;
}

/** The ConfigMap, and the command and the variables of a pod of these resources. */
function podsOf(resources: readonly Resource[]) {
  const podOf = (name: string): Pod => {
    const container = podContainer(resources, name.replace(/-\d$/, ''));
    const env: Record<string, string> = {};
    for (const { name: key, value, valueFrom } of container.env) {
      if (key.includes('POSTGRES')) continue;
      env[key] = valueFrom?.fieldRef ? name : (value ?? SECRETS[key]);
    }
    return { args: container.args.map((word) => word.replace('$(POD_IP)', name)), env };
  };
  const config = resources.find(({ kind }) => kind === 'ConfigMap')!.data['server.yaml'];
  return { config, podOf };
}
