/** What can be made or found again at any time. */
export interface Droppable {
  drop(): void;
}

/** Threads of this process that keep bytes: each gets an equal share of every limit. */
let sharers = 1;

/** Divides the limits of this thread by the number of threads that keep bytes. */
export function divideKeptBytes(threads: number): void {
  sharers = threads;
}

/**
 * A limit on the memory of many holders together. When they hold more, the least recently used are
 * dropped; the one in use stays. Holders that have been garbage collected do not count.
 */
export class CacheBudget {
  readonly #most: number;
  /** Bytes by holder, the last used last. */
  readonly #sizes = new Map<WeakRef<Droppable>, number>();

  /** `most`: bytes of all holders together. */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Records that a holder was used and how many bytes it holds now, and drops others if need be.
   */
  use(holder: WeakRef<Droppable>, bytes: number): void {
    const grown = this.#sizes.get(holder) !== bytes;
    this.#sizes.delete(holder);
    this.#sizes.set(holder, bytes);
    if (grown) this.#makeRoom(holder);
  }

  /** Records that a holder holds nothing any more. */
  forget(holder: WeakRef<Droppable>): void {
    this.#sizes.delete(holder);
  }

  #makeRoom(used: WeakRef<Droppable>): void {
    let sum = 0;
    for (const [holder, bytes] of this.#sizes) {
      if (holder.deref() === undefined) this.#sizes.delete(holder);
      else sum += bytes;
    }
    for (const [holder, bytes] of this.#sizes) {
      if (sum <= this.#most / sharers) return;
      if (holder === used) continue;
      holder.deref()?.drop();
      this.#sizes.delete(holder);
      sum -= bytes;
    }
  }
}
