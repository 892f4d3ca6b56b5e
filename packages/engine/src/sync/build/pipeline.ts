/**
 * Two stages of a stream of work, each of which handles one item after the other: the second one
 * takes an item while the first one makes the next.
 */
export class Pipeline<T> {
  readonly #take: (item: T) => Promise<void>;
  #ahead: Promise<T> | null = null;

  constructor(take: (item: T) => Promise<void>) {
    this.#take = take;
  }

  /** Begins to make an item when the one before is made, and takes that one. Throws what both throw. */
  async push(make: () => Promise<T>): Promise<void> {
    const former = this.#ahead;
    if (former === null) {
      this.#begin(make);
      return;
    }
    const item = await former;
    this.#begin(make);
    await this.#take(item);
  }

  /** Takes the item that is being made; then there is none. */
  async drain(): Promise<void> {
    const last = this.#ahead;
    this.#ahead = null;
    if (last !== null) await this.#take(await last);
  }

  /** Ends when no item is being made; what was made is dropped. */
  async stop(): Promise<void> {
    await this.#ahead?.catch(() => {});
    this.#ahead = null;
  }

  #begin(make: () => Promise<T>): void {
    const ahead = make();
    // A failure is thrown where the item is awaited.
    ahead.catch(() => {});
    this.#ahead = ahead;
  }
}
