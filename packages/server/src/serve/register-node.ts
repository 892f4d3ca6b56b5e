import type { BackendApi } from '@lakehouse-search/contract/internal';
import { definitionDigest, registeredDefinition } from '@lakehouse-search/engine/internal';
import type { Logger } from 'pino';
import type { NodeIndex, NodeState } from '../cluster/node-state.ts';
import type { Assignment, DroppedIndex, Registrar, StoredIndex } from '../cluster/registrar.ts';
import { withAll } from '../cluster/with-only.ts';
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
  /** The digest of the definition in force of an index. */
  readonly digestOf: (index: string) => string;
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
/** The work that makes an index of a node what the control plane says. */
export const TAKE = 'takeover of an index';

/**
 * Registers a node until it is stopped: renews its lease, takes over the indexes that the control
 * plane gives it, under the definitions in force, and leaves those that other nodes have. What the
 * node is given follows from what it said that it holds: an index that a job has changed meanwhile
 * waits for the next heartbeat.
 */
export class NodeRegistration {
  readonly #options: RegistrationOptions;
  readonly #stop = new AbortController();
  readonly #changing = new Set<string>();
  /** The indexes that the last heartbeat said other nodes have. */
  #left: ReadonlySet<string> = new Set();
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
        const { expires_ms, assignments, dropped, followed, left } = lease;
        const ms = expires_ms - Date.now();
        this.#until = performance.now() + ms;
        wait = Math.max(1, Math.min(ms / BEATS, PAUSE_MS));
        faults.succeeded(REGISTER);
        for (const part of dropped) await this.#drop(part);
        const gone = new Set(dropped.map(({ uuid }) => uuid));
        const said = now.indexes.filter(({ uuid }) => !gone.has(uuid));
        for (const assignment of assignments) this.#take(assignment, said);
        this.#options.follow(followed);
        // gateways that have the former route still read here
        for (const index of left) if (this.#left.has(index)) this.#leave(index, said);
        this.#left = new Set(left);
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
    const { index, uuid } = dropped;
    try {
      const removed = await removeIndex(dropped);
      faults.succeeded(REMOVE, { index });
      if (removed !== undefined) logger.info({ index, uuid }, 'dropped index removed');
    } catch (error) {
      faults.failed(REMOVE, error, { index });
    }
  }

  #take({ index, definition }: Assignment, said: readonly NodeIndex[]): void {
    const { backend, digestOf } = this.#options;
    const own = this.#unchanged(index, said);
    if (own === undefined) return;
    const definition_yaml = withAll(definition);
    if (own === null) {
      this.#change(index, 'taken over', () => backend.createIndex({ definition: definition_yaml }));
      return;
    }
    const isWhole = own.ordinals.length === own.shards;
    if (isWhole && digestOf(index) === definitionDigest(registeredDefinition(definition))) return;
    const request = { index, definition_yaml, apply: true };
    this.#change(index, 'taken over', () => backend.alterIndex(request));
  }

  /** Another node has this index by now. */
  #leave(index: string, said: readonly NodeIndex[]): void {
    const { leaveIndex } = this.#options;
    if (this.#unchanged(index, said)) this.#change(index, 'left', () => leaveIndex(index));
  }

  /** The index as the node said that it has it; null: it has none. Undefined: it has changed. */
  #unchanged(index: string, said: readonly NodeIndex[]): NodeIndex | null | undefined {
    const isNamed = (each: NodeIndex) => each.index === index;
    const own = this.#options.state().indexes.find(isNamed);
    return versionOf(own) === versionOf(said.find(isNamed)) ? (own ?? null) : undefined;
  }

  /** Changes an index beside the heartbeats: the table may be read for that. */
  #change(index: string, what: string, work: () => Promise<unknown>): void {
    const { logger, faults } = this.#options;
    if (this.#changing.has(index)) return;
    this.#changing.add(index);
    void work()
      .then(
        () => {
          faults.succeeded(TAKE, { index });
          logger.info({ index }, `index ${what}`);
        },
        (error: unknown) => faults.failed(TAKE, error, { index }),
      )
      .finally(() => this.#changing.delete(index));
  }
}

/** Tells an index from what it was before its shards or its definition changed. */
const versionOf = (own: NodeIndex | undefined): string =>
  own === undefined ? '' : JSON.stringify([own.uuid, own.definition_version, own.ordinals]);
