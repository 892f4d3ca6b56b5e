/**
 * Phrases with a list term, compiled (packages/engine/kernels/phrase): `gather` finds the documents
 * with all words, `arrange` orders them by what they may score, `survivors` compares positions.
 */
import { COUNTED_AT } from '../kernel/kernel-memory.ts';
import { eachEmittedPhrase, phraseBudget } from '../kernel/positions.ts';
import { CALL_SURVIVORS, ROUND_UP, type SegmentScorer, STEP_DOCS } from '../segment-scorer.ts';
import { type PhraseCode, phraseCodeOf } from './compiled-phrases.ts';
import { describeListPhrase } from './describe-phrase.ts';
import { BEST_COUNT_AT, MOST_BEST } from './memory.ts';

/** Fewer survivors are not put in order. */
const WORTH_ORDER = 24;

/** Calls `visit` with every document with the phrase that may reach theta, and its frequency. */
export function searchListPhrase(
  scorer: SegmentScorer,
  weight: number,
  visit: (doc: number, frequency: number) => void,
): void {
  const { reader, top, workspace, count, activeLists } = scorer;
  const code = phraseCodeOf(reader.arena);
  const size = gather(code, scorer);
  if (size === 0) return;
  const { survivors, ordered, hitsB } = workspace;
  const isOrdered = size > WORTH_ORDER;
  if (isOrdered) {
    const [into, keys] = [ordered.byteOffset, hitsB.byteOffset];
    const { byteOffset: codesAt } = reader.codes;
    code.arrange(count, activeLists, size, survivors.byteOffset, codesAt, into, keys);
  }
  reader.arena.i32[BEST_COUNT_AT >> 2] = 0;
  const limit = top.after === null && top.limit <= MOST_BEST ? top.limit : 0;
  eachRun(code, scorer, size, { isOrdered, counting: 0, limit, weight }, () => {
    eachEmittedPhrase(scorer, visit);
  });
}

/** Number of documents with the phrase. */
export function countListPhrase(scorer: SegmentScorer): number {
  const { arena } = scorer.reader;
  const code = phraseCodeOf(arena);
  const size = gather(code, scorer);
  let total = 0;
  eachRun(code, scorer, size, { isOrdered: false, counting: 1, limit: 0, weight: 0 }, () => {
    total += arena.i32[COUNTED_AT >> 2];
  });
  return total;
}

/** Describes the terms and finds the documents that hold all of them; returns how many. */
function gather(code: PhraseCode, scorer: SegmentScorer): number {
  const { workspace, count, activeLists, active } = scorer;
  let postings = 0;
  for (let k = 0; k < activeLists; k++) postings += active[k].df;
  scorer.deadline.spend(postings / STEP_DOCS);
  describeListPhrase(scorer, activeLists);
  const { survivors, hitsA } = workspace;
  const blocked = scorer.filtered ? scorer.blockedAt : 0;
  return code.gather(count, activeLists, survivors.byteOffset, hitsA.byteOffset, blocked);
}

/** What `survivors` does with the documents. */
interface Reading {
  readonly isOrdered: boolean;
  readonly counting: 0 | 1;
  /** The kernel keeps so many best scores; 0: it keeps none. */
  readonly limit: number;
  readonly weight: number;
}

/** Runs `survivors` over all of them, as many in a call as a deadline allows; `take` after each. */
function eachRun(
  code: PhraseCode,
  scorer: SegmentScorer,
  size: number,
  { isOrdered, counting, limit, weight }: Reading,
  take: () => void,
): void {
  const { reader, workspace, top, count, activeLists } = scorer;
  const { runs, steps } = phraseBudget(scorer, 1, CALL_SURVIVORS, 1);
  for (let from = 0; from < size; ) {
    const next = code.survivors(
      from,
      Math.min(size, from + runs),
      isOrdered ? workspace.ordered.byteOffset : 0,
      workspace.hitsB.byteOffset,
      workspace.survivors.byteOffset,
      reader.codes.byteOffset,
      reader.widthCodes.byteOffset,
      scorer.filtered ? 0 : scorer.blockedAt,
      activeLists,
      count,
      counting,
      limit,
      weight,
      counting === 1 ? -1 : top.theta / ROUND_UP,
    );
    scorer.deadline.spend(steps * (next - from));
    from = next;
    take();
  }
}
