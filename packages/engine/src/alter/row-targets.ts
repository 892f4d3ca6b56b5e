import type { FilePart, FileScan } from '@lakehouse-search/lake';
import type { SegmentReader } from '../segment/segment-reader.ts';

/** A file is read whole if at least one in so many of its rows is wanted. */
const ROWS_PER_WANTED = 4;

/** Rows of one file that are next to each other, as are their documents. */
interface Run {
  readonly position: number;
  readonly docs: number;
  /** Number of the segment, and its first document. */
  readonly segment: number;
  readonly doc: number;
}

/** By row: the number of its segment (-1: no live document has the row) and its document. */
export interface Targets {
  readonly segments: Int32Array;
  readonly docs: Int32Array;
}

/** From rows of the table to the live documents of some segments, by their locators. */
export class RowTargets {
  /** By file number, in the order in which documents name them first; runs by position. */
  readonly #files = new Map<number, Run[]>();
  /**
   * By segment: its documents are in the order of their rows, if files are read in the order of
   * `files`.
   */
  readonly ordered: readonly boolean[];

  constructor(readers: readonly SegmentReader[]) {
    for (const [segment, reader] of readers.entries()) {
      eachLiveRun(reader, (doc, docs, file, position) => {
        const runs = this.#files.get(file);
        const run = { position, docs, segment, doc };
        if (runs === undefined) this.#files.set(file, [run]);
        else runs.push(run);
      });
    }
    this.ordered = readers.map((reader) => this.#isOrdered(reader));
    for (const runs of this.#files.values()) runs.sort((a, b) => a.position - b.position);
  }

  /** Numbers of the data files that have rows, in the order in which they are to be read. */
  get files(): readonly number[] {
    return [...this.#files.keys()];
  }

  /** What is to be read of a data file. */
  part(file: number, scan: FileScan): FilePart {
    const runs = this.#files.get(file) ?? [];
    const docs = runs.reduce((sum, run) => sum + run.docs, 0);
    if (docs * ROWS_PER_WANTED >= scan.data.recordCount) return { scan, only: null };
    const only = new Int32Array(docs);
    let at = 0;
    for (const { position, docs: count } of runs) {
      for (let i = 0; i < count; i++) only[at++] = position + i;
    }
    return { scan, only };
  }

  /** The targets of rows of a file, whose positions are ascending. */
  of(file: number, positions: Int32Array): Targets {
    const segments = new Int32Array(positions.length).fill(-1);
    const docs = new Int32Array(positions.length);
    const runs = this.#files.get(file) ?? [];
    let at = firstRun(runs, positions[0] ?? 0);
    for (let row = 0; row < positions.length; row++) {
      const position = positions[row];
      while (at < runs.length && runs[at].position + runs[at].docs <= position) at++;
      if (at === runs.length) break;
      const run = runs[at];
      if (position < run.position) continue;
      segments[row] = run.segment;
      docs[row] = run.doc + position - run.position;
    }
    return { segments, docs };
  }

  #isOrdered(reader: SegmentReader): boolean {
    const ranks = new Map(this.files.map((file, rank) => [file, rank]));
    let [lastRank, next] = [-1, 0];
    let ordered = true;
    eachLiveRun(reader, (_, docs, file, position) => {
      const rank = ranks.get(file) ?? 0;
      if (rank < lastRank || (rank === lastRank && position < next)) ordered = false;
      [lastRank, next] = [rank, position + docs];
    });
    return ordered;
  }
}

/** Calls `visit` with each run of live documents: first document, number, file, first position. */
function eachLiveRun(
  reader: SegmentReader,
  visit: (doc: number, docs: number, file: number, position: number) => void,
): void {
  reader.locators.forEachRun((doc, docs, file, position) => {
    if (reader.deletedDocs === 0) return visit(doc, docs, file, position);
    for (let from = 0; from < docs; ) {
      if (reader.isDeleted(doc + from)) {
        from++;
        continue;
      }
      let to = from + 1;
      while (to < docs && !reader.isDeleted(doc + to)) to++;
      visit(doc + from, to - from, file, position + from);
      from = to;
    }
  });
}

/** The number of the first run that ends behind a position. */
function firstRun(runs: readonly Run[], position: number): number {
  let [low, high] = [0, runs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (runs[middle].position + runs[middle].docs <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}
