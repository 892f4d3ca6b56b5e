import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';

const COMMAND = fileURLToPath(new URL('../../packages/cli/bin/lhs.js', import.meta.url));

/** The key of clusters in tests. */
export const CLUSTER_KEY = 'key of the cluster in tests';

/** A process of a cluster that listens. */
export interface ClusterProcess {
  /** HOST:PORT of gRPC. */
  readonly grpc: string;
  /** URL of REST; nodes have none. */
  readonly url: string;
  readonly child: ChildProcess;
  /** Ends it with a signal, and waits for its end. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Starts `lhs serve ROLE` and waits until it listens. `settings`: environment variables. */
export async function startProcess(
  role: 'control-plane' | 'node' | 'gateway',
  folder: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<ClusterProcess> {
  const quiet = { LHS_LOG_LEVEL: 'silent', LHS_LOG_ACCESS: 'false' };
  // on a busy machine, a node that runs may answer late
  const own = { LHS_CLUSTER_KEY: CLUSTER_KEY, LHS_CLUSTER_SILENCE_MS: '60000', ...quiet };
  const env = { ...process.env, ...own, ...settings };
  const all = [COMMAND, 'serve', role, '--json', '--data-dir', join(folder), ...args];
  const child = spawn(process.execPath, all, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    printed.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    printed.err += chunk;
  });
  const line = () => printed.out.split('\n').find((one) => one.includes('"grpc":'));
  const listens = () => line() !== undefined || child.exitCode !== null;
  await vi.waitUntil(listens, { interval: 50 });
  if (line() === undefined) throw new Error(`it ended before it listened: ${printed.err}`);
  const { grpc, url = '' } = JSON.parse(line() as string) as { grpc: string; url?: string };
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  return { grpc, url, child, end };
}
