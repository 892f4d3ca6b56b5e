/** Positions of a phrase's terms, made ready for the kernels. */

import type { SegmentScorer } from '../segment-scorer.ts';
import { describePhrase } from './describe-terms.ts';
import { DOCS_AT, EMITTED_AT, SCORES_AT } from './kernel-memory.ts';
import type { PhraseScan } from './kernels.ts';

/** Describes the active terms as a phrase; returns its scan, without an order and a threshold. */
export function beginPhrase(scorer: SegmentScorer, counting: 0 | 1, weight: number): PhraseScan {
  const { reader, workspace } = scorer;
  scorer.describe();
  describePhrase(reader.arena, scorer.active, scorer.count);
  const scan = workspace.frames.phrase;
  scan.terms = scorer.count;
  scan.codesAt = reader.codes.byteOffset;
  scan.widthCodesAt = reader.widthCodes.byteOffset;
  scan.counting = counting;
  scan.weight = weight;
  return scan;
}

/** A kernel call reads about so many positions at most: 10 to 50 ms. */
const CALL_POSITIONS = 4_194_304;
/** Positions that a kernel compares in one step of a deadline. */
const STEP_POSITIONS = 16;

/** How much one kernel call reads of documents in runs of `run`, and what a run costs. */
export interface PhraseBudget {
  /** Runs of documents per call. */
  readonly runs: number;
  /** Steps of a deadline per run. */
  readonly steps: number;
}

/** The budget by the mean length of a document; `runs` is at most `most`, `steps` at least `least`. */
export function phraseBudget(
  { reader }: SegmentScorer,
  run: number,
  most: number,
  least: number,
): PhraseBudget {
  const positions = (run * reader.tokens) / Math.max(1, reader.docs);
  return {
    runs: Math.max(1, Math.min(most, Math.floor(CALL_POSITIONS / Math.max(1, positions)))),
    steps: least + Math.floor(positions / STEP_POSITIONS),
  };
}

/** Documents that a phrase kernel emitted, with their phrase frequencies. */
export function eachEmittedPhrase(
  scorer: SegmentScorer,
  visit: (doc: number, frequency: number) => void,
): void {
  const { i32 } = scorer.reader.arena;
  const emitted = i32[EMITTED_AT >> 2];
  for (let i = 0; i < emitted; i++) {
    visit(i32[(DOCS_AT >> 2) + i], i32[(SCORES_AT >> 2) + i]);
  }
}
