import type { ErrorCode } from '@lakehouse-search/contract';
import { type RepeatedFaults, shownError } from '../observe/repeated-faults.ts';
import type { Store } from '../store/open-store.ts';

/** What notes the failures of loops. */
export interface LoopFaultsOptions {
  readonly store: Pick<Store, 'faults'>;
  readonly faults: RepeatedFaults;
}

/** A loop, and the index that it works for; none: it works for all. */
export interface Loop {
  readonly work: string;
  readonly index?: string;
}

/**
 * The failures of the loops of a control plane: each is stored until the loop succeeds, so that the
 * status of the index shows it.
 */
export class LoopFaults {
  readonly #options: LoopFaultsOptions;
  /** Loops that succeeded last: their faults are cleared. */
  readonly #clear = new Set<string>();

  constructor(options: LoopFaultsOptions) {
    this.#options = options;
  }

  /** Throws nothing. */
  async failed({ work, index = '' }: Loop, error: unknown, more: object = {}): Promise<void> {
    const { store, faults } = this.#options;
    faults.failed(work, error, { ...(index === '' ? {} : { index }), ...more });
    this.#clear.delete(keyOf(work, index));
    const { code, message } = shownError(error);
    await this.#stored(() => store.faults.set({ index, work, code, message }));
  }

  /** Stores what a loop does about a loss until it has succeeded. Throws nothing. */
  async noted({ work, index = '' }: Loop, code: ErrorCode, message: string): Promise<void> {
    this.#clear.delete(keyOf(work, index));
    await this.#stored(() => this.#options.store.faults.set({ index, work, code, message }));
  }

  /** Throws nothing. */
  async succeeded({ work, index = '' }: Loop): Promise<void> {
    this.#options.faults.succeeded(work, index === '' ? {} : { index });
    if (this.#clear.has(keyOf(work, index))) return;
    const isStored = await this.#stored(() => this.#options.store.faults.clear(index, work));
    if (isStored) this.#clear.add(keyOf(work, index));
  }

  async #stored(change: () => Promise<void>): Promise<boolean> {
    const { faults } = this.#options;
    try {
      await change();
      faults.succeeded(STORE);
      return true;
    } catch (error) {
      faults.failed(STORE, error);
      return false;
    }
  }
}

const STORE = 'store of faults';

const keyOf = (work: string, index: string): string => `${work} ${index}`;
