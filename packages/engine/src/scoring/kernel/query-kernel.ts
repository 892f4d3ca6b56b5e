/**
 * Searches of up to four terms by the query kernel: one call looks the terms up in all segments and
 * weighs them, another one runs the query there. The other path of search-terms.ts takes some sixty
 * functions and objects per segment for the same, which is nothing in a loop but 20 to 40 µs when
 * other work ran before.
 */
import { NO_DEADLINE } from '../../base/time/deadline.ts';
import { blameIndex } from '../../postings/damage.ts';
import { SHORT } from '../../postings/format.ts';
import { BIG, type TermInfo } from '../../postings/term-info.ts';
import type { Arena } from '../../storage/directory.ts';
import type { ScoringSegment, SegmentTerms, TermSearch } from '../request.ts';
import { ROUND_UP } from '../segment-scorer.ts';
import type { TopAfter, TopDocs } from '../top-docs.ts';
import { type Workspace, workspacesOf } from '../workspace.ts';
import { sampleStep } from './dictionary-samples.ts';
import {
  BLOCKS_PER_LOOK,
  EMITTED,
  EMITTED_BYTES,
  ENTRY,
  ENTRY_BYTES,
  QUERY,
  QUERY_EMITTED,
  QUERY_SEGMENTS,
  QUERY_TERMS,
  QUERY_TEXT,
  QUERY_TOP,
} from './kernel-memory.ts';
import type { QueryKernel } from './kernels.ts';
import { runQuery } from './running-query.ts';

/** What `query` has to do. */
const TOP = 1;
const COUNT = 2;
const STORED = 4;

/** Says that the kernel cannot run a search. */
export const NOT_BY_KERNEL = -1;

/** Searches of this thread that the kernel ran, and those that it was offered and could not run. */
export const kernelUse = { run: 0, declined: 0 };

/**
 * Offers the best documents to `top` (null: none is wanted) and returns the number of matching
 * documents where `count` is true, else 0; NOT_BY_KERNEL where the kernel cannot run the search.
 * `stored`: stored tenth best scores are thresholds.
 */
export function runByKernel(
  search: TermSearch,
  top: TopDocs | null,
  count: boolean,
  stored: boolean,
): number {
  const { segments, mode } = search;
  if (mode === 'phrase' || segments.length === 0 || segments.length > QUERY_SEGMENTS) {
    return NOT_BY_KERNEL;
  }
  if (top !== null && (top.limit === 0 || top.limit > QUERY_TOP)) return NOT_BY_KERNEL;
  const wanted = (top === null ? 0 : TOP) | (count ? COUNT : 0) | (stored ? STORED : 0);
  const workspaces = workspacesOf(segments[0].reader.arena);
  const workspace = workspaces.take();
  try {
    const found = runIn(workspace, search, top, wanted);
    kernelUse[found === NOT_BY_KERNEL ? 'declined' : 'run']++;
    return found;
  } finally {
    workspaces.give(workspace);
  }
}

function runIn(
  workspace: Workspace,
  search: TermSearch,
  top: TopDocs | null,
  wanted: number,
): number {
  const { segments, mode, deadline = NO_DEADLINE } = search;
  const { arena } = workspace;
  const kernel = workspace.kernels.query;
  const asked = mode === 'term' ? 1 : search.terms.length;
  if (!writeTerms(search, asked, arena)) return NOT_BY_KERNEL;
  const averageLength = writeStatistics(search, asked, arena);
  for (let s = 0; s < segments.length; s++) {
    if (!describe(segments[s], s, averageLength, workspace, kernel)) return NOT_BY_KERNEL;
  }
  const given = search.statistics === undefined ? 0 : 1;
  if (!blameIndex(() => kernel.lookup(segments.length, asked, given))) return NOT_BY_KERNEL;
  workspace.table.use(averageLength);
  writePage(top?.after ?? null, arena);
  return runQuery(deadline, top, segments, arena, () =>
    run(search, asked, top, wanted, workspace, kernel),
  );
}

/**
 * The terms of a phrase in several segments, looked up by the kernel, which reads tables of their
 * postings ahead; null where it cannot, and for one segment, which gains nothing.
 */
export function lookUpByKernel(search: TermSearch): readonly SegmentTerms[] | null {
  const { segments, terms } = search;
  if (segments.length < 2 || segments.length > QUERY_SEGMENTS) return null;
  const workspaces = workspacesOf(segments[0].reader.arena);
  const workspace = workspaces.take();
  try {
    const { arena } = workspace;
    const kernel = workspace.kernels.query;
    if (!writeTerms(search, terms.length, arena)) return null;
    for (let s = 0; s < segments.length; s++) {
      if (!describe(segments[s], s, 1, workspace, kernel)) return null;
    }
    if (!blameIndex(() => kernel.lookup(segments.length, terms.length, 0))) return null;
    kernel.readAhead(0, segments.length, terms.length, 0);
    return segments.map((_, s) => foundIn(s, terms.length, arena));
  } finally {
    workspaces.give(workspace);
  }
}

/** The terms that the kernel found in segment `s`. */
function foundIn(s: number, asked: number, { i32 }: Arena): SegmentTerms {
  const found: (TermInfo | null)[] = [];
  for (let k = 0; k < asked; k++) {
    const at = ((QUERY.segments + ENTRY_BYTES * s + ENTRY.found) >> 2) + 2 * k;
    const df = i32[at];
    const ref = i32[at + 1];
    if (df === 0) found.push(null);
    else found.push(ref < 0 ? { df, kind: BIG, at: -1 - ref } : { df, kind: SHORT, at: ref });
  }
  return found;
}

/** Puts the terms where the kernel reads them; false where they are too many, or too long. */
function writeTerms({ terms }: TermSearch, asked: number, { u8, i32, f64 }: Arena): boolean {
  if (asked > QUERY_TERMS) return false;
  for (let k = 0; k < asked; k++) {
    const { bytes, boost } = terms[k];
    const { length } = bytes;
    if (length > QUERY_TEXT) return false;
    const at = QUERY.text + (k << 8);
    for (let i = 0; i < length; i++) u8[at + i] = bytes[i];
    for (let i = length; i < 8; i++) u8[at + i] = 0;
    i32[(QUERY.lengths >> 2) + k] = length;
    f64[(QUERY.boosts >> 3) + k] = boost;
  }
  return true;
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

/** Writes where the page begins: documents that score more are not of it. */
function writePage(after: TopAfter | null, { i32, f64 }: Arena): void {
  const most = after?.score ?? Number.POSITIVE_INFINITY;
  i32[QUERY.after >> 2] = after === null ? 0 : 1;
  f64[QUERY.most >> 3] = most;
  f64[QUERY.ceiling >> 3] = most * ROUND_UP;
}

/** Describes segment `s` of a search to the kernel; false where it cannot read all of it. */
function describe(
  { reader, ranks, blocked, living }: ScoringSegment,
  s: number,
  averageLength: number,
  { arena, samples }: Workspace,
  kernel: QueryKernel,
): boolean {
  if (reader.arena !== arena || !reader.text || reader.cold) return false;
  const { i32, f64, memory } = arena;
  if (ranks !== null && ranks.buffer !== memory.buffer) return false;
  const entry = QUERY.segments + ENTRY_BYTES * s;
  const { addresses } = reader;
  for (let i = 0; i < addresses.length; i++) i32[(entry >> 2) + i] = addresses[i];
  f64[(entry + ENTRY.scale) >> 3] = averageLength / reader.averageLength;
  i32[(entry + ENTRY.ranks) >> 2] = ranks === null ? 0 : ranks.byteOffset;
  i32[(entry + ENTRY.blocked) >> 2] = blocked === null ? 0 : blocked.byteOffset;
  i32[(entry + ENTRY.exact) >> 2] = blocked === null || living !== null ? 1 : 0;
  i32[(entry + ENTRY.samples) >> 2] = samples.of(reader, entry, kernel);
  i32[(entry + ENTRY.step) >> 2] = sampleStep(reader);
  for (let k = 0; k < QUERY_TERMS; k++) i32[((entry + ENTRY.living) >> 2) + k] = -1;
  return true;
}

/** Runs the query over all segments, in one call unless what the kernel needs of some has no room. */
function run(
  { segments, mode, deadline = NO_DEADLINE }: TermSearch,
  asked: number,
  top: TopDocs | null,
  wanted: number,
  workspace: Workspace,
  kernel: QueryKernel,
): number {
  deadline.check();
  reserve(segments, workspace);
  const counting = (wanted & COUNT) !== 0;
  const most = Math.floor(QUERY_EMITTED / (top?.limit ?? 1));
  let total = 0;
  for (let first = 0; first < segments.length; ) {
    const last = lastTogether(segments, first, most, workspace);
    if (top !== null) begin(top, workspace.arena);
    if (counting) eachLiving(segments, first, last, asked, giveLiving(workspace.arena));
    total += call(kernel, first, last, asked, mode === 'or' ? 0 : 1, wanted, workspace);
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
  kernel: QueryKernel,
  first: number,
  last: number,
  asked: number,
  all: number,
  flags: number,
  { marks }: Workspace,
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
  i32[QUERY.limit >> 2] = top.limit;
  i32[QUERY.size >> 2] = top.size;
  for (let i = 0; i < top.size; i++) {
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
