/**
 * Work of one kind, one at a time: while one runs, only the newest wish waits and all between are
 * dropped, so that fast typing never piles up.
 */
export class Lane {
  #running = false;
  #next: (() => Promise<void>) | undefined;

  /** Runs the work now, or when what runs has ended, unless a newer wish takes its place. */
  want(work: () => Promise<void>): void {
    this.#next = work;
    if (!this.#running) void this.#run();
  }

  /** Drops what waits. */
  clear(): void {
    this.#next = undefined;
  }

  async #run(): Promise<void> {
    this.#running = true;
    try {
      for (let work = this.#take(); work !== undefined; work = this.#take()) await work();
    } finally {
      this.#running = false;
    }
  }

  #take(): (() => Promise<void>) | undefined {
    const work = this.#next;
    this.#next = undefined;
    return work;
  }
}
