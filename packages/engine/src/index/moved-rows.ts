import { lowerBound } from '../base/arrays/lower-bound.ts';
import type { MovedLocations } from '../segment/locators.ts';

/**
 * Rows of a segment that have moved since its files were written: two numbers a document, made at
 * the first move (pages that no moved row touches take no memory), and for look-ups by place an
 * order that is made when it is first asked for and again after further moves.
 */
export class MovedRows {
  readonly #files: Int32Array;
  readonly #positions: Int32Array;
  #count = 0;
  #byPlace: Int32Array | null = null;

  /** For a segment of so many documents. */
  constructor(docs: number) {
    this.#files = new Int32Array(docs);
    this.#positions = new Int32Array(docs);
  }

  /** Number of documents whose rows have moved. */
  get count(): number {
    return this.#count;
  }

  has(doc: number): boolean {
    return this.#files[doc] !== 0;
  }

  /** Number of the data file of a moved row. */
  file(doc: number): number {
    return this.#files[doc] - 1;
  }

  /** Ordinal of a moved row in its data file. */
  position(doc: number): number {
    return this.#positions[doc];
  }

  /** Gives a row a new place. */
  set(doc: number, file: number, position: number): void {
    if (this.#files[doc] === 0) this.#count++;
    this.#files[doc] = file + 1;
    this.#positions[doc] = position;
    this.#byPlace = null;
  }

  /** The places as they are now, a view. */
  locations(): MovedLocations {
    return { files: this.#files, positions: this.#positions };
  }

  /** The places as they are now, a copy. */
  freeze(): MovedLocations {
    return { files: this.#files.slice(), positions: this.#positions.slice() };
  }

  /** Calls `visit` for each moved row, in order of documents. */
  forEach(visit: (doc: number, file: number, position: number) => void): void {
    for (let doc = 0; doc < this.#files.length; doc++) {
      if (this.#files[doc] !== 0) visit(doc, this.#files[doc] - 1, this.#positions[doc]);
    }
  }

  /**
   * Calls `visit` for each row that has moved into a file, by position; `positions` (ascending):
   * only those that lie at one of them.
   */
  forEachIn(
    file: number,
    positions: Int32Array | null,
    visit: (doc: number, position: number) => void,
  ): void {
    const order = this.#order();
    const end = this.#firstFrom(order, file + 1, 0);
    let wanted = 0;
    for (let at = this.#firstFrom(order, file, 0); at < end; at++) {
      const position = this.#positions[order[at]];
      if (positions !== null) {
        wanted = lowerBound(positions, position, wanted);
        if (wanted === positions.length) return;
        if (positions[wanted] !== position) continue;
      }
      visit(order[at], position);
    }
  }

  #order(): Int32Array {
    this.#byPlace ??= this.#sort();
    return this.#byPlace;
  }

  /**
   * Moved documents by (file, position): a counting sort by file, then each file's where needed.
   */
  #sort(): Int32Array {
    const files = this.#files;
    const highest = files.reduce((most, file) => Math.max(most, file), 0);
    const starts = new Int32Array(highest + 2);
    for (const file of files) starts[file + 1]++;
    starts[1] = 0;
    for (let file = 1; file <= highest; file++) starts[file + 1] += starts[file];
    const order = new Int32Array(this.#count);
    const heads = starts.slice();
    for (let doc = 0; doc < files.length; doc++) {
      if (files[doc] !== 0) order[heads[files[doc]]++] = doc;
    }
    for (let file = 1; file <= highest; file++) {
      this.#sortByPosition(order.subarray(starts[file], starts[file + 1]));
    }
    return order;
  }

  /** Rows of one file: mostly they stand in order already. */
  #sortByPosition(docs: Int32Array): void {
    const positions = this.#positions;
    for (let i = 1; i < docs.length; i++) {
      if (positions[docs[i - 1]] <= positions[docs[i]]) continue;
      docs.sort((a, b) => positions[a] - positions[b] || a - b);
      return;
    }
  }

  /** The first place in the order at or behind (file, position). */
  #firstFrom(order: Int32Array, file: number, position: number): number {
    let low = 0;
    let high = order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const doc = order[middle];
      const before =
        this.#files[doc] - 1 < file ||
        (this.#files[doc] - 1 === file && this.#positions[doc] < position);
      if (before) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
