import { arenaCode, onceAnArena } from '../../storage/arena-code.ts';
import { SCORING_CODE } from './kernel-code.ts';
import { checkQueryDeadline, isOfPage, offerFar } from './running-query.ts';
import { fillUnpackTables } from './unpack-tables.ts';

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

const codeOf = arenaCode(SCORING_CODE, {
  log: Math.log,
  readClock: checkQueryDeadline,
  follows: isOfPage,
  offerFar,
});

/** The query kernel of an arena. */
export const queryKernelOf = onceAnArena((arena): QueryKernel => {
  fillUnpackTables(arena);
  const { sample, lookup, readAhead, query } = codeOf(arena) as Record<
    string,
    (...values: number[]) => number
  >;
  return { sample, lookup, readAhead, query };
});
