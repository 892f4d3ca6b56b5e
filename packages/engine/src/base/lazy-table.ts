/**
 * Tables that searches cache in memory beside open files. A table is built once it was requested so
 * often that building it pays; until then the caller works without it. If all tables together take
 * too much memory, the least recently used ones are dropped. A table is also freed with its
 * structure.
 */
import { CacheBudget } from './cache-budget.ts';

const tables = new CacheBudget(96 * 2 ** 20);

/** A table of a structure, built lazily. */
export class LazyTable<Structure, Made extends { readonly bytes: number }> {
  readonly #make: (structure: Structure) => Made;
  readonly #freeCalls: number;
  readonly #self = new WeakRef(this);
  #calls = 0;
  #made: Made | null = null;

  /** Building one costs about as much as `asks` searches lose without it. */
  constructor(asks: number, make: (structure: Structure) => Made) {
    this.#freeCalls = asks;
    this.#make = make;
  }

  /** The table of a structure, always the same one; null: not made yet. */
  get(structure: Structure): Made | null {
    if (this.#made === null) {
      if (++this.#calls <= this.#freeCalls) return null;
      this.#made = this.#make(structure);
    }
    tables.use(this.#self, this.#made.bytes);
    return this.#made;
  }

  /** Frees the table. It is made again after as many calls as the first time. */
  drop(): void {
    this.#made = null;
    this.#calls = 0;
  }
}
