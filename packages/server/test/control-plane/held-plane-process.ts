import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HeldPlaneSettings } from './held-plane.ts';

const SCRIPT = fileURLToPath(new URL('./held-plane.ts', import.meta.url));
const FROM_SOURCE = new URL('../../../../test/support/from-source.ts', import.meta.url).href;

/** What a control plane sends (held-plane.ts). */
interface Message {
  readonly listens?: string;
  readonly step?: string;
  readonly canceling?: string;
}

/** A control plane as a process that stops at the steps of its jobs. */
export class HeldPlane {
  readonly settings: HeldPlaneSettings;
  /** Called with each step; it goes on when the promise resolves. */
  onStep: (step: string) => Promise<void> = async () => {};
  /** Called when it has read that a job was canceled. */
  onCanceling: (job: string) => void = () => {};
  readonly #child: ChildProcess;

  private constructor(settings: HeldPlaneSettings, child: ChildProcess) {
    this.settings = settings;
    this.#child = child;
  }

  /** HOST:PORT of gRPC. */
  get grpc(): string {
    return this.settings.grpc;
  }

  /** Starts one, and waits until it listens. */
  static async start(settings: HeldPlaneSettings): Promise<HeldPlane> {
    const args = [JSON.stringify(settings)];
    const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'lhs-test-compiled') };
    const execArgv = ['--import', FROM_SOURCE];
    const child = fork(SCRIPT, args, { execArgv, env, stdio: 'pipe' });
    const errors: string[] = [];
    child.stderr?.on('data', (chunk: Buffer) => errors.push(String(chunk)));
    child.stdout?.resume();
    return new Promise((resolve, reject) => {
      child.once('exit', () => reject(new Error(`the control plane ended: ${errors.join('')}`)));
      let plane: HeldPlane | undefined;
      child.on('message', ({ listens, step, canceling }: Message) => {
        if (listens !== undefined) {
          plane = new HeldPlane({ ...settings, grpc: listens }, child);
          resolve(plane);
        }
        if (canceling !== undefined) plane?.onCanceling(canceling);
        // before it listens nobody waits for a step
        if (step !== undefined) {
          const go = () => void (child.connected && child.send('go', () => {}));
          (plane?.onStep(step) ?? Promise.resolve()).then(go, () => {});
        }
      });
    });
  }

  /** Ends it with SIGKILL. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}
