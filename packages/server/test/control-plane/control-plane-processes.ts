/** Control planes as processes of this machine, for tests that kill and stop them. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CLUSTER_KEY } from '../../../../test/support/cluster-processes.ts';

const LHS = fileURLToPath(new URL('../../../cli/bin/lhs.js', import.meta.url));

/** Where the control planes of a test keep their state. */
export type PlaneStore = { readonly dataDir: string } | { readonly postgres: string };

/** A running control plane. */
export class PlaneProcess {
  readonly grpc: string;
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, addresses: { url: string; grpc: string }) {
    this.#child = child;
    this.url = addresses.url;
    this.grpc = addresses.grpc;
  }

  /** Starts one; `grpc`: the address of a former one. */
  static async start(store: PlaneStore, dataDir: string, grpc = '127.0.0.1:0') {
    const args = ['serve', 'control-plane', '--json', '--rest-addr', '127.0.0.1:0', '--addr', grpc];
    const env = {
      ...{ PATH: process.env.PATH, HOME: process.env.HOME },
      ...{ LHS_CLUSTER_KEY: CLUSTER_KEY, LHS_DATA_DIR: dataDir, LHS_SYNC_POLL_MS: '100' },
      ...{ LHS_CLUSTER_LEASE_MS: '6000', LHS_CLUSTER_NODE_MS: '10000', LHS_LOG_LEVEL: 'silent' },
      ...{ LHS_LOG_ACCESS: 'false', LHS_CLUSTER_LEAVE_MS: '600000' },
      ...('postgres' in store
        ? { LHS_STORE_POSTGRES_ENV: 'TEST_POSTGRES', TEST_POSTGRES: store.postgres }
        : {}),
    };
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    const child = spawn(process.execPath, [LHS, ...args], { env, stdio: [...stdio] });
    const errors: string[] = [];
    child.stderr?.on('data', (chunk: Buffer) => errors.push(String(chunk)));
    let text = '';
    for await (const chunk of child.stdout!) {
      text += String(chunk);
      const line = text.split('\n').find((each) => each.includes('"grpc"'));
      if (line === undefined || !text.includes('\n')) continue;
      const own = JSON.parse(line) as { url: string; grpc: string };
      child.stdout!.resume();
      return new PlaneProcess(child, own);
    }
    throw new Error(`the control plane ended: ${errors.join('')}`);
  }

  /** Whether it leads, as its metrics say. */
  async leads(authorization: string): Promise<boolean> {
    const response = await fetch(`${this.url}/metrics`, { headers: { authorization } });
    return /^lhs_control_plane_leads 1$/m.test(await response.text());
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child.kill(name);
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
