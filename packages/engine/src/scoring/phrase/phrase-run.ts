/** A phrase in a segment, and what its kernels found there. */
import type { Deadline } from '../../base/time/deadline.ts';
import { B, K1, LONG } from '../../inverted/format.ts';
import { inTable } from '../kernel/impact-table.ts';
import { DOCS_AT, EMITTED_AT, SCORES_AT } from '../kernel/kernel-memory.ts';
import type { ScoringSegment } from '../request.ts';
import type { TopDocs } from '../top-docs.ts';
import type { Workspace } from '../workspace.ts';
import type { PhraseTerm } from './phrase-term.ts';

/** A phrase, searched in a segment that has all of its terms. */
export interface PhraseRun {
  readonly segment: ScoringSegment;
  readonly workspace: Workspace;
  /** When the query has to be done: spent between kernel calls. */
  readonly deadline: Deadline;
  readonly averageLength: number;
  /** Sum of the terms' weights. */
  readonly weight: number;
  /** Rarest first: `lists` lists and short ones, then dense ones. */
  readonly terms: readonly PhraseTerm[];
  readonly lists: number;
  /** Byte address of the blocked documents in the arena; 0: none. */
  readonly blockedAt: number;
  /** Documents are blocked by a filter, not by deletes alone: it leaves few. */
  readonly filtered: boolean;
}

/** Offers the documents that a kernel emitted with their phrase frequencies. */
export function offerEmitted(run: PhraseRun, top: TopDocs): void {
  const { i32 } = run.segment.reader.arena;
  const emitted = i32[EMITTED_AT >> 2];
  for (let i = 0; i < emitted; i++) {
    const doc = i32[(DOCS_AT >> 2) + i];
    const score = scoreOf(run, i32[(SCORES_AT >> 2) + i], doc);
    if (score >= top.theta) top.offer(doc, score);
  }
}

function scoreOf(
  { segment: { reader }, workspace: { table }, averageLength, weight }: PhraseRun,
  tf: number,
  doc: number,
): number {
  const code = reader.codes[doc];
  if (inTable(tf, code)) return weight * table.impact[(tf << 8) | code];
  const norm =
    code < LONG ? table.norms[code] : K1 * (1 - B + (B * reader.lengthOf(doc)) / averageLength);
  return weight * (tf / (tf + norm));
}

/** Documents that a kernel compares in a step of a deadline. */
export const STEP_DOCS = 16;
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
  { segment: { reader } }: PhraseRun,
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
