import type { DuplicateDoc } from '../index/duplicates.ts';

/**
 * What the rows of a batch changed, net by key. A key that has no document before and one after is
 * inserted; one with another row hash before and after is updated.
 */
export class NetCounts {
  inserted = 0;
  updated = 0;
  /**
   * Rows that came, by place, while keys may stand more than once: the hash of the document that a
   * row replaced, or null. Null: keys stand once, so nothing has to be remembered.
   */
  readonly #came: Map<number, bigint | null> | null;

  constructor(keysMayRepeat: boolean) {
    this.#came = keysMayRepeat ? new Map() : null;
  }

  /** A row that gets a document; `former`: the hash of the one that it replaces. */
  add(file: number, position: number, former: bigint | null): void {
    if (former === null) this.inserted++;
    else this.updated++;
    this.#came?.set(placeNumber(file, position), former);
  }

  /** Of documents that share a key only `winner` stays: the key counts once. */
  settle(winner: DuplicateDoc, all: readonly DuplicateDoc[]): void {
    let before: bigint | null = null;
    for (const doc of all) {
      const former = this.#came?.get(placeNumber(doc.file, doc.position));
      if (former === undefined) before = doc.hash;
      else if (former === null) this.inserted--;
      else {
        this.updated--;
        before = former;
      }
    }
    if (before === null) this.inserted++;
    else if (before !== winner.hash) this.updated++;
  }
}

/** One number for a place: positions are below 2^31. */
const placeNumber = (file: number, position: number): number => file * 2 ** 31 + position;
