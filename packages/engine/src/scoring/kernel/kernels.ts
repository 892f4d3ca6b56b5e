import type { ListTerm } from '../../postings/term-info.ts';

/**
 * What the kernels read beside the descriptors of terms (kernel-memory.ts). Fields named `…At` are
 * byte addresses in the arena. A workspace has one frame of each kind and fills it in before a
 * call, so that calls allocate nothing.
 */

/** Ranges in some order, for scores of documents that hold all described dense terms. */
export interface RangeScan {
  /** Described terms. */
  terms: number;
  /** Words: numbers of ranges. */
  orderAt: number;
  /** f64 by range: no document scores more. */
  boundsAt: number;
  codesAt: number;
  /** Excluded bitmaps, at EXCLUDED_AT. */
  excluded: number;
  theta: number;
  /** Theta less rounding: what bounds have to reach. */
  low: number;
}

/** Survivors of an intersection, for scores. */
export interface SurvivorScan {
  /** Decoded list and short terms, described first; then dense terms. */
  lists: number;
  dense: number;
  survivorsAt: number;
  codesAt: number;
  theta: number;
  low: number;
  /** The most that the dense terms score together. */
  denseMax: number;
}

/** Blocks of a list term. */
export interface ListScan {
  list: ListTerm;
  codesAt: number;
  /** Bitmap of documents that are left out; 0: none. */
  blockedAt: number;
  /** Blocks whose best impact has a lower code are skipped. */
  leastCode: number;
  weight: number;
  theta: number;
}

/** All ranges, for bounds of the described dense terms. */
export interface BoundScan {
  terms: number;
  ranges: number;
  /** f64 by range: receives the bounds. */
  boundsAt: number;
  /** Words: receives the ranges that can reach theta. */
  intoAt: number;
  /** Factor of the bounds. */
  roundUp: number;
  theta: number;
}

/** A list of documents that a bitmap sieves. */
export interface Sieve {
  sourceAt: number;
  size: number;
  bitmapAt: number;
  intoAt: number;
  /** Posting numbers that move along; 0: none. */
  hitsAt: number;
  /** 1: the posting numbers are the indexes in the source. */
  first: 0 | 1;
  /** 1: documents whose bit is not set are kept. */
  flip: 0 | 1;
}

/** Two rising lists of documents. */
export interface Intersection {
  aAt: number;
  aSize: number;
  bAt: number;
  bSize: number;
  intoAt: number;
  /** Receive the indexes of the common documents in a and b; both 0: not needed. */
  aIndexesAt: number;
  bIndexesAt: number;
}

/** Ranges in some order, for documents with a phrase of dense terms. */
export interface PhraseScan {
  terms: number;
  /** Words: ranges. */
  orderAt: number;
  /** f64 by range. */
  boundsAt: number;
  codesAt: number;
  widthCodesAt: number;
  /** Excluded bitmaps. */
  excluded: number;
  /** 1: documents are counted at COUNTED_AT, not emitted. */
  counting: 0 | 1;
  weight: number;
  /** What `weight` times an impact has to reach. */
  low: number;
}

/**
 * The functions of packages/engine/kernels/scoring, over segments that are described in memory
 * (kernel-memory.ts: QUERY.segments).
 */
export interface QueryKernel {
  /** Writes samples of the dictionary of the segment at `entry`, one for `step` blocks. */
  sample(entry: number, into: number, step: number): void;
  /**
   * Looks `terms` texts up in all segments and weighs them; `given` 1: their documents are known
   * already. 0 where the kernel cannot run the query.
   */
  lookup(segments: number, terms: number, given: number): number;
  /** Reads lines of the terms of segments [first, last) that were looked up, for speed alone. */
  readAhead(first: number, last: number, terms: number, top: 0 | 1): void;
  /**
   * Runs a query of `terms` terms over the segments [first, last). `all`: 1 for a conjunction.
   * Returns the count where `flags` want one.
   */
  query(first: number, last: number, terms: number, all: number, flags: number): number;
}

/** One frame of each kind. */
export interface KernelFrames {
  readonly ranges: RangeScan;
  readonly survivors: SurvivorScan;
  readonly list: ListScan;
  readonly bounds: BoundScan;
  readonly sieve: Sieve;
  readonly intersection: Intersection;
  readonly phrase: PhraseScan;
}
