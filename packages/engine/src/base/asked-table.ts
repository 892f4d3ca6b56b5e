/**
 * Tables that searches keep in memory beside open files. Each is made when it has been asked for so
 * often that making it pays; until then the caller does without. The least recently used go when
 * all together take too much; those that nobody can ask any more, with their structures.
 */

/** Bytes of all tables together. */
const MOST_TABLE_BYTES = 96 * 2 ** 20;

/** A table of a structure, and how it comes to be. */
export class AskedTable<Structure, Made extends { readonly bytes: number }> {
  readonly #make: (structure: Structure) => Made;
  readonly #asks: number;
  readonly #self: Table = new WeakRef(this);
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
      makeRoom(this.#self, this.#made.bytes);
    }
    inUse.delete(this.#self);
    inUse.set(this.#self, this.#made.bytes);
    return this.#made;
  }

  drop(): void {
    this.#made = null;
  }
}

type Table = WeakRef<{ drop(): void }>;

/** Tables that were made, and their bytes; the last used last. */
const inUse = new Map<Table, number>();

function makeRoom(table: Table, bytes: number): void {
  let sum = bytes;
  for (const [other, taken] of inUse) {
    if (other.deref() === undefined) inUse.delete(other);
    else sum += taken;
  }
  for (const [other, taken] of inUse) {
    if (sum <= MOST_TABLE_BYTES) return;
    if (other === table) continue;
    other.deref()?.drop();
    inUse.delete(other);
    sum -= taken;
  }
}
