/**
 * Where the rows of a segment's documents lie in the table's data files. Payload: sections
 *
 *   0 head, 16 bytes: i32 docs | i32 runs | zero
 *   1 first doc i32[runs + 1]: first document of each run, then docs
 *   2 file      i32[runs]: number of the data file in the commit's file table
 *   3 position  i32[runs]: row of the run's first document; the next document of the run is the
 *   next row
 */
import { IntSink } from '../base/arrays/growing.ts';
import type { Region } from '../storage/directory.ts';
import { corrupt } from '../storage/frame.ts';
import { openSections, packSections } from '../storage/sections.ts';

const SECTIONS = 4;

/**
 * Places of rows that have moved since a segment's files were written, by document: number of the
 * data file + 1 (0: the row has not moved) and the row's ordinal in it.
 */
export interface MovedLocations {
  readonly files: Int32Array;
  readonly positions: Int32Array;
}

/** Collects row locators of documents, in order. */
export class LocatorWriter {
  readonly #firstDocs = new IntSink();
  readonly #files = new IntSink();
  readonly #positions = new IntSink();
  #docs = 0;
  #file = -1;
  #next = -1;

  /** Bytes of memory held. */
  get bytes(): number {
    return 12 * this.#files.length;
  }

  /** Adds the next document. */
  add(file: number, position: number): void {
    if (file !== this.#file || position !== this.#next) {
      this.#firstDocs.push(this.#docs);
      this.#files.push(file);
      this.#positions.push(position);
      this.#file = file;
    }
    this.#next = position + 1;
    this.#docs++;
  }

  /** The payload's parts. */
  finish(): Uint8Array[] {
    const head = Int32Array.of(this.#docs, this.#files.length, 0, 0);
    this.#firstDocs.push(this.#docs);
    return packSections([head, this.#firstDocs.view(), this.#files.view(), this.#positions.view()]);
  }
}

/** Row locators of a segment on a mapped file. */
export class Locators {
  readonly docs: number;
  readonly #firstDocs: Int32Array;
  readonly #files: Int32Array;
  readonly #positions: Int32Array;

  private constructor(payload: Region, path: string) {
    const sections = openSections(payload, SECTIONS, path);
    const head = sections.i32(0);
    this.docs = head[0];
    this.#firstDocs = sections.i32(1);
    this.#files = sections.i32(2);
    this.#positions = sections.i32(3);
    const runs = head[1];
    if (
      this.#files.length !== runs ||
      this.#positions.length !== runs ||
      this.#firstDocs.length !== runs + 1 ||
      this.#firstDocs[runs] !== this.docs
    ) {
      throw corrupt(path, 'its sections do not fit its head');
    }
  }

  /** Opens a payload; `path` is for messages. Throws corrupt_index. */
  static open(payload: Region, path: string): Locators {
    return new Locators(payload, path);
  }

  /** Number of the data file that holds the document's row, in the commit's file table. */
  file(doc: number): number {
    return this.#files[this.#run(doc)];
  }

  /** The row's ordinal in its data file, from 0. */
  position(doc: number): number {
    const run = this.#run(doc);
    return this.#positions[run] + doc - this.#firstDocs[run];
  }

  /** Numbers of all data files that hold a row of this segment, ascending. */
  files(): readonly number[] {
    return [...new Set(this.#files)].sort((a, b) => a - b);
  }

  /** Calls `visit` with each run: first document, number of documents, file, first position. */
  forEachRun(visit: (doc: number, count: number, file: number, position: number) => void): void {
    for (let run = 0; run < this.#files.length; run++) {
      const first = this.#firstDocs[run];
      visit(first, this.#firstDocs[run + 1] - first, this.#files[run], this.#positions[run]);
    }
  }

  /** Calls `visit` with the place of every document's row: as written, or where it has moved. */
  forEachLocation(
    moved: MovedLocations | null,
    visit: (doc: number, file: number, position: number) => void,
  ): void {
    this.forEachRun((first, count, file, position) => {
      for (let i = 0; i < count; i++) {
        const doc = first + i;
        if (moved === null || moved.files[doc] === 0) visit(doc, file, position + i);
        else visit(doc, moved.files[doc] - 1, moved.positions[doc]);
      }
    });
  }

  #run(doc: number): number {
    let low = 0;
    let high = this.#files.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#firstDocs[middle] <= doc) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
