import { lowerBound } from '../base/arrays/lower-bound.ts';
import { wordsOf } from '../bitmap/bitmap.ts';
import { ONE_SHARD, type ShardTable } from '../schema/sharding/key-buckets.ts';
import {
  type SegmentEntry,
  segmentBytes,
  shardParts,
  withParts,
  writeComponent,
} from '../segment/entry.ts';
import type { SegmentKeys } from '../segment/keys/keys.ts';
import { encodeLiveDocs } from '../segment/live-docs.ts';
import { LocatorWriter, type MovedLocations } from '../segment/locators.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import type { Directory } from '../storage/directory.ts';
import type { SegmentSize } from './merges/merge-policy.ts';
import { MovedRows } from './moved-rows.ts';

/** Where a row lies: number of the data file in the file table, ordinal in it. */
export interface RowLocation {
  readonly file: number;
  readonly position: number;
}

/** Places by data file: positions (ascending), or null for every one. */
export type PositionsByFile = ReadonlyMap<number, Int32Array | null>;

/**
 * A segment as a writer sees it between two commits: the files as they are, and the deletes and
 * moved rows that the next commit will write beside them.
 */
export class PendingSegment {
  readonly reader: SegmentReader;
  #keys: SegmentKeys | null = null;
  #entry: SegmentEntry;
  #deleted: Int32Array | null;
  #deletedDocs: number;
  #liveChanged = false;
  /** Rows that have moved since the files of `reader` were written; null: none. */
  #moved: MovedRows | null = null;
  #movedChanged = false;
  /** Bits of documents whose rows are gone from their places, while a batch is applied. */
  #marks: Int32Array | null = null;
  readonly #table: ShardTable;
  /** Live documents of each shard. */
  readonly #parts: Map<number, number>;

  /** `table`: the shard of each bucket; absent: nothing is deleted. */
  constructor(reader: SegmentReader, table: ShardTable = ONE_SHARD) {
    this.reader = reader;
    this.#table = table;
    this.#parts = new Map(shardParts(reader.entry).map(({ shard, docs }) => [shard, docs]));
    this.#entry = reader.entry;
    this.#deleted = reader.deleted === null ? null : reader.deleted.slice();
    this.#deletedDocs = reader.deletedDocs;
  }

  /** The reader's keys; look-ups see documents that live by now. */
  get keys(): SegmentKeys {
    if (this.#keys === null) {
      this.#keys = this.reader.keys;
      this.#keys.hide(this.#deleted);
    }
    return this.#keys;
  }

  /** The segment's entry as of its last `seal`. */
  get entry(): SegmentEntry {
    return this.#entry;
  }

  get docs(): number {
    return this.reader.docs;
  }

  /** Live documents by shard: of one shard, or of all that have the segment. */
  get parts(): ReadonlyMap<number, number> {
    return this.#parts;
  }

  get deletedDocs(): number {
    return this.#deletedDocs;
  }

  get liveDocs(): number {
    return this.docs - this.#deletedDocs;
  }

  /** What the merge policy knows of it. */
  get size(): SegmentSize {
    const bytes = segmentBytes(this.#entry);
    const { docs } = this;
    const { window, shard = 0 } = this.#entry;
    return {
      ...{ docs, deletedDocs: this.#deletedDocs, bytes, shard },
      ...(window === undefined ? {} : { window }),
    };
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
      this.#deleted = new Int32Array(wordsOf(this.docs));
      this.#keys?.hide(this.#deleted);
    }
    this.#deleted[doc >> 5] |= 1 << (doc & 31);
    this.#deletedDocs++;
    const shard = this.#shardOf(doc);
    this.#parts.set(shard, this.#parts.get(shard)! - 1);
    this.#liveChanged = true;
    return true;
  }

  /**
   * Marks live documents of data files as gone from their places: of each file all of them, or
   * those at positions (ascending). What becomes of them, `unmark` or `deleteMarked` says.
   */
  mark(places: PositionsByFile): void {
    this.#eachAt(places, (doc) => {
      if (!this.isDeleted(doc)) this.#setMark(doc);
    });
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
    forEachBit(marks, null, (doc) => {
      if (this.delete(doc)) deleted++;
    });
    return deleted;
  }

  /** Visits the places of live documents' rows in data files, by now; in no order. */
  eachLocationIn(places: PositionsByFile, visit: (file: number, position: number) => void): void {
    this.#eachAt(places, (doc, file, position) => {
      if (!this.isDeleted(doc)) visit(file, position);
    });
  }

  /** Gives a document's row a new place. */
  move(doc: number, file: number, position: number): void {
    this.#moved ??= new MovedRows(this.docs);
    this.#moved.set(doc, file, position);
    this.#movedChanged = true;
  }

  /** The place of a document's row by now. */
  location(doc: number): RowLocation {
    const moved = this.#moved;
    if (moved?.has(doc)) return { file: moved.file(doc), position: moved.position(doc) };
    const { locators } = this.reader;
    return { file: locators.file(doc), position: locators.position(doc) };
  }

  /** A copy of what a merge must know beside the files: deletes and moves of this moment. */
  freeze(): { readonly deleted: Int32Array | null; readonly moved: MovedLocations | null } {
    return {
      deleted: this.#deletedDocs === 0 ? null : (this.#deleted?.slice() ?? null),
      moved: this.#moved?.freeze() ?? null,
    };
  }

  /**
   * Hands on what happened since `frozen` to the segment that this one's documents were merged
   * into: deletes, moves and marks. `docMap`: old number -> new, -1 dropped.
   */
  carryTo(
    merged: PendingSegment,
    docMap: Int32Array,
    frozen: { readonly deleted: Int32Array | null; readonly moved: MovedLocations | null },
  ): void {
    forEachBit(this.#deleted, frozen.deleted, (doc) => merged.delete(docMap[doc]));
    this.#moved?.forEach((doc, file, position) => {
      const same =
        frozen.moved?.files[doc] === file + 1 && frozen.moved.positions[doc] === position;
      if (!same && docMap[doc] >= 0) merged.move(docMap[doc], file, position);
    });
    forEachBit(this.#marks, null, (doc) => {
      if (docMap[doc] >= 0) merged.#setMark(docMap[doc]);
    });
  }

  /** Writes new live documents and locators where they changed, under names of this revision. */
  seal(directory: Directory, revision: number): void {
    if (this.#liveChanged && this.#deleted !== null) {
      const live = { docs: this.docs, deletedDocs: this.#deletedDocs, deleted: this.#deleted };
      this.#replace(directory, 'live', revision, encodeLiveDocs(live));
    }
    if (this.#movedChanged) this.#replace(directory, 'locators', revision, this.#locators());
    this.#entry = withParts({ ...this.#entry, deletedDocs: this.#deletedDocs }, this.#parts);
    this.#liveChanged = false;
    this.#movedChanged = false;
  }

  /** Visits the documents whose rows lie at these places by now, deleted ones too. */
  #eachAt(
    places: PositionsByFile,
    visit: (doc: number, file: number, position: number) => void,
  ): void {
    const moved = this.#moved;
    const unmoved = (doc: number, file: number, position: number) => {
      if (moved?.has(doc) !== true) visit(doc, file, position);
    };
    let current = -1;
    let positions: Int32Array | null | undefined;
    this.reader.locators.forEachRun((doc, count, file, first) => {
      if (file !== current) positions = places.get(file);
      current = file;
      if (positions === undefined) return;
      if (positions === null) {
        for (let i = 0; i < count; i++) unmoved(doc + i, file, first + i);
        return;
      }
      for (let at = lowerBound(positions, first); at < positions.length; at++) {
        const i = positions[at] - first;
        if (i >= count) break;
        unmoved(doc + i, file, positions[at]);
      }
    });
    if (moved === null) return;
    for (const [file, positions] of places) {
      moved.forEachIn(file, positions, (doc, position) => visit(doc, file, position));
    }
  }

  #shardOf(doc: number): number {
    const { parts, shard = 0 } = this.reader.entry;
    return parts === undefined ? shard : this.#table[this.reader.buckets[doc]];
  }

  #setMark(doc: number): void {
    this.#marks ??= new Int32Array(wordsOf(this.docs));
    this.#marks[doc >> 5] |= 1 << (doc & 31);
  }

  #locators(): Uint8Array[] {
    const writer = new LocatorWriter();
    const moved = this.#moved?.locations() ?? null;
    this.reader.locators.forEachLocation(moved, (_, file, position) => writer.add(file, position));
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

/** Calls `visit` with each bit that is set in `words` and not in `but`, ascending. */
function forEachBit(
  words: Int32Array | null,
  but: Int32Array | null,
  visit: (bit: number) => void,
): void {
  words?.forEach((word, at) => {
    for (let left = but === null ? word : word & ~but[at]; left !== 0; left &= left - 1) {
      visit(at * 32 + (31 - Math.clz32(left & -left)));
    }
  });
}
