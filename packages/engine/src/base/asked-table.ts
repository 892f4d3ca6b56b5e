/**
 * Tables that searches keep in memory beside open files. Each is made when it has been asked for so
 * often that making it pays; until then the caller does without. The least recently used go when
 * all together take too much.
 */

/** Bytes of all tables together. */
const MOST_TABLE_BYTES = 96 * 2 ** 20;

/** A table of a structure, and how it comes to be. */
export class AskedTable<Structure, Made extends { readonly bytes: number }> {
  readonly #make: (structure: Structure) => Made;
  readonly #asks: number;
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
      makeRoom(this, this.#made.bytes);
    }
    inUse.delete(this);
    inUse.set(this, this.#made.bytes);
    return this.#made;
  }

  drop(): void {
    this.#made = null;
  }
}

/** Tables that were made, and their bytes; the last used last. */
const inUse = new Map<{ drop(): void }, number>();

function makeRoom(table: { drop(): void }, bytes: number): void {
  let sum = bytes;
  for (const taken of inUse.values()) sum += taken;
  for (const [other, taken] of inUse) {
    if (sum <= MOST_TABLE_BYTES) return;
    if (other === table) continue;
    other.drop();
    inUse.delete(other);
    sum -= taken;
  }
}
