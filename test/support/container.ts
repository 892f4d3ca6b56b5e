/**
 * A process as a container engine starts it: user 65532 without an entry in passwd, without HOME,
 * SHELL and TERM, in a file system of its own that is read-only but for its volumes. Needs root on
 * Linux.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chownSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from './private-network.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const USER = 65_532;
/** It names the hosts of a network. */
const HOSTS = '/etc/hosts';
/** The program, as `deploy/Dockerfile` installs it. */
const PROGRAM = ['/node/node', '/app/packages/cli/bin/lhs.js'];

export interface Container {
  /** Folders of this machine by their paths in the container, which may write them. */
  readonly volumes: Readonly<Record<string, string>>;
  /** Files and folders of this machine by their paths in the container, which may read them. */
  readonly files?: Readonly<Record<string, string>>;
  /** Sizes of empty writable folders by their paths: `{ '/tmp': '64m' }`. */
  readonly tmpfs?: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  /** The user; 65532 if it is absent. */
  readonly user?: number;
  /** Runs a command on a host of a network; without it the process has the network of the test. */
  readonly on?: (command: Command) => Command;
}

/**
 * Standard input has the mounts, one per line: kind (`rw`, `ro`, `tmpfs`), source or size, path.
 * The arguments are the user and the command.
 */
const SCRIPT = `set -e
root=$(mktemp -d); mount -t tmpfs none "$root"
while IFS="$(printf '\\t')" read -r kind from path; do
  if [ -f "$from" ]; then mkdir -p "$(dirname "$root$path")"; : >"$root$path"
  else mkdir -p "$root$path"; fi
  case $kind in
    tmpfs) mount -t tmpfs -o "size=$from,mode=1777" none "$root$path" ;;
    *) mount --bind "$from" "$root$path"; mount -o "remount,bind,$kind" "$root$path" ;;
  esac
done
mount -o remount,ro "$root"
user=$1; shift
exec chroot --userspec="$user:$user" --groups= "$root" /usr/bin/env -i "$@"`;

/** Returns whether this process may make namespaces; tests with containers are skipped otherwise. */
export function hasContainers(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  return spawnSync('unshare', ['-m', 'chroot', '/', 'true']).status === 0;
}

/** Starts `lhs` in a container, with pipes. Volumes become those of its user. */
export function startContainer(container: Container, args: readonly string[]): ChildProcess {
  const {
    volumes,
    files = {},
    tmpfs = {},
    env,
    user = USER,
    on = (command) => command,
  } = container;
  for (const folder of Object.values(volumes)) chownSync(folder, user, user);
  const system = ['/usr', '/bin', '/lib', '/lib64', '/proc', '/dev'];
  const program = { '/app': ROOT, '/node': dirname(process.execPath), [HOSTS]: HOSTS };
  const mounts = [
    ...system.map((path) => ['rw', path, path]),
    ...Object.entries({ ...program, ...files }).map(([path, from]) => ['ro', from, path]),
    ...Object.entries(volumes).map(([path, from]) => ['rw', from, path]),
    ...Object.entries(tmpfs).map(([path, size]) => ['tmpfs', size, path]),
  ];
  const settings = Object.entries({ PATH: '/usr/bin:/bin', ...env });
  const command = [...settings.map((one) => one.join('=')), ...PROGRAM, ...args];
  const script = ['sh', '-c', SCRIPT, 'sh', String(user), ...command];
  const [first, ...rest] = on(['unshare', '-m', ...script]);
  const child = spawn(first, rest, { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(mounts.map((mount) => `${mount.join('\t')}\n`).join(''));
  return child;
}
