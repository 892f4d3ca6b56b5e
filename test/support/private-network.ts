import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A command as `spawn` takes it. */
export type Command = readonly [program: string, ...args: string[]];

/** True if this process may make networks: it is root on Linux, with util-linux and iproute2. */
export const canMakeNetworks = (): boolean =>
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['--net', '--uts', '--mount', 'ip', 'link', 'add', 'br0', 'type', 'bridge'])
    .status === 0;

/**
 * A network of hosts with names, as containers have it: each host has every port of 0.0.0.0 and
 * 127.0.0.1 for itself. It ends with this process.
 */
export class PrivateNetwork {
  readonly #folder = mkdtempSync(join(tmpdir(), 'lhs-network-'));
  readonly #hosts = new Map<string, ChildProcess>();

  /** Hosts of these names; further names of a host follow a blank. */
  static async open(names: readonly string[]): Promise<PrivateNetwork> {
    const network = new PrivateNetwork();
    const lines = names.map((name, i) => `${addressOf(i)} ${name}`);
    const file = join(network.#folder, 'hosts');
    writeFileSync(file, ['127.0.0.1 localhost', ...lines, ''].join('\n'));
    const bridge = await network.#add('', 'ip link add br0 type bridge && ip link set br0 up');
    for (const [i, name] of names.entries()) {
      const named = `mount --bind ${file} /etc/hosts && hostname ${name.split(' ')[0]}`;
      const host = await network.#add(name, named);
      const plug = `ip link add v${i} type veth peer name eth0 netns ${host.pid}`;
      run([...into(bridge), 'sh', '-c', `${plug} && ip link set v${i} master br0 up`]);
      const address = `ip addr add ${addressOf(i)}/24 dev eth0 && ip link set eth0 up`;
      run([...into(host), 'sh', '-c', address]);
    }
    return network;
  }

  /** The same command, run on a host. */
  on(name: string, command: Command): Command {
    return [...into(this.#hosts.get(name)!), ...command];
  }

  async close(): Promise<void> {
    for (const host of this.#hosts.values()) {
      host.stdin?.end();
      if (host.exitCode === null) await once(host, 'exit');
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** A process that holds the namespaces of a host until its standard input ends. */
  async #add(name: string, setup: string): Promise<ChildProcess> {
    const script = `ip link set lo up && ${setup} && echo ready && exec cat`;
    const host = spawn('unshare', ['--net', '--uts', '--mount', 'sh', '-c', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#hosts.set(name, host);
    await Promise.race([once(host.stdout, 'data'), failed(host, name)]);
    return host;
  }
}

const addressOf = (host: number): string => `10.77.0.${host + 2}`;

const into = ({ pid }: ChildProcess): Command => [
  'nsenter',
  ...['net', 'uts', 'mnt'].map(
    (kind) => `--${kind === 'mnt' ? 'mount' : kind}=/proc/${pid}/ns/${kind}`,
  ),
];

function run([program, ...args]: Command): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
}

async function failed(host: ChildProcess, name: string): Promise<never> {
  const [code] = await once(host, 'exit');
  throw new Error(`the host "${name}" ended with ${code}`);
}
