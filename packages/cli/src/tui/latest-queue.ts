/**
 * Runs one task at a time. While a task runs, the queue holds only the latest of the next ones, so
 * that fast typing never piles up requests.
 */
export class LatestQueue {
  #running = false;
  #next: (() => Promise<void>) | undefined;

  /** Runs the task now, or after the running one ends unless a newer task replaces it. */
  want(work: () => Promise<void>): void {
    this.#next = work;
    if (!this.#running) void this.#run();
  }

  /** Drops the waiting task. */
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
