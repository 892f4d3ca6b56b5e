/**
 * Reusable scratch objects. The caller that takes one owns it until it gives it back, so two
 * searches never share one. The pool holds as many as were in use at the same time.
 */
export class Pool<T> {
  readonly #make: () => T;
  readonly #free: T[] = [];

  constructor(make: () => T) {
    this.#make = make;
  }

  /** One that nobody else has; its content is arbitrary. */
  take(): T {
    return this.#free.pop() ?? this.#make();
  }

  /** Gives one back. */
  give(item: T): void {
    this.#free.push(item);
  }

  /** Runs `use` with one that is given back at the end, and returns what it returns. */
  lend<R>(use: (item: T) => R): R {
    const item = this.take();
    try {
      return use(item);
    } finally {
      this.#free.push(item);
    }
  }
}
