import type { Backend } from '@lakehouse-search/contract';
import type { Logger } from 'pino';
import type { NodeState } from '../cluster/node-state.ts';
import type { Assignment, Registrar } from '../cluster/registrar.ts';
import { withOnly } from '../cluster/with-only.ts';
import { pause } from '../control-plane/leadership.ts';

/** A node of a cluster with a control plane. */
export interface RegistrationOptions {
  readonly registrar: Registrar;
  readonly backend: Pick<Backend, 'createIndex' | 'alterIndex'>;
  /** HOST:PORT of the node. */
  readonly address: string;
  readonly state: () => NodeState;
  readonly logger: Logger;
}

/** Heartbeats within the time of a lease. */
const BEATS = 3;
const RETRY_MS = 500;

/**
 * Registers a node until it is stopped: renews its lease, and takes over the shards that the
 * control plane gives it. Shards of an index that it has already are added by a rebuild.
 */
export class NodeRegistration {
  readonly #options: RegistrationOptions;
  readonly #stop = new AbortController();
  readonly #growing = new Set<string>();
  #beating: Promise<void> = Promise.resolve();

  constructor(options: RegistrationOptions) {
    this.#options = options;
  }

  start(): void {
    this.#beating = this.#beat();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#beating;
    await this.#options.registrar.close();
  }

  async #beat(): Promise<void> {
    const { registrar, address, state, logger } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      let wait = RETRY_MS;
      try {
        const { expires_ms, assignments } = await registrar.register(address, state());
        wait = Math.max(1, (expires_ms - Date.now()) / BEATS);
        for (const assignment of assignments) await this.#take(assignment);
      } catch (error) {
        logger.warn({ err: error }, 'cannot register with the control plane');
      }
      await pause(wait, signal);
    }
  }

  async #take({ index, definition, ordinals }: Assignment): Promise<void> {
    const { backend, state, logger } = this.#options;
    const own = state().indexes.find((each) => each.index === index);
    if (own === undefined) {
      await backend.createIndex({ definition: withOnly(definition, ordinals) });
      logger.info({ index, ordinals }, 'shards taken over');
      return;
    }
    const missing = ordinals.filter((ordinal) => !own.ordinals.includes(ordinal));
    if (missing.length === 0 || this.#growing.has(index)) return;
    const all = [...new Set([...own.ordinals, ...ordinals])].sort((a, b) => a - b);
    this.#growing.add(index);
    const request = { index, definition_yaml: withOnly(definition, all), apply: true };
    void backend
      .alterIndex(request)
      .then(
        () => logger.info({ index, ordinals: all }, 'shards taken over'),
        (error: unknown) => logger.warn({ err: error, index }, 'cannot take over shards'),
      )
      .finally(() => this.#growing.delete(index));
  }
}
