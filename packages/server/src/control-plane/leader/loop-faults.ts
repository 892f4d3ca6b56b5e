import type { ErrorCode } from '@lakehouse-search/contract';
import { type RepeatedFaults, shownError } from '../../observe/repeated-faults.ts';
import type { Faults } from '../../store/faults.ts';

/** What notes the failures of loops. */
export interface LoopFaultsOptions {
  readonly store: { readonly faults: Pick<Faults, 'set' | 'clear'> };
  readonly faults: Pick<RepeatedFaults, 'failed' | 'succeeded'>;
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
  /** When the faults of loops that succeed were cleared. */
  readonly #cleared = new Map<string, number>();

  constructor(options: LoopFaultsOptions) {
    this.#options = options;
  }

  /** Throws nothing. */
  async failed({ work, index = '' }: Loop, error: unknown, more: object = {}): Promise<void> {
    const { store, faults } = this.#options;
    faults.failed(work, error, { ...(index === '' ? {} : { index }), ...more });
    this.#cleared.delete(keyOf(work, index));
    const { code, message } = shownError(error);
    await this.#stored(() => store.faults.set({ index, work, code, message }));
  }

  /** Stores what a loop does about a loss until it has succeeded. Throws nothing. */
  async noted({ work, index = '' }: Loop, code: ErrorCode, message: string): Promise<void> {
    this.#cleared.delete(keyOf(work, index));
    await this.#stored(() => this.#options.store.faults.set({ index, work, code, message }));
  }

  /** Throws nothing. */
  async succeeded({ work, index = '' }: Loop): Promise<void> {
    this.#options.faults.succeeded(work, index === '' ? {} : { index });
    const key = keyOf(work, index);
    // another control plane may have done the work since, and failed
    if (performance.now() - (this.#cleared.get(key) ?? -CLEARED_MS) < CLEARED_MS) return;
    const isStored = await this.#stored(() => this.#options.store.faults.clear(index, work));
    if (isStored) this.#cleared.set(key, performance.now());
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
/** Time after which a fault is cleared again. */
const CLEARED_MS = 10_000;

const keyOf = (work: string, index: string): string => `${work} ${index}`;
