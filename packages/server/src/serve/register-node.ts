import type { BackendApi } from '@lakehouse-search/contract/internal';
import { registeredDefinition } from '@lakehouse-search/engine/internal';
import type { Logger } from 'pino';
import type { NodeIndex, NodeState } from '../cluster/node-state.ts';
import type { Assignment, DroppedIndex, Registrar, StoredIndex } from '../cluster/registrar.ts';
import { withOnly } from '../cluster/with-only.ts';
import { pause } from '../control-plane/leader/leadership.ts';
import type { RemoveIndex } from '../node/remove-index.ts';
import type { RepeatedFaults } from '../observe/repeated-faults.ts';

/** A node of a cluster with a control plane. */
export interface RegistrationOptions {
  readonly registrar: Registrar;
  readonly backend: Pick<BackendApi, 'createIndex' | 'alterIndex'>;
  /** Reads these indexes from their stores from now on. */
  readonly follow: (indexes: readonly StoredIndex[]) => void;
  readonly removeIndex: RemoveIndex;
  /** Removes an index from the node; its store keeps it. */
  readonly leaveIndex: (index: string) => Promise<unknown>;
  /** HOST:PORT of the node. */
  readonly address: string;
  readonly state: () => NodeState;
  readonly logger: Logger;
  readonly faults: RepeatedFaults;
}

/** Heartbeats within the time of a lease. */
const BEATS = 3;
/** Longest pause between two heartbeats: they carry what the control plane and the node changed. */
const PAUSE_MS = 1000;
const RETRY_MS = 500;
/** Longest wait of a stop for the control plane. */
const LEAVE_MS = 1000;
const REGISTER = 'registration with the control plane';
const REMOVE = 'removal of a dropped index';
const TAKE = 'takeover of shards';

/**
 * Registers a node until it is stopped: renews its lease, and takes over the shards that the
 * control plane gives it. Shards of an index that it has already are added, and shards that have
 * moved to another node are removed, by a rebuild. What the node is given follows from what it said
 * that it holds: an index that a job has changed meanwhile waits for the next heartbeat.
 */
export class NodeRegistration {
  readonly #options: RegistrationOptions;
  readonly #stop = new AbortController();
  readonly #changing = new Set<string>();
  #until = Number.NEGATIVE_INFINITY;
  #beating: Promise<void> = Promise.resolve();

  constructor(options: RegistrationOptions) {
    this.#options = options;
  }

  /** The node has a lease now, by the clock of this machine. */
  holds(): boolean {
    return performance.now() < this.#until;
  }

  start(): void {
    this.#beating = this.#beat();
  }

  /** Ends the lease too, if the control plane answers. */
  async stop(): Promise<void> {
    const { registrar } = this.#options;
    this.#stop.abort();
    const late = setTimeout(() => void registrar.close(), LEAVE_MS);
    await this.#beating;
    clearTimeout(late);
    await registrar.close();
  }

  async #beat(): Promise<void> {
    const { registrar, address, state, faults } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      let wait = RETRY_MS;
      try {
        const now = state();
        const lease = await registrar.register(address, now);
        const { expires_ms, assignments, dropped, followed } = lease;
        const left = expires_ms - Date.now();
        this.#until = performance.now() + left;
        wait = Math.max(1, Math.min(left / BEATS, PAUSE_MS));
        faults.succeeded(REGISTER);
        for (const part of dropped) await this.#drop(part);
        const gone = new Set(dropped.map(({ uuid }) => uuid));
        const said = now.indexes.filter(({ uuid }) => !gone.has(uuid));
        for (const assignment of assignments) this.#take(assignment, said);
        this.#options.follow(followed);
        this.#leave(followed);
      } catch (error) {
        if (!signal.aborted) faults.failed(REGISTER, error);
      }
      await pause(wait, signal);
    }
    if (!this.holds()) return;
    this.#until = Number.NEGATIVE_INFINITY;
    await registrar.leave(address, state()).catch(() => {});
  }

  async #drop(dropped: DroppedIndex): Promise<void> {
    const { removeIndex, logger, faults } = this.#options;
    const { index } = dropped;
    try {
      const removed = await removeIndex(dropped);
      faults.succeeded(REMOVE, { index });
      if (removed !== undefined) logger.info(dropped, 'dropped index removed');
    } catch (error) {
      faults.failed(REMOVE, error, { index });
    }
  }

  #take({ index, definition, ordinals }: Assignment, said: readonly NodeIndex[]): void {
    const { backend, state } = this.#options;
    const isNamed = (each: NodeIndex) => each.index === index;
    const own = state().indexes.find(isNamed);
    if (versionOf(own) !== versionOf(said.find(isNamed))) return;
    const text = withOnly(definition, ordinals);
    if (own === undefined) {
      this.#change(index, ordinals, () => backend.createIndex({ definition: text }));
      return;
    }
    const { shards = 1 } = registeredDefinition(definition);
    if (shards === own.shards && ordinals.join() === own.ordinals.join()) return;
    const request = { index, definition_yaml: text, apply: true };
    this.#change(index, ordinals, () => backend.alterIndex(request));
  }

  /** Another node writes these indexes by now: this one reads their store. */
  #leave(followed: readonly StoredIndex[]): void {
    const { leaveIndex, state } = this.#options;
    const { node, indexes } = state();
    for (const { index, writer } of followed) {
      if (writer === '' || writer === node) continue;
      if (!indexes.some((own) => own.index === index)) continue;
      this.#change(index, [], () => leaveIndex(index));
    }
  }

  /** Changes the shards of an index beside the heartbeats: the table is read for that. */
  #change(index: string, ordinals: readonly number[], work: () => Promise<unknown>): void {
    const { logger, faults } = this.#options;
    if (this.#changing.has(index)) return;
    this.#changing.add(index);
    void work()
      .then(
        () => {
          faults.succeeded(TAKE, { index });
          logger.info({ index, ordinals }, 'shards taken over');
        },
        (error: unknown) => faults.failed(TAKE, error, { index }),
      )
      .finally(() => this.#changing.delete(index));
  }
}

/** Tells an index from what it was before its shards or its definition changed. */
const versionOf = (own: NodeIndex | undefined): string =>
  own === undefined ? '' : JSON.stringify([own.uuid, own.definition_version, own.ordinals]);
