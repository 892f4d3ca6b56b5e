import type { ChildProcess } from 'node:child_process';
import { vi } from 'vitest';
import { ended, type Home } from './child.ts';

/** A server as a process of its own, on free ports. */
export interface Served {
  readonly url: string;
  readonly grpc: string;
  readonly indexes: readonly string[];
  readonly child: ChildProcess;
  /** What it has printed so far. */
  readonly printed: { out: string; err: string };
  /** Ends it with SIGTERM. */
  stop(): Promise<void>;
}

const FREE = ['--rest-addr', '127.0.0.1:0', '--addr', '127.0.0.1:0', '--json'];

/** Starts `lhs serve all` over the data folder of a home and waits until it listens. */
export async function startServed(
  home: Home,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Served> {
  const child = home.start(['serve', 'all', ...FREE, ...args], { env });
  const printed = { out: '', err: '' };
  child.stdout?.on('data', (chunk) => {
    printed.out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    printed.err += chunk;
  });
  const line = () => printed.out.split('\n').find((one) => one.startsWith('{"url":'));
  await vi.waitFor(() => {
    if (line() === undefined) throw new Error(`it does not listen: ${printed.err}`);
  });
  const end = ended(child);
  const stop = async () => {
    child.kill('SIGTERM');
    await end;
  };
  return { ...JSON.parse(line() as string), child, printed, stop };
}
