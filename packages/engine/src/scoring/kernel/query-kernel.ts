/**
 * Searches of words by the query kernel: one call looks the terms up in all segments and weighs
 * them, another one runs the query there.
 */
import { NO_DEADLINE } from '../../base/time/deadline.ts';
import { blameIndex } from '../../postings/damage.ts';
import type { Arena } from '../../storage/directory.ts';
import { gatherStatistics, lookUpTerms, type ScoringSegment, type TermSearch } from '../request.ts';
import type { TopDocs } from '../top-docs.ts';
import { type Workspace, workspacesOf } from '../workspace.ts';
import {
  BLOCKS_PER_LOOK,
  EMITTED,
  EMITTED_BYTES,
  ENTRY,
  ENTRY_BYTES,
  QUERY,
  QUERY_EMITTED,
  QUERY_SEGMENTS,
  QUERY_TOP,
} from './kernel-memory.ts';
import { isOnePart, lookUp } from './look-up.ts';
import { runQuery } from './running-query.ts';

/** What `query` has to do. */
const TOP = 1;
const COUNT = 2;
const STORED = 4;

/** Bounds are widened by this against rounding. */
export const ROUND_UP = 1 + 1e-9;

/** Searches of this thread that the kernel ran. */
export const kernelUse = { run: 0 };

/**
 * Offers the best documents to `top` (null: none is wanted) and returns the number of matching
 * documents where `count` is true, else 0. `stored`: stored tenth best scores are thresholds.
 */
export function runByKernel(
  search: TermSearch,
  top: TopDocs | null,
  count: boolean,
  stored: boolean,
): number {
  kernelUse.run++;
  const wanted = (top === null ? 0 : TOP) | (count ? COUNT : 0) | (stored ? STORED : 0);
  return isOnePart(search) ? runPart(search, top, wanted) : runParts(search, top, wanted);
}

/** Runs a search part by part, each with the statistics of all. */
function runParts(search: TermSearch, top: TopDocs | null, wanted: number): number {
  const { segments, terms } = search;
  const found = segments.map((segment) => lookUpTerms(terms, segment));
  const statistics = search.statistics ?? gatherStatistics(segments, found, terms.length);
  const parts: ScoringSegment[][] = [];
  for (const segment of segments) {
    const { arena } = segment.reader;
    const part = parts.find((one) => one[0].reader.arena === arena && one.length < QUERY_SEGMENTS);
    if (part === undefined) parts.push([segment]);
    else part.push(segment);
  }
  return parts.reduce((total, part) => {
    return total + runPart({ ...search, segments: part, statistics }, top, wanted);
  }, 0);
}

const runPart = (search: TermSearch, top: TopDocs | null, wanted: number): number =>
  workspacesOf(search.segments[0].reader.arena).lend((workspace) =>
    runIn(workspace, search, top, wanted),
  );

function runIn(
  workspace: Workspace,
  search: TermSearch,
  top: TopDocs | null,
  wanted: number,
): number {
  const { segments, mode, deadline = NO_DEADLINE } = search;
  const { arena } = workspace;
  const asked = mode === 'term' ? 1 : search.terms.length;
  const averageLength = writeStatistics(search, asked, arena);
  lookUp(search, asked, averageLength, workspace);
  workspace.table.use(averageLength);
  writePage(top, segments, arena);
  return runQuery(deadline, top, segments, arena, () => run(search, asked, top, wanted, workspace));
}

/** Writes what weighs the terms; returns the average length. */
function writeStatistics(
  { segments, statistics }: TermSearch,
  asked: number,
  { i32, f64 }: Arena,
): number {
  let docs = 0;
  let averageLength = 1;
  if (statistics === undefined) {
    let tokens = 0;
    for (let s = 0; s < segments.length; s++) {
      docs += segments[s].reader.docsWithField;
      tokens += segments[s].reader.tokens;
    }
    if (docs > 0) averageLength = tokens / docs;
  } else {
    ({ docs, averageLength } = statistics.field);
    for (let k = 0; k < asked; k++) {
      i32[(QUERY.frequencies >> 2) + k] = statistics.frequencies[k];
    }
  }
  f64[QUERY.docs >> 3] = docs;
  f64[QUERY.averageLength >> 3] = averageLength;
  return averageLength;
}

/** Writes where the page begins (documents that score more are not of it), and who keeps it. */
function writePage(
  top: TopDocs | null,
  segments: readonly ScoringSegment[],
  { i32, f64, memory }: Arena,
): void {
  let isFar = top !== null && (top.limit > QUERY_TOP || top.isRaised);
  for (let s = 0; top !== null && s < segments.length; s++) {
    const { ranks } = segments[s];
    if (ranks !== null && ranks.buffer !== memory.buffer) isFar = true;
  }
  i32[QUERY.far >> 2] = isFar ? 1 : 0;
  const most = top?.most ?? Number.POSITIVE_INFINITY;
  i32[QUERY.after >> 2] = most === Number.POSITIVE_INFINITY ? 0 : 1;
  f64[QUERY.most >> 3] = most;
  f64[QUERY.ceiling >> 3] = most * ROUND_UP;
}

/** Runs the query over all segments, in one call unless what the kernel needs of some has no room. */
function run(
  { segments, mode, deadline = NO_DEADLINE }: TermSearch,
  asked: number,
  top: TopDocs | null,
  wanted: number,
  workspace: Workspace,
): number {
  deadline.check();
  reserve(segments, workspace);
  const counting = (wanted & COUNT) !== 0;
  const isFar = workspace.arena.i32[QUERY.far >> 2] === 1;
  const most = isFar ? QUERY_SEGMENTS : Math.floor(QUERY_EMITTED / (top?.limit ?? 1));
  let total = 0;
  for (let first = 0; first < segments.length; ) {
    const last = lastTogether(segments, first, most, workspace);
    if (top !== null) begin(top, workspace.arena);
    if (counting) eachLiving(segments, first, last, asked, giveLiving(workspace.arena));
    total += call(workspace, first, last, asked, mode === 'or' ? 0 : 1, wanted);
    if (top !== null) take(segments, top, workspace.arena);
    if (counting) eachLiving(segments, first, last, asked, keepLiving(workspace.arena));
    first = last;
  }
  return total;
}

/** Makes room for the largest segment, tells the kernel where, and begins to count its steps. */
function reserve(segments: readonly ScoringSegment[], workspace: Workspace): void {
  let docs = 0;
  for (let s = 0; s < segments.length; s++) docs = Math.max(docs, segments[s].reader.docs);
  workspace.reserve(docs, 0);
  const { i32 } = workspace.arena;
  i32[QUERY.steps >> 2] = BLOCKS_PER_LOOK;
  i32[QUERY.bounds >> 2] = workspace.bound.byteOffset;
  i32[QUERY.ranges >> 2] = workspace.ranges.byteOffset;
  i32[QUERY.sorted >> 2] = workspace.sorted.byteOffset;
  i32[QUERY.marks >> 2] = workspace.marks.byteOffset;
}

/**
 * Segments from `first` on that one call searches; returns the one behind them. A workspace copies
 * the blocked documents of one segment into the arena; `most`: segments whose best documents fit.
 */
function lastTogether(
  segments: readonly ScoringSegment[],
  first: number,
  most: number,
  workspace: Workspace,
): number {
  const { memory, i32 } = workspace.arena;
  let copied = false;
  let s = first;
  for (; s < segments.length && s < first + most; s++) {
    const { blocked, reader } = segments[s];
    if (blocked === null || blocked.buffer === memory.buffer) continue;
    if (copied) return s;
    copied = true;
    const at = (QUERY.segments + ENTRY_BYTES * s + ENTRY.blocked) >> 2;
    i32[at] = workspace.copyBits(blocked, reader.docs).byteOffset;
  }
  return s;
}

/** Runs the kernel. Where damaged postings or the deadline stop it, it leaves marks behind. */
function call(
  { kernel, marks }: Workspace,
  first: number,
  last: number,
  asked: number,
  all: number,
  flags: number,
): number {
  try {
    return kernel.query(first, last, asked, all, flags);
  } catch (error) {
    marks.fill(0);
    return blameIndex(() => {
      throw error;
    });
  }
}

/** Writes what has been found so far: scores of other segments. */
function begin(top: TopDocs, { i32, f64 }: Arena): void {
  f64[QUERY.theta >> 3] = top.theta;
  // The best documents that terms store may tie with others once their scores are raised.
  i32[QUERY.limit >> 2] = top.isRaised ? QUERY_TOP + 1 : top.limit;
  const size = i32[QUERY.far >> 2] === 1 ? 0 : top.size;
  i32[QUERY.size >> 2] = size;
  for (let i = 0; i < size; i++) {
    f64[(QUERY.topScores >> 3) + i] = top.scoreAt(i);
    i32[(QUERY.topDocs >> 2) + i] = -1;
  }
}

/** Offers what the kernel emitted, but for documents that those of later segments have pushed out. */
function take(segments: readonly ScoringSegment[], top: TopDocs, { i32, f64 }: Arena): void {
  const emitted = i32[QUERY.emittedCount >> 2];
  const theta = f64[QUERY.theta >> 3];
  let current = -1;
  for (let i = 0; i < emitted; i++) {
    const at = QUERY.emitted + EMITTED_BYTES * i;
    const score = f64[(at + EMITTED.score) >> 3];
    if (score < theta) continue;
    const s = i32[(at + EMITTED.segment) >> 2];
    if (s !== current) {
      current = s;
      top.enter(segments[s].number, segments[s].ranks);
    }
    top.offer(i32[(at + EMITTED.doc) >> 2], score);
  }
  top.raise(theta);
}

/** Calls `visit` with the map of each segment that has one, and the words of its lists and counts. */
function eachLiving(
  segments: readonly ScoringSegment[],
  first: number,
  last: number,
  asked: number,
  visit: (living: Map<number, number>, list: number, count: number) => void,
): void {
  for (let s = first; s < last; s++) {
    const { living } = segments[s];
    if (living === null) continue;
    const entry = QUERY.segments + ENTRY_BYTES * s;
    for (let k = 0; k < asked; k++) {
      visit(living, ((entry + ENTRY.found) >> 2) + 2 * k, ((entry + ENTRY.living) >> 2) + k);
    }
  }
}

/** Writes a number of living documents that is known. */
const giveLiving =
  ({ i32 }: Arena) =>
  (living: Map<number, number>, list: number, count: number): void => {
    const known = living.get(i32[list + 1]);
    if (known !== undefined) i32[count] = known;
  };

/** Keeps a number of living documents that the kernel counted. */
const keepLiving =
  ({ i32 }: Arena) =>
  (living: Map<number, number>, list: number, count: number): void => {
    if (i32[list] !== 0 && i32[count] >= 0) living.set(i32[list + 1], i32[count]);
  };
