import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * A process in a file name: `<host>-<boot>-<pid>-<start>`, so that another process on the same
 * machine can find out whether the owner of a folder still runs. Host and boot are hashes of eight
 * hex digits; boot and start are `0` if the system does not publish them.
 */
export function processMark(): string {
  mark ??= [hash(hostname()), hash(bootId()), process.pid, startOf(process.pid)].join('-');
  return mark;
}
let mark: string | undefined;

/**
 * True when the process that a mark names has certainly ended. A process of another host counts as
 * alive, as does anything that is not a mark.
 */
export function hasEnded(text: string): boolean {
  const [, host, boot, pid, start] = /^([0-9a-f]{8})-([0-9a-f]{8}|0)-(\d+)-(\d+)$/.exec(text) ?? [];
  if (host !== hash(hostname())) return false;
  return boot !== hash(bootId()) || !runs(Number(pid)) || startOf(Number(pid)) !== start;
}

const hash = (text: string) =>
  text === '' ? '0' : createHash('sha256').update(text).digest('hex').slice(0, 8);

const bootId = () => readOrEmpty('/proc/sys/kernel/random/boot_id').trim();

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return statFields(pid)[0] !== 'Z';
}

const startOf = (pid: number) => statFields(pid)[19] ?? '0';

/**
 * The fields of /proc/<pid>/stat after the name (proc(5)): the state is the first, field 22 the
 * start.
 */
function statFields(pid: number): readonly string[] {
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
