/** Items that may wait for the reader. */
const WAITING = 4;

/** Parts on their way to one reader. A reader that has left takes no more. */
export class PartQueue<T> implements AsyncIterable<T> {
  readonly #waiting: T[] = [];
  #ended = false;
  #left = false;
  #error: unknown;
  #changed = Promise.withResolvers<void>();

  /** True once the reader has left. */
  get left(): boolean {
    return this.#left;
  }

  /** Adds a part once there is room for it. */
  async push(part: T): Promise<void> {
    while (this.#waiting.length >= WAITING && !this.#left) await this.#changed.promise;
    if (this.#left) return;
    this.#waiting.push(part);
    this.#notify();
  }

  /** No more parts; with an error, the reader fails. */
  end(error?: unknown): void {
    this.#ended = true;
    this.#error = error;
    this.#notify();
  }

  /** The reader takes no more. */
  leave(): void {
    this.#left = true;
    this.#waiting.length = 0;
    this.#notify();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      const part = this.#waiting.shift();
      if (part !== undefined) {
        this.#notify();
        yield part;
      } else if (this.#ended || this.#left) {
        if (this.#error !== undefined) throw this.#error;
        return;
      } else await this.#changed.promise;
    }
  }

  #notify(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers<void>();
    resolve();
  }
}
