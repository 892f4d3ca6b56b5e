import type { Clause } from '../query/bind/clause.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import type { Aggregation } from './aggregation.ts';
import type { AggPartial } from './partial.ts';

/**
 * Gathers one aggregation over one segment, for many owners at once: an owner is a bucket of the
 * aggregation around it (0 at the top). A collector is fed either by one `collectAll` or by
 * `collect`.
 */
export interface SegmentCollector {
  /** docs[i] falls into the bucket owners[i] around; i below `count`. Rising for each owner. */
  collect(docs: Int32Array, owners: Int32Array, count: number): void;
  /** All documents of a bitmap, owner 0. */
  collectAll(matches: Int32Array): void;
  partial(owner: number): AggPartial;
}

/** What collectors work on. */
export interface SegmentScope {
  readonly reader: SegmentReader;
  /** True where no other segment's partial will be merged with this one's. */
  readonly alone: boolean;
  /**
   * Documents that a clause matches, deleted ones perhaps too; not changed while the segment is
   * collected.
   */
  matches(clause: Clause): Int32Array;
  /** A collector of a nested aggregation. */
  collector(aggregation: Aggregation): SegmentCollector;
}

/** Documents that are handed on at once. */
export const BATCH_DOCS = 4096;

/** Feeds the documents of a bitmap to a collector, owner 0. */
export function collectInBatches(
  matches: Int32Array,
  collect: (docs: Int32Array, owners: Int32Array, count: number) => void,
): void {
  const docs = new Int32Array(BATCH_DOCS);
  const owners = new Int32Array(BATCH_DOCS);
  let count = 0;
  for (let i = 0; i < matches.length; i++) {
    for (let word = matches[i]; word !== 0; word &= word - 1) {
      docs[count++] = (i << 5) + 31 - Math.clz32(word & -word);
    }
    if (count > BATCH_DOCS - 32) {
      collect(docs, owners, count);
      count = 0;
    }
  }
  if (count > 0) collect(docs, owners, count);
}

/** Documents on their way to nested collectors. */
export class SubBatch {
  readonly #subs: readonly SegmentCollector[];
  readonly #docs = new Int32Array(BATCH_DOCS);
  readonly #owners = new Int32Array(BATCH_DOCS);
  #count = 0;

  constructor(subs: readonly SegmentCollector[]) {
    this.#subs = subs;
  }

  add(doc: number, owner: number): void {
    this.#docs[this.#count] = doc;
    this.#owners[this.#count++] = owner;
    if (this.#count === BATCH_DOCS) this.flush();
  }

  flush(): void {
    for (const sub of this.#subs) sub.collect(this.#docs, this.#owners, this.#count);
    this.#count = 0;
  }
}
