import { refuseAborted } from '@lakehouse-search/contract/internal';
import { usableMemory } from '@lakehouse-search/lake/internal';

/** What a verify takes, as measured: batches of rows, keys and the self check. */
export const VERIFY_MEMORY = 128 * 2 ** 20;

/** What a look-up takes by row, decoded pages and JSON included, and at most. */
export const ROW_MEMORY = 8 * 2 ** 10;
export const LOOKUP_MEMORY = 64 * 2 ** 20;

/** The memory of all verifies and look-ups of rows in one engine: one verify runs always. */
export const rowMemory = (): number => Math.max(VERIFY_MEMORY, usableMemory() - VERIFY_MEMORY);

/** Leaves a room: the memory is free again. */
export type Leave = () => void;

/**
 * The memory of all builds, or of all that reads many rows of tables, in one engine. What does not
 * fit waits until those before it have left, in the order of arrival.
 */
export class MemoryRoom {
  #free: number;
  #last: Promise<unknown> = Promise.resolve();
  #left = Promise.withResolvers<void>();

  constructor(bytes: number) {
    this.#free = bytes;
  }

  /**
   * Waits until `bytes` are free, which must not be more than the whole room. Throws interrupted if
   * `signal` is aborted while it waits.
   */
  async enter(bytes: number, signal?: AbortSignal): Promise<Leave> {
    const turn = this.#last.then(() => this.#take(bytes, signal));
    this.#last = turn.catch(() => {});
    await turn;
    return () => {
      this.#free += bytes;
      this.#left.resolve();
      this.#left = Promise.withResolvers();
    };
  }

  async #take(bytes: number, signal?: AbortSignal): Promise<void> {
    while (this.#free < bytes && !signal?.aborted) {
      const aborted = Promise.withResolvers<void>();
      signal?.addEventListener('abort', () => aborted.resolve(), { once: true });
      await Promise.race([this.#left.promise, aborted.promise]);
    }
    refuseAborted(signal);
    this.#free -= bytes;
  }
}
