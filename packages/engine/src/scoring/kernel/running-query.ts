/** The query that the kernel runs: the kernel reads the clock and compares keys through it. */
import type { Deadline } from '../../base/time/deadline.ts';
import type { Arena } from '../../storage/directory.ts';
import type { ScoringSegment } from '../request.ts';
import type { TopDocs } from '../top-docs.ts';
import { QUERY } from './kernel-memory.ts';

/** Keys of a segment that are compared one by one before its first rank of the page is found. */
const COMPARED = 32;

/** A running query: what it fills, where, how many keys of a segment it has compared. */
interface RunningQuery {
  readonly deadline: Deadline;
  /** Null: documents are only counted. */
  readonly top: TopDocs | null;
  readonly segments: readonly ScoringSegment[];
  readonly arena: Arena;
  segment: number;
  compared: number;
  /** Place of the segment whose documents are offered. */
  entered: number;
}

/** A search is synchronous, so there is one at a time. */
let current: RunningQuery | null = null;

/** Runs `search`; meanwhile the kernel checks `deadline` and compares with the start of `top`. */
export function runQuery<T>(
  deadline: Deadline,
  top: TopDocs | null,
  segments: readonly ScoringSegment[],
  arena: Arena,
  search: () => T,
): T {
  const before = current;
  current = { deadline, top, segments, arena, segment: -1, compared: 0, entered: -1 };
  try {
    return search();
  } finally {
    current = before;
  }
}

/** Throws when the deadline of the running query is over. */
export function checkQueryDeadline(): undefined {
  current?.deadline.check();
}

/**
 * 1 where the key of a document comes after that of the document behind which the page begins; `s`:
 * place of its segment in the search. Else 0. Writes what that says of other ranks: keys in random
 * order need few comparisons, but keys in the order of documents one per document.
 */
export function isOfPage(s: number, doc: number): number {
  const query = current!;
  const { segments, arena } = query;
  const top = query.top!;
  const { i32 } = arena;
  if (query.segment !== s) query.compared = 0;
  query.segment = s;
  const { ranks, number } = segments[s];
  const rank = ranks === null ? doc : ranks[doc];
  if (++query.compared > COMPARED) {
    const first = firstRank(segments[s], top);
    i32[QUERY.behind >> 2] = first;
    i32[QUERY.notBehind >> 2] = first - 1;
    return rank >= first ? 1 : 0;
  }
  const follows = top.follows(number, doc);
  i32[(follows ? QUERY.behind : QUERY.notBehind) >> 2] = rank;
  return follows ? 1 : 0;
}

/** The first rank of a segment whose key comes after the start of the page. */
function firstRank({ number, ranks, reader }: ScoringSegment, top: TopDocs): number {
  const { docs } = reader;
  const byRank = ranks === null ? null : new Int32Array(docs);
  if (byRank !== null) for (let doc = 0; doc < docs; doc++) byRank[ranks![doc]] = doc;
  let low = 0;
  let high = docs;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const doc = byRank === null ? middle : byRank[middle];
    if (top.follows(number, doc)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Offers a document of the segment at place `s` to the running query; returns what a score has to
 * reach then.
 */
export function offerFar(s: number, doc: number, score: number): number {
  const query = current!;
  const top = query.top!;
  if (query.entered !== s) {
    query.entered = s;
    top.enter(query.segments[s].number, query.segments[s].ranks);
  }
  top.offer(doc, score);
  query.arena.i32[QUERY.strict >> 2] = top.strict ? 1 : 0;
  return top.theta;
}
