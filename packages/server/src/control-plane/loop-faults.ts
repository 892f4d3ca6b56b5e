import { type ErrorCode, LhsError } from '@lakehouse-search/contract';
import { sourceError } from '@lakehouse-search/engine';
import type { Logger } from 'pino';
import { RepeatedFaults } from '../observe/repeated-faults.ts';
import type { Store } from '../store/open-store.ts';

/** What notes the failures of loops. */
export interface LoopFaultsOptions {
  readonly store: Pick<Store, 'faults'>;
  readonly logger: Logger;
  /** Counts a failure. */
  readonly count: (work: string, index: string) => void;
}

/** A loop, and the index that it works for; none: it works for all. */
export interface Loop {
  readonly work: string;
  readonly index?: string;
}

/**
 * The failures of the loops of a process: each is counted, and stored until the loop succeeds, so
 * that the status of the index shows it.
 */
export class LoopFaults {
  readonly #options: LoopFaultsOptions;
  readonly #log: RepeatedFaults;
  /** Loops that succeeded last: their faults are cleared. */
  readonly #clear = new Set<string>();

  constructor(options: LoopFaultsOptions) {
    this.#options = options;
    this.#log = new RepeatedFaults(options.logger);
  }

  /** Throws nothing. */
  async failed({ work, index = '' }: Loop, error: unknown, more: object = {}): Promise<void> {
    const { store, count } = this.#options;
    this.#log.failed(`${work} failed`, error, { ...(index === '' ? {} : { index }), ...more });
    count(work, index);
    this.#clear.delete(keyOf(work, index));
    const known = sourceError(error);
    const code = known instanceof LhsError ? known.code : 'internal';
    const message = known instanceof Error ? known.message : String(known);
    await this.#stored(() => store.faults.set({ index, work, code, message }));
  }

  /** Stores what a loop does about a loss until it has succeeded. Throws nothing. */
  async noted({ work, index = '' }: Loop, code: ErrorCode, message: string): Promise<void> {
    this.#clear.delete(keyOf(work, index));
    await this.#stored(() => this.#options.store.faults.set({ index, work, code, message }));
  }

  /** Throws nothing. */
  async succeeded({ work, index = '' }: Loop): Promise<void> {
    this.#log.succeeded(`${work} failed`, index === '' ? {} : { index });
    if (this.#clear.has(keyOf(work, index))) return;
    const isStored = await this.#stored(() => this.#options.store.faults.clear(index, work));
    if (isStored) this.#clear.add(keyOf(work, index));
  }

  async #stored(change: () => Promise<void>): Promise<boolean> {
    try {
      await change();
      this.#log.succeeded(STORE);
      return true;
    } catch (error) {
      this.#log.failed(STORE, error);
      return false;
    }
  }
}

const STORE = 'cannot store a fault';

const keyOf = (work: string, index: string): string => `${work} ${index}`;
