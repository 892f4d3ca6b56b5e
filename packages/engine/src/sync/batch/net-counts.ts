import type { DuplicateDoc } from '../../index/duplicates.ts';

/**
 * What the rows of a batch changed, net by key. A key that has no document before and one after is
 * inserted; one with another row hash before and after is updated.
 */
export class NetCounts {
  inserted = 0;
  updated = 0;
  /** Segments of the commit before the batch: what they hold did not come with it. */
  readonly #committed: ReadonlySet<string>;
  /**
   * By place: the hash of the document that a row replaced, to be known if the row loses its key to
   * another. Null: keys are unique.
   */
  readonly #replaced: Map<number, bigint> | null;

  constructor(committed: ReadonlySet<string>, keysMayRepeat: boolean) {
    this.#committed = committed;
    this.#replaced = keysMayRepeat ? new Map() : null;
  }

  /** A row that gets a document; `former`: the hash of the one that it replaces. */
  add(file: number, position: number, former: bigint | null): void {
    if (former === null) this.inserted++;
    else {
      this.updated++;
      this.#replaced?.set(placeNumber(file, position), former);
    }
  }

  /** Of documents that share a key only `winner` stays: the key counts once. */
  settle(winner: DuplicateDoc, all: readonly DuplicateDoc[]): void {
    let before: bigint | null = null;
    for (const { segment, file, position, hash } of all) {
      const former = this.#replaced?.get(placeNumber(file, position));
      if (this.#committed.has(segment)) before = hash;
      else if (former === undefined) this.inserted--;
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
