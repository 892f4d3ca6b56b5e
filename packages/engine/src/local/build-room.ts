import { LhsError } from '@lakehouse-search/contract';

/** Leaves a room: the memory of a build is free again. */
export type Leave = () => void;

/**
 * The memory of all builds that run in one engine. A build that does not fit waits until those
 * before it have left, in the order of arrival.
 */
export class BuildRoom {
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
    if (signal?.aborted) throw new LhsError('interrupted', 'interrupted');
    this.#free -= bytes;
  }
}
