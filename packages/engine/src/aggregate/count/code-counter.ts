import type { DocumentStream } from '../document-stream.ts';
import type { SegmentCollector } from '../segment-collector.ts';
import type { CodeArray } from './sorted-counts.ts';

/** Documents of one owner by code. Some counts may be 0. */
export interface CodeCounts {
  /** The code of each count, rising where the coder is ordered; null: counts[code]. */
  readonly codes: CodeArray | null;
  readonly counts: Int32Array;
}

/**
 * Counts the documents of a segment by owner and code. Once they are counted it hands on those of
 * chosen pairs, numbered anew.
 */
export interface CodeCounter extends SegmentCollector {
  counts(owner: number): CodeCounts;
  /** Documents of an owner without a value; 0 where they are not asked for. */
  missing(owner: number): number;
  /** Ends the counting: numbers are given to pairs from now on. */
  beginChoice(): void;
  /** Numbers a pair of owner and code; null: the owner's documents without a value. */
  choose(owner: number, code: number | bigint | null, id: number): void;
  /** The documents of the chosen pairs, the pair's number as their owner. */
  chosen(stream: DocumentStream): DocumentStream;
}

/** The documents that an owner has without a value, and the numbers of these groups. */
export class MissingDocs {
  readonly wanted: boolean;
  readonly #counts: Int32Array;
  #ids: Int32Array | null = null;

  constructor(wanted: boolean, owners: number) {
    this.wanted = wanted;
    this.#counts = new Int32Array(wanted ? owners : 0);
  }

  add(owner: number, count = 1): void {
    if (this.wanted) this.#counts[owner] += count;
  }

  count(owner: number): number {
    return this.wanted ? this.#counts[owner] : 0;
  }

  choose(owner: number, id: number): void {
    this.#ids ??= new Int32Array(this.#counts.length);
    this.#ids[owner] = id + 1;
  }

  /** The number of an owner's documents without a value; -1: they were not chosen. */
  id(owner: number): number {
    return this.#ids === null ? -1 : this.#ids[owner] - 1;
  }
}
