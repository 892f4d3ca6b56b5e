import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** Who holds a lock: enough to tell on the same machine whether the holder still lives. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** Changes with each start of the machine; '' where the system does not tell. */
  readonly boot_id: string;
  /**
   * When the process began, in the system's own count, against reused pids; '' where the system
   * does not tell.
   */
  readonly started: string;
}

/** This process. */
export function thisProcess(): ProcessIdentity {
  const { pid } = process;
  return { pid, host: hostname(), boot_id: bootId(), started: startOf(pid) };
}

/**
 * True when the process is known to be gone. What cannot be known counts as alive: a process of
 * another host, and one whose start this user may not read (/proc mounted with `hidepid`).
 */
export function isGone(holder: ProcessIdentity): boolean {
  if (holder.host !== hostname()) return false;
  if (holder.boot_id !== bootId()) return true;
  if (!lives(holder.pid)) return true;
  const started = startOf(holder.pid);
  return started !== '' && started !== holder.started;
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  // Killed, but its parent has not asked for its end yet (a zombie).
  return statOf(pid)[0] !== 'Z';
}

function bootId(): string {
  return readOrEmpty('/proc/sys/kernel/random/boot_id').trim();
}

function startOf(pid: number): string {
  return statOf(pid)[19] ?? '';
}

/**
 * Fields 3 (state) to the last of /proc/<pid>/stat (proc(5)), behind the name, which may hold
 * anything; field 22 is when the process began, in ticks since boot.
 */
function statOf(pid: number): readonly string[] {
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
