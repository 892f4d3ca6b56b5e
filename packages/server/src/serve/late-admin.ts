import { LhsError } from '@lakehouse-search/contract';
import { pause } from '../control-plane/leader/leadership.ts';
import { type RepeatedFaults, shownError } from '../observe/repeated-faults.ts';

/** What the first admin of a cluster is made with. */
export interface LateAdminOptions {
  /** Makes the first account if there is none; a password that was generated for it. */
  readonly open: () => Promise<string | undefined>;
  readonly faults: Pick<RepeatedFaults, 'failed' | 'succeeded'>;
  /** Why the first try failed. */
  readonly fault: unknown;
}

const RETRY_MS = 500;
const CREATE = 'creation of the first admin';

/** The first admin of a cluster, which a gateway tries to make until it succeeds. */
export class LateAdmin {
  /** A password that was generated; undefined: there is none, or the gateway stopped before. */
  readonly password: Promise<string | undefined>;
  readonly #options: LateAdminOptions;
  readonly #stop = new AbortController();
  #fault: unknown;

  constructor(options: LateAdminOptions) {
    this.#options = options;
    this.#failed(options.fault);
    this.password = this.#make();
  }

  /** Throws unreachable until there is an account. */
  requireMade(): void {
    if (this.#fault === undefined) return;
    const message = `the control plane has no first admin yet: ${shownError(this.#fault).message}`;
    throw new LhsError('unreachable', message);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.password;
  }

  async #make(): Promise<string | undefined> {
    const { open, faults } = this.#options;
    const { signal } = this.#stop;
    for (;;) {
      await pause(RETRY_MS, signal);
      if (signal.aborted) return undefined;
      try {
        const password = await open();
        this.#fault = undefined;
        faults.succeeded(CREATE);
        return password;
      } catch (error) {
        this.#failed(error);
      }
    }
  }

  #failed(error: unknown): void {
    this.#fault = error;
    if (!this.#stop.signal.aborted) this.#options.faults.failed(CREATE, error);
  }
}
