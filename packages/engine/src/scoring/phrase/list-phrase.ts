/**
 * Phrases with a list term, compiled (packages/engine/kernels/phrase): `gather` finds the documents
 * with all words, `arrange` orders them by what they may score, `survivors` compares positions.
 */
import { COUNTED_AT } from '../kernel/kernel-memory.ts';
import { ROUND_UP } from '../kernel/query-kernel.ts';
import type { TopDocs } from '../top-docs.ts';
import { describePhrase } from './describe-phrase.ts';
import { BEST_COUNT_AT, MOST_BEST } from './memory.ts';
import { offerEmitted, type PhraseRun, phraseBudget, STEP_DOCS } from './phrase-run.ts';

/** Fewer survivors are not put in order. */
const WORTH_ORDER = 24;
/** A kernel call reads at most so many survivors. */
const CALL_SURVIVORS = 8192;

/** Offers the documents with the phrase that may reach theta. */
export function searchListPhrase(run: PhraseRun, top: TopDocs): void {
  const { segment, workspace, terms, lists, weight } = run;
  const { arena, codes } = segment.reader;
  const size = gather(run);
  if (size === 0) return;
  const { survivors, ordered, hitsB } = workspace;
  const isOrdered = size > WORTH_ORDER;
  if (isOrdered) {
    const [into, keys] = [ordered.byteOffset, hitsB.byteOffset];
    workspace.phrases.arrange(
      terms.length,
      lists,
      size,
      survivors.byteOffset,
      codes.byteOffset,
      into,
      keys,
    );
  }
  arena.i32[BEST_COUNT_AT >> 2] = 0;
  const isFirst = top.after === null && !top.isRaised;
  const limit = isFirst && top.limit <= MOST_BEST ? top.limit : 0;
  const low = () => top.theta / ROUND_UP;
  eachCall(run, size, { isOrdered, counting: 0, limit, weight, low }, () => {
    offerEmitted(run, top);
  });
}

/** Number of documents with the phrase. */
export function countListPhrase(run: PhraseRun): number {
  const { i32 } = run.segment.reader.arena;
  let total = 0;
  const reading = { isOrdered: false, counting: 1, limit: 0, weight: 0, low: () => -1 } as const;
  eachCall(run, gather(run), reading, () => {
    total += i32[COUNTED_AT >> 2];
  });
  return total;
}

/** Describes the terms and finds the documents that hold all of them; returns how many. */
function gather(run: PhraseRun): number {
  const { workspace, terms, lists } = run;
  let postings = 0;
  for (let k = 0; k < lists; k++) postings += terms[k].df;
  run.deadline.spend(postings / STEP_DOCS);
  describePhrase(run);
  const { survivors, hitsA } = workspace;
  const blocked = run.filtered ? run.blockedAt : 0;
  const { gather } = workspace.phrases;
  return gather(terms.length, lists, survivors.byteOffset, hitsA.byteOffset, blocked);
}

/** What `survivors` does with the documents. */
interface Reading {
  readonly isOrdered: boolean;
  readonly counting: 0 | 1;
  /** The kernel keeps so many best scores; 0: it keeps none. */
  readonly limit: number;
  readonly weight: number;
  /** What a score has to reach, less rounding. */
  readonly low: () => number;
}

/** Runs `survivors` over all of them, as many in a call as a deadline allows; `take` after each. */
function eachCall(
  run: PhraseRun,
  size: number,
  { isOrdered, counting, limit, weight, low }: Reading,
  take: () => void,
): void {
  const { segment, workspace, terms, lists } = run;
  const { reader } = segment;
  const { survivors } = workspace.phrases;
  const { runs, steps } = phraseBudget(run, 1, CALL_SURVIVORS, 1);
  for (let from = 0; from < size; ) {
    const next = survivors(
      from,
      Math.min(size, from + runs),
      isOrdered ? workspace.ordered.byteOffset : 0,
      workspace.hitsB.byteOffset,
      workspace.survivors.byteOffset,
      reader.codes.byteOffset,
      reader.widthCodes.byteOffset,
      run.filtered ? 0 : run.blockedAt,
      lists,
      terms.length,
      counting,
      limit,
      weight,
      low(),
    );
    run.deadline.spend(steps * (next - from));
    from = next;
    take();
  }
}
