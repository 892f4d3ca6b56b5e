/** The files of deploy/: they parse, name what exists, are pinned, and ask for no rights. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import ServeAll from '../../packages/cli/src/commands/serve/all.ts';
import ServeControlPlane from '../../packages/cli/src/commands/serve/control-plane.ts';
import ServeGateway from '../../packages/cli/src/commands/serve/gateway.ts';
import ServeNode from '../../packages/cli/src/commands/serve/node.ts';
import { readServerConfig } from '../../packages/server/src/config/read-config.ts';
import {
  SERVER_SETTINGS,
  type SettingPath,
  settingVariable,
} from '../../packages/server/src/config/settings.ts';
import { ROOT } from './sources.ts';

const DEPLOY = join(ROOT, 'deploy');
const read = (...path: string[]): string => readFileSync(join(DEPLOY, ...path), 'utf8');
const VERSION = JSON.parse(readFileSync(join(ROOT, 'packages/cli/package.json'), 'utf8')).version;

type Loose = Readonly<Record<string, unknown>>;
interface Container {
  readonly image: string;
  readonly args?: readonly string[];
  readonly command?: readonly string[];
}

/** All maps inside a value, with their paths. */
function* maps(value: unknown, path = ''): Generator<readonly [string, Loose]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [path, value as Loose];
  for (const [key, inner] of Object.entries(value)) yield* maps(inner, `${path}.${key}`);
}

/** Variables of a server: those of its settings, and secrets that it reads. */
const VARIABLES = new Set([
  ...(Object.keys(SERVER_SETTINGS) as SettingPath[]).map(settingVariable),
  'LHS_ADMIN_PASSWORD',
  'LHS_CLUSTER_KEY',
]);
const others = (names: readonly string[]): readonly string[] =>
  names.filter((name) => name.startsWith('LHS_') && !VARIABLES.has(name));

/** Images have a version, and ours is that of the package. */
function expectPinned(image: string): void {
  const [name, tag = ''] = image.split(':');
  if (name === 'lhs') expect(image).toBe(`lhs:${VERSION}`);
  else expect(tag, image).toMatch(/^v?\d+\.\d+/);
}

const ROLES: Readonly<Record<string, object>> = {
  all: ServeAll.flags,
  gateway: ServeGateway.flags,
  node: ServeNode.flags,
  'control-plane': ServeControlPlane.flags,
};

/** Commands of the manifests name a role, and flags that its command has. */
function expectCommand(args: readonly string[]): void {
  expect(args[0]).toBe('serve');
  expect(Object.keys(ROLES)).toContain(args[1]);
  const flags = args.filter((word) => word.startsWith('--')).map((flag) => flag.slice(2));
  const known = [...Object.keys(ROLES[args[1]]), 'data-dir'];
  expect(flags.filter((flag) => !known.includes(flag))).toEqual([]);
}

describe('deploy/kubernetes', () => {
  const files = readdirSync(join(DEPLOY, 'kubernetes'));
  const documents = files.flatMap((file) =>
    parseAllDocuments(read('kubernetes', file), { uniqueKeys: true }).map((document) => {
      expect(document.errors).toEqual([]);
      return document.toJS() as Loose & { readonly kind: string; readonly spec: Loose };
    }),
  );
  const pods = documents.filter(({ kind }) => kind === 'Deployment');
  const podOf = ({ spec }: { readonly spec: Loose }) =>
    (spec.template as { readonly spec: Loose }).spec as Loose & {
      readonly containers: readonly (Container & Loose)[];
      readonly volumes: readonly Loose[];
    };
  const TOP: Readonly<Record<string, readonly string[]>> = {
    Kustomization: ['namespace', 'resources'],
    Namespace: ['metadata'],
    ConfigMap: ['metadata', 'data'],
    Deployment: ['metadata', 'spec'],
    HorizontalPodAutoscaler: ['metadata', 'spec'],
    Service: ['metadata', 'spec'],
    PodDisruptionBudget: ['metadata', 'spec'],
    NetworkPolicy: ['metadata', 'spec'],
  };
  const CONTAINER = [
    ...[
      'name',
      'image',
      'args',
      'env',
      'envFrom',
      'ports',
      'readinessProbe',
      'livenessProbe',
      'resources',
    ],
    ...['securityContext', 'volumeMounts'],
  ];

  it('has resources of known kinds with known keys, and all are listed', () => {
    for (const { apiVersion, kind, ...keys } of documents) {
      expect(apiVersion).toMatch(/^([\w.]+\/)?v\d/);
      expect([kind, Object.keys(keys)]).toEqual([kind, TOP[kind]]);
    }
    const kustomization = documents.find(({ kind }) => kind === 'Kustomization');
    expect(
      [...((kustomization?.resources ?? []) as string[]), 'kustomization.yaml'].sort(),
    ).toEqual(files.sort());
  });

  it('selects the pods that it describes', () => {
    for (const document of pods) {
      const { selector, template } = document.spec as Readonly<Record<string, Loose>>;
      expect(selector.matchLabels).toEqual((template.metadata as Loose).labels);
    }
    const roles = pods.map(({ metadata }) => (metadata as Loose).name).sort();
    expect(roles).toEqual(['control-plane', 'gateway', 'node']);
  });

  const named = (kind: string, name: string) =>
    documents.find((own) => own.kind === kind && (own.metadata as Loose).name === name)!;

  it('lets gateways begin from a node while no control plane answers', () => {
    const { args = [] } = podOf(named('Deployment', 'gateway')).containers[0];
    const [service, port] = args[args.indexOf('--nodes') + 1].split(':');
    expect(named('Service', service).spec).toMatchObject({
      clusterIP: 'None', // all addresses of nodes
      ports: [{ port: Number(port) }],
    });
  });

  it('scales nodes and gateways by their processor time, from the replicas of each', () => {
    for (const name of ['node', 'gateway']) {
      const { spec } = named('HorizontalPodAutoscaler', name);
      const pod = named('Deployment', name);
      expect(spec).toMatchObject({
        scaleTargetRef: { kind: 'Deployment', name },
        minReplicas: pod.spec.replicas,
        metrics: [{ type: 'Resource', resource: { name: 'cpu' } }],
      });
      // a share of what the pods request
      const { resources } = podOf(pod).containers[0];
      expect(resources).toMatchObject({ requests: { cpu: expect.any(String) } });
    }
  });

  it('keeps nothing on nodes that cannot be lost', () => {
    expect(podOf(named('Deployment', 'node')).volumes).toContainEqual({
      name: 'data',
      emptyDir: { sizeLimit: expect.any(String) },
    });
  });

  it('runs without rights, on a read-only root, within limits', () => {
    for (const document of pods) {
      const pod = podOf(document);
      expect(pod.automountServiceAccountToken).toBe(false);
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65532 });
      for (const container of pod.containers) {
        expect(Object.keys(container).sort()).toEqual([...CONTAINER].sort());
        expectPinned(container.image);
        expectCommand(container.args ?? []);
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources).toMatchObject({ limits: { memory: expect.any(String) } });
        const env = container.env as readonly Loose[];
        expect(others(env.map(({ name }) => name as string))).toEqual([]);
        const mounted = (container.volumeMounts as readonly Loose[]).map(({ name }) => name);
        expect(mounted.sort()).toEqual(pod.volumes.map(({ name }) => name).sort());
      }
    }
  });

  it('takes secrets from a secret, and nothing from the host', () => {
    for (const [path, map] of maps(documents)) {
      const given = ['hostPath', 'hostNetwork', 'hostPID', 'privileged', 'hostPort'];
      expect([path, given.filter((name) => name in map)]).toEqual([path, []]);
      const isSecret = /PASSWORD|KEY$|SECRET|URL$/.test(String(map.name ?? ''));
      if (isSecret) expect([path, 'value' in map]).toEqual([path, false]);
    }
  });
});

describe('integrations/kubernetes/job.yaml', () => {
  const file = join(ROOT, 'integrations/kubernetes/job.yaml');
  const job = parse(readFileSync(file, 'utf8'), { uniqueKeys: true });
  const [node] = parseAllDocuments(read('kubernetes', 'node.yaml')).map((one) => one.toJS());
  const pod = job.spec.template.spec;

  it('is an Indexed Job that retries what another attempt may mend', () => {
    const { template: _, ttlSecondsAfterFinished: __, ...spec } = job.spec;
    expect({ kind: job.kind, apiVersion: job.apiVersion, ...spec }).toEqual({
      kind: 'Job',
      apiVersion: 'batch/v1',
      completionMode: 'Indexed',
      completions: 1,
      parallelism: expect.any(Number),
      backoffLimitPerIndex: 3,
      podFailurePolicy: {
        rules: [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [2, 3, 4, 5] } }],
      },
    });
    expect(pod.restartPolicy).toBe('Never');
  });

  it('has the image, the secret and the rights of nodes', () => {
    const other = node.spec.template.spec;
    expect(pod.securityContext).toEqual(other.securityContext);
    expect(pod.automountServiceAccountToken).toBe(false);
    const [{ image, envFrom, securityContext, volumeMounts }] = pod.containers;
    const [{ image: ours, envFrom: secret, securityContext: rights }] = other.containers;
    expect({ image, envFrom, securityContext }).toEqual({
      image: ours,
      envFrom: secret,
      securityContext: rights,
    });
    const names = (all: readonly Loose[]) => all.map(({ name }) => name);
    expect(names(volumeMounts)).toEqual(names(pod.volumes));
  });
});

describe('deploy/compose.yaml', () => {
  const file = parse(read('compose.yaml'), { merge: true, uniqueKeys: true }) as {
    readonly services: Readonly<Record<string, Container & Loose>>;
    readonly volumes: Loose;
    readonly networks: Loose;
  };
  const services = Object.entries(file.services);
  const SERVICE = [
    ...['image', 'restart', 'read_only', 'user', 'cap_drop', 'cap_add', 'security_opt', 'tmpfs'],
    ...[
      'configs',
      'networks',
      'mem_limit',
      'pids_limit',
      'stop_grace_period',
      'logging',
      'command',
    ],
    ...['environment', 'depends_on', 'healthcheck', 'hostname', 'ports', 'volumes'],
  ];

  it('has PostgreSQL, an object store, a gateway, a control plane and three nodes', () => {
    expect(services.map(([name]) => name).sort()).toEqual(
      ['control-plane', 'gateway', 'node-0', 'node-1', 'node-2', 'objects', 'postgres'].sort(),
    );
  });

  it('has services of known keys, pinned images and existing volumes and networks', () => {
    for (const [name, service] of services) {
      const unknown = Object.keys(service).filter((key) => !SERVICE.includes(key));
      expect([name, unknown]).toEqual([name, []]);
      expectPinned(service.image);
      const volumes = (service.volumes as readonly string[] | undefined) ?? [];
      for (const volume of volumes) {
        if (!volume.startsWith('${LHS_LAKE:?')) {
          expect(file.volumes).toHaveProperty(volume.split(':')[0]);
        }
      }
      for (const network of service.networks as readonly string[]) {
        expect(file.networks).toHaveProperty(network);
      }
      expect(service.mem_limit).toBeDefined();
    }
  });

  it('lets the gateway begin from the nodes while no control plane answers', () => {
    const command = services.find(([name]) => name === 'gateway')![1].command ?? [];
    const nodes = services.filter(([name]) => name.startsWith('node-'));
    const listed = command[command.indexOf('--nodes') + 1];
    expect(listed).toBe(nodes.map(([, { hostname }]) => `${hostname}:8081`).join(','));
  });

  it('drops all capabilities, and mounts the root of our processes read-only', () => {
    for (const [name, service] of services) {
      expect([name, service.cap_drop, service.security_opt]).toEqual([
        name,
        ['ALL'],
        ['no-new-privileges:true'],
      ]);
      if (!service.image.startsWith('lhs:')) continue;
      expect(service).toMatchObject({ read_only: true, user: '65532:65532' });
      expectCommand(service.command ?? []);
      expect(others(Object.keys(service.environment as Loose))).toEqual([]);
    }
  });

  it('opens ports of the gateway to this machine alone, and has no secret in it', () => {
    for (const [name, service] of services) {
      const ports = (service.ports as readonly string[] | undefined) ?? [];
      if (name !== 'gateway') expect([name, ports]).toEqual([name, []]);
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
      for (const [key, value] of Object.entries(service.environment as Loose)) {
        if (/PASSWORD|SECRET|_KEY$|_KEY_ID$|URL$/.test(key)) expect(value).toMatch(/^\$\{\w+:\?/);
      }
    }
  });
});

describe('deploy/Dockerfile', () => {
  /** Instructions with their continuation lines. */
  const instructions = read('Dockerfile')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => /^(\w+)\s+(.*)$/.exec(line.trim()) as RegExpExecArray)
    .map(([, name, rest]) => ({ name, rest }));
  const last = instructions.findLastIndex(({ name }) => name === 'FROM');
  const final = instructions.slice(last);
  const one = (name: string) => final.filter((i) => i.name === name).map(({ rest }) => rest);

  it('uses known instructions and pinned images of the Node that the project uses', () => {
    const known = 'ARG FROM WORKDIR COPY RUN LABEL ENV USER VOLUME EXPOSE STOPSIGNAL HEALTHCHECK';
    const names = [...known.split(' '), 'ENTRYPOINT', 'CMD'];
    expect(instructions.filter(({ name }) => !names.includes(name))).toEqual([]);
    const { node } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).devDependencies;
    const of = (name: string) => instructions.filter((i) => i.name === name).map((i) => i.rest);
    expect(of('ARG')).toEqual([`BASE=node:${node}-bookworm-slim`]);
    expect(of('FROM').join()).toMatch(/^\$\{BASE\} AS build,build AS install,\$\{BASE\}$/);
  });

  it('runs as a user without rights, as one process that gets the signals', () => {
    expect(one('USER')).toEqual(['65532:65532']);
    expect(final.findIndex(({ name }) => name === 'USER')).toBeGreaterThan(
      final.findLastIndex(({ name }) => name === 'RUN'),
    );
    const [entry] = one('ENTRYPOINT').map((text) => JSON.parse(text) as string[]);
    expect(entry[0]).toBe('node');
    expect(existsSync(join(ROOT, 'packages/cli', entry[1].split('/cli/')[1]))).toBe(true);
    expect(one('STOPSIGNAL')).toEqual(['SIGTERM']);
    expectCommand(JSON.parse(one('CMD')[0]) as string[]);
    expect(one('HEALTHCHECK')[0]).toContain('/livez');
  });

  it('installs from the lock file alone, and copies no sources into the image', () => {
    const runs = instructions.filter(({ name }) => name === 'RUN').map(({ rest }) => rest);
    expect(runs.some((run) => run.startsWith('npm ci '))).toBe(true);
    for (const run of runs) expect(run).not.toMatch(/\bsudo\b|curl|wget|apt-get|latest|\| *sh\b/);
    for (const copy of one('COPY')) expect(copy).toMatch(/^--from=install /);
  });
});

describe('deploy/cluster.yaml', () => {
  it('is a valid configuration with a catalog, as the ConfigMap has one', () => {
    const { names } = readServerConfig(join(DEPLOY, 'cluster.yaml'));
    expect(Object.keys(names.catalogs)).toEqual(['main']);
    expect(read('kubernetes', 'config.yaml')).toMatch(/catalogs:\n +main: /);
  });
});

describe('deploy/server.yaml', () => {
  it('is a valid configuration', () => {
    expect(readServerConfig(join(DEPLOY, 'server.yaml')).values).toMatchObject({ auth: true });
  });
});

describe('deploy/lhs.service', () => {
  const sections = new Map(
    read('lhs.service')
      .split(/^\[/m)
      .slice(1)
      .map((text) => {
        const [name, ...lines] = text.split('\n');
        const entries = lines.filter((line) => /^\w+=/.test(line)).map((line) => line.split('='));
        return [name.replace(']', ''), entries.map(([key, ...rest]) => [key, rest.join('=')])];
      }),
  );
  const service = Object.fromEntries(sections.get('Service') ?? []) as Record<string, string>;

  it('has the sections of a unit and lines of one form', () => {
    expect([...sections.keys()]).toEqual(['Unit', 'Service', 'Install']);
    for (const line of read('lhs.service').split('\n')) {
      expect(line).toMatch(/^$|^#|^\[\w+\]$|^[A-Z]\w+=/);
    }
  });

  it('runs a command of lhs as a user without rights', () => {
    const [program, ...args] = service.ExecStart.split(' ');
    expect(program).toBe('/usr/local/bin/lhs');
    expectCommand(args);
    expect(service).toMatchObject({
      DynamicUser: 'yes',
      NoNewPrivileges: 'yes',
      ProtectSystem: 'strict',
      CapabilityBoundingSet: '',
      StateDirectory: 'lhs',
    });
    expect(service.MemoryDenyWriteExecute).toBe(undefined);
  });

  it('gives a server longer to stop than it waits for running calls', () => {
    const [, drain] = /\(([\d,]+)\)/.exec(SERVER_SETTINGS.drain_ms.meaning) ?? [];
    const seconds = Number.parseInt(service.TimeoutStopSec, 10);
    expect(seconds * 1000).toBeGreaterThan(Number(drain?.replace(',', '')));
  });
});
