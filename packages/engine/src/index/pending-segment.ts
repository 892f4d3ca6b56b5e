import { IntSink } from '../base/growing.ts';
import { type SegmentEntry, writeComponent } from '../segment/entry.ts';
import { bitmapWords, encodeLiveDocs } from '../segment/live-docs.ts';
import { LocatorWriter } from '../segment/locators.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import type { Directory } from '../storage/directory.ts';

/** Where a row lies: number of the data file in the file table, ordinal in it. */
export interface RowPlace {
  readonly file: number;
  readonly position: number;
}

/**
 * A segment as a writer sees it between two commits: the files as they are, and the deletes and
 * moved rows that the next commit will write beside them.
 */
export class PendingSegment {
  readonly reader: SegmentReader;
  #entry: SegmentEntry;
  #deleted: Int32Array | null;
  #deletedDocs: number;
  #liveChanged = false;
  readonly #moved = new Map<number, RowPlace>();
  /** Where moved rows lie -> the document that moved there last. */
  readonly #movedTo = new Map<number, number>();
  #movedChanged = false;
  /** Bits of documents whose rows are gone from their places, while a batch is applied. */
  #marks: Int32Array | null = null;

  constructor(reader: SegmentReader) {
    this.reader = reader;
    this.#entry = reader.entry;
    this.#deleted = reader.deleted === null ? null : reader.deleted.slice();
    this.#deletedDocs = reader.deletedDocs;
    reader.keys.hide(this.#deleted);
  }

  /** The segment's entry as of its last `seal`. */
  get entry(): SegmentEntry {
    return this.#entry;
  }

  get docs(): number {
    return this.reader.docs;
  }

  get deletedDocs(): number {
    return this.#deletedDocs;
  }

  get liveDocs(): number {
    return this.docs - this.#deletedDocs;
  }

  /** Bits of deleted documents by now; null when none is. */
  get deleted(): Int32Array | null {
    return this.#deleted;
  }

  isDeleted(doc: number): boolean {
    return this.#deleted !== null && (this.#deleted[doc >> 5] & (1 << (doc & 31))) !== 0;
  }

  /** True when the next commit has something to write for it. */
  get changed(): boolean {
    return this.#liveChanged || this.#movedChanged;
  }

  /** Marks a document as deleted; false when it is already. */
  delete(doc: number): boolean {
    if (this.isDeleted(doc)) return false;
    if (this.#deleted === null) {
      this.#deleted = new Int32Array(bitmapWords(this.docs));
      this.reader.keys.hide(this.#deleted);
    }
    this.#deleted[doc >> 5] |= 1 << (doc & 31);
    this.#deletedDocs++;
    this.#liveChanged = true;
    return true;
  }

  /**
   * Marks live documents of a data file as gone from their place: all of them, or those at
   * `positions` (ascending). What becomes of them, `unmark` or `deleteMarked` says.
   */
  mark(file: number, positions: Int32Array | null): void {
    const marks = (this.#marks ??= new Int32Array(bitmapWords(this.docs)));
    const mark = (doc: number) => {
      if (!this.isDeleted(doc)) marks[doc >> 5] |= 1 << (doc & 31);
    };
    this.#eachAt(file, positions, mark);
  }

  isMarked(doc: number): boolean {
    return this.#marks !== null && (this.#marks[doc >> 5] & (1 << (doc & 31))) !== 0;
  }

  /** The document stays after all. */
  unmark(doc: number): void {
    if (this.#marks !== null) this.#marks[doc >> 5] &= ~(1 << (doc & 31));
  }

  /** Deletes what is marked and forgets the marks; returns how many there were. */
  deleteMarked(): number {
    const marks = this.#marks;
    this.#marks = null;
    let deleted = 0;
    marks?.forEach((word, at) => {
      for (let left = word; left !== 0; left &= left - 1) {
        if (this.delete(at * 32 + (31 - Math.clz32(left & -left)))) deleted++;
      }
    });
    return deleted;
  }

  /** Positions of live documents' rows in a data file, by now; in no order. */
  positionsIn(file: number): Int32Array {
    const found = new IntSink();
    this.#eachAt(file, null, (doc, position) => {
      if (!this.isDeleted(doc)) found.push(position);
    });
    return found.view().slice();
  }

  /** Gives a document's row a new place. */
  move(doc: number, place: RowPlace): void {
    this.#moved.set(doc, place);
    this.#movedTo.set(placeNumber(place), doc);
    this.#movedChanged = true;
  }

  /** Rows that have moved since the files were written. */
  get moves(): ReadonlyMap<number, RowPlace> {
    return this.#moved;
  }

  /** The place of a document's row by now. */
  place(doc: number): RowPlace {
    const { locators } = this.reader;
    return this.#moved.get(doc) ?? { file: locators.file(doc), position: locators.position(doc) };
  }

  /** Live documents whose rows lie at this place by now. */
  findRow(file: number, position: number): readonly number[] {
    const found: number[] = this.reader.locators
      .find(file, position)
      .filter((doc) => !this.isDeleted(doc) && !this.#moved.has(doc));
    const doc = this.#movedTo.get(placeNumber({ file, position }));
    if (doc !== undefined && !this.isDeleted(doc) && this.#isAt(doc, file, position)) {
      found.push(doc);
    }
    return found;
  }

  /** Writes new live documents and locators where they changed, under names of this revision. */
  seal(directory: Directory, revision: number): void {
    if (this.#liveChanged && this.#deleted !== null) {
      const live = { docs: this.docs, deletedDocs: this.#deletedDocs, deleted: this.#deleted };
      this.#replace(directory, 'live', revision, encodeLiveDocs(live));
    }
    if (this.#movedChanged) this.#replace(directory, 'locators', revision, this.#locators());
    this.#entry = { ...this.#entry, deletedDocs: this.#deletedDocs };
    this.#liveChanged = false;
    this.#movedChanged = false;
  }

  /** Visits the documents whose rows lie in a file by now: at these positions, or at any. */
  #eachAt(
    file: number,
    positions: Int32Array | null,
    visit: (doc: number, position: number) => void,
  ): void {
    this.reader.locators.forEachRun((doc, count, runFile, first) => {
      if (runFile !== file) return;
      if (positions === null) {
        for (let i = 0; i < count; i++) if (!this.#moved.has(doc + i)) visit(doc + i, first + i);
        return;
      }
      for (let at = lowerBound(positions, first); at < positions.length; at++) {
        const i = positions[at] - first;
        if (i >= count) break;
        if (!this.#moved.has(doc + i)) visit(doc + i, positions[at]);
      }
    });
    for (const [doc, place] of this.#moved) {
      if (place.file !== file) continue;
      if (positions !== null && positions[lowerBound(positions, place.position)] !== place.position)
        continue;
      visit(doc, place.position);
    }
  }

  #isAt(doc: number, file: number, position: number): boolean {
    const place = this.place(doc);
    return place.file === file && place.position === position;
  }

  #locators(): Uint8Array[] {
    const writer = new LocatorWriter();
    for (let doc = 0; doc < this.docs; doc++) {
      const { file, position } = this.place(doc);
      writer.add(file, position);
    }
    return writer.finish();
  }

  #replace(
    directory: Directory,
    kind: 'live' | 'locators',
    revision: number,
    parts: readonly Uint8Array[],
  ): void {
    const component = writeComponent(directory, this.#entry.id, { kind, revision }, parts);
    const others = this.#entry.components.filter((other) => other.kind !== kind);
    this.#entry = { ...this.#entry, components: [...others, component] };
  }
}

/** The first index whose value is at least `value`. */
function lowerBound(ascending: Int32Array, value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** One number for a place: positions are below 2^31. */
const placeNumber = ({ file, position }: RowPlace): number => file * 2 ** 31 + position;
