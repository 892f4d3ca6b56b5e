/**
 * Searches of up to four terms by the query kernel: one call looks the terms up in a segment,
 * another one runs the query there. Between them only the weights are computed, over all segments.
 * The other path of search-terms.ts takes some sixty functions and objects for the same, which is
 * nothing in a loop but 20 to 40 µs when other work ran before.
 */
import { NO_DEADLINE } from '../base/deadline.ts';
import { blameIndex } from '../postings/damage.ts';
import type { Arena } from '../storage/directory.ts';
import { scoringKernelsOf } from './compiled-kernels.ts';
import { sampleStep, samplesOf } from './dictionary-samples.ts';
import { fieldStatistics, inverseFrequency } from './field-statistics.ts';
import {
  QUERY,
  QUERY_SEGMENTS,
  QUERY_TERMS,
  QUERY_TEXT,
  QUERY_TOP,
  SEGMENT,
  SLOT,
  SLOT_BYTES,
} from './kernel-memory.ts';
import type { QueryKernel } from './kernels.ts';
import type { ScoringSegment, TermSearch } from './request.ts';
import type { TopDocs } from './top-docs.ts';
import { type Workspace, workspacesOf } from './workspace.ts';

/** What `query` has to do. */
const TOP = 1;
const COUNT = 2;
const STORED = 4;
const EXACT_COUNTS = 8;

/** Says that the kernel cannot run a search. */
export const NOT_BY_KERNEL = -1;

/** Weights by term, computed anew by every search. */
const weights = new Float64Array(QUERY_TERMS);
const frequencies = new Int32Array(QUERY_TERMS);
const orders = new Int32Array(QUERY_TERMS);

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
  if (top !== null && (top.limit === 0 || top.limit > QUERY_TOP || top.after !== null)) {
    return NOT_BY_KERNEL;
  }
  const { arena } = segments[0].reader;
  const kernel = scoringKernelsOf(arena).query;
  if (kernel === null) return NOT_BY_KERNEL;
  for (let s = 0; s < segments.length; s++) {
    if (!fits(segments[s], arena)) return NOT_BY_KERNEL;
  }
  const asked = mode === 'term' ? 1 : search.terms.length;
  if (!writeTexts(search, asked, arena)) return NOT_BY_KERNEL;
  if (!blameIndex(() => lookUp(segments, asked, arena, kernel))) return NOT_BY_KERNEL;
  const averageLength = weigh(search, asked);
  if (mode !== 'or') for (let k = 0; k < asked; k++) if (frequencies[k] === 0) return 0;
  const workspaces = workspacesOf(arena);
  const workspace = workspaces.take();
  try {
    workspace.table.use(averageLength);
    arena.f64[QUERY.averageLength >> 3] = averageLength;
    const wanted = (top === null ? 0 : TOP) | (count ? COUNT : 0) | (stored ? STORED : 0);
    return runSegments(search, asked, top, wanted, workspace, kernel);
  } finally {
    workspaces.give(workspace);
  }
}

/** True where the kernel can read all of a segment. */
function fits({ reader, ranks }: ScoringSegment, arena: Arena): boolean {
  if (reader.arena !== arena || !reader.text || reader.cold) return false;
  return ranks === null || ranks.buffer === arena.memory.buffer;
}

/** Puts the bytes of the terms where the kernel reads them; false where they are too many. */
function writeTexts({ terms }: TermSearch, asked: number, { u8, i32 }: Arena): boolean {
  if (asked > QUERY_TERMS) return false;
  for (let k = 0; k < asked; k++) {
    const { bytes } = terms[k];
    const { length } = bytes;
    if (length > QUERY_TEXT) return false;
    const at = QUERY.text + (k << 8);
    for (let i = 0; i < length; i++) u8[at + i] = bytes[i];
    for (let i = length; i < 8; i++) u8[at + i] = 0;
    i32[(QUERY.lengths >> 2) + k] = length;
  }
  return true;
}

/** Looks the terms up in all segments; false for terms that are equal, or too long. */
function lookUp(
  segments: readonly ScoringSegment[],
  asked: number,
  arena: Arena,
  kernel: QueryKernel,
): boolean {
  const { i32 } = arena;
  const sampled = samplesOf(arena);
  i32[QUERY.unsupported >> 2] = 0;
  frequencies.fill(0);
  for (let s = 0; s < segments.length; s++) {
    const { reader } = segments[s];
    i32.set(reader.addresses, SEGMENT.index >> 2);
    const found = foundAt(s);
    const samples = sampled.of(reader, kernel);
    kernel.lookup(asked, found, samples, sampleStep(reader));
    for (let k = 0; k < asked; k++) {
      const at = (found >> 2) + 2 * k;
      const df = i32[at];
      frequencies[k] += df;
      if (df === 0) continue;
      for (let j = 0; j < k; j++) {
        if (i32[(found >> 2) + 2 * j] !== 0 && i32[(found >> 2) + 2 * j + 1] === i32[at + 1]) {
          return false;
        }
      }
    }
  }
  return i32[QUERY.unsupported >> 2] === 0;
}

/** Where the terms that were found in segment `s` are described. */
const foundAt = (s: number): number => QUERY.found + 8 * QUERY_TERMS * s;

/** Computes weights and orders by the statistics of all segments; returns the average length. */
function weigh({ segments, terms, statistics }: TermSearch, asked: number): number {
  let { docs, averageLength } = statistics?.field ?? { docs: 0, averageLength: 1 };
  if (statistics === undefined) {
    let tokens = 0;
    for (let s = 0; s < segments.length; s++) {
      docs += segments[s].reader.docsWithField;
      tokens += segments[s].reader.tokens;
    }
    ({ averageLength } = fieldStatistics(docs, tokens));
  } else for (let k = 0; k < asked; k++) frequencies[k] = statistics.frequencies[k];
  for (let k = 0; k < asked; k++) {
    weights[k] = terms[k].boost * inverseFrequency(docs, frequencies[k]);
    let order = 0;
    for (let j = 0; j < asked; j++) {
      if (frequencies[j] < frequencies[k] || (frequencies[j] === frequencies[k] && j < k)) order++;
    }
    orders[k] = order;
  }
  return averageLength;
}

function runSegments(
  { segments, mode, deadline = NO_DEADLINE }: TermSearch,
  asked: number,
  top: TopDocs | null,
  wanted: number,
  workspace: Workspace,
  kernel: QueryKernel,
): number {
  const { i32 } = workspace.arena;
  const all = mode === 'or' ? 0 : 1;
  let total = 0;
  for (let s = 0; s < segments.length; s++) {
    deadline.check();
    const found = foundAt(s);
    let present = 0;
    for (let k = 0; k < asked; k++) if (i32[(found >> 2) + 2 * k] !== 0) present++;
    if (present === 0 || (all === 1 && present < asked)) continue;
    const segment = segments[s];
    prepare(segment, asked, found, top, workspace);
    const exact = segment.blocked === null || segment.living !== null;
    const flags = wanted | (exact ? EXACT_COUNTS : 0);
    total += call(kernel, found, asked, all, flags, workspace);
    if (top !== null) take(segment, top, workspace.arena);
    if (segment.living !== null) remember(segment.living, asked, found, workspace.arena);
  }
  return total;
}

/** Runs the kernel. Where damaged postings stop it, it leaves marks behind. */
function call(
  kernel: QueryKernel,
  found: number,
  asked: number,
  all: number,
  flags: number,
  { marks }: Workspace,
): number {
  try {
    return kernel.query(found, asked, all, flags);
  } catch (error) {
    marks.fill(0);
    return blameIndex(() => {
      throw error;
    });
  }
}

/** Describes a segment and the state of the search to the kernel. */
function prepare(
  { reader, ranks, blocked, living }: ScoringSegment,
  asked: number,
  found: number,
  top: TopDocs | null,
  workspace: Workspace,
): void {
  const { i32, f64, memory } = workspace.arena;
  workspace.reserve(reader.docs, 0);
  i32.set(reader.addresses, SEGMENT.index >> 2);
  f64[QUERY.scale >> 3] = f64[QUERY.averageLength >> 3] / reader.averageLength;
  i32[QUERY.ranks >> 2] = ranks === null ? 0 : ranks.byteOffset;
  const inArena =
    blocked === null || blocked.buffer === memory.buffer
      ? blocked
      : workspace.copyBits(blocked, reader.docs);
  i32[QUERY.blocked >> 2] = inArena === null ? 0 : inArena.byteOffset;
  i32[QUERY.bounds >> 2] = workspace.bound.byteOffset;
  i32[QUERY.ranges >> 2] = workspace.ranges.byteOffset;
  i32[QUERY.sorted >> 2] = workspace.sorted.byteOffset;
  i32[QUERY.marks >> 2] = workspace.marks.byteOffset;
  for (let k = 0; k < asked; k++) {
    const at = QUERY.termSlots + SLOT_BYTES * k;
    f64[(at + SLOT.weight) >> 3] = weights[k];
    i32[(at + SLOT.order) >> 2] = orders[k];
    i32[(at + SLOT.living) >> 2] =
      living === null ? -1 : (living.get(i32[(found >> 2) + 2 * k + 1]) ?? -1);
  }
  f64[QUERY.theta >> 3] = top === null ? 0 : top.theta;
  const size = top === null ? 0 : top.size;
  i32[QUERY.limit >> 2] = top === null ? 1 : top.limit;
  i32[QUERY.size >> 2] = size;
  for (let i = 0; i < size && top !== null; i++) {
    f64[(QUERY.topScores >> 3) + i] = top.scoreAt(i);
    i32[(QUERY.topDocs >> 2) + i] = -1;
  }
}

/** Offers what the kernel kept. */
function take({ number, ranks }: ScoringSegment, top: TopDocs, { i32, f64 }: Arena): void {
  top.enter(number, ranks);
  const size = i32[QUERY.size >> 2];
  for (let i = 0; i < size; i++) {
    const doc = i32[(QUERY.topDocs >> 2) + i];
    if (doc >= 0) top.offer(doc, f64[(QUERY.topScores >> 3) + i]);
  }
  top.raise(f64[QUERY.theta >> 3]);
}

/** Keeps the numbers of living documents that the kernel counted. */
function remember(living: Map<number, number>, asked: number, found: number, { i32 }: Arena): void {
  for (let k = 0, n = 0; k < asked; k++) {
    const at = (found >> 2) + 2 * k;
    if (i32[at] === 0) continue;
    const count = i32[(QUERY.termSlots + SLOT_BYTES * n++ + SLOT.living) >> 2];
    if (count >= 0) living.set(i32[at + 1], count);
  }
}
