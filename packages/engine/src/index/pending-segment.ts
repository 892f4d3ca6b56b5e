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

/** One number for a place: positions are below 2^31. */
const placeNumber = ({ file, position }: RowPlace): number => file * 2 ** 31 + position;
