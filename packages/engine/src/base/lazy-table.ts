/**
 * Tables that searches keep in memory beside open files. Each is made when it has been asked for so
 * often that making it pays; until then the caller does without. The least recently used go when
 * all together take too much; those that nobody can ask any more, with their structures.
 */
import { CacheBudget } from './cache-budget.ts';

const tables = new CacheBudget(96 * 2 ** 20);

/** A table of a structure, and how it comes to be. */
export class LazyTable<Structure, Made extends { readonly bytes: number }> {
  readonly #make: (structure: Structure) => Made;
  readonly #asks: number;
  readonly #self = new WeakRef(this);
  #asked = 0;
  #made: Made | null = null;

  /** Making one costs about as much as `asks` searches lose without it. */
  constructor(asks: number, make: (structure: Structure) => Made) {
    this.#asks = asks;
    this.#make = make;
  }

  /** The table of a structure, always the same one; null: not made yet. */
  get(structure: Structure): Made | null {
    if (this.#made === null) {
      if (++this.#asked <= this.#asks) return null;
      this.#made = this.#make(structure);
    }
    tables.use(this.#self, this.#made.bytes);
    return this.#made;
  }

  /** Frees the table. It is made again after as many calls as the first time. */
  drop(): void {
    this.#made = null;
    this.#asked = 0;
  }
}
