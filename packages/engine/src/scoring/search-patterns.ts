/**
 * Searches of many terms at once, whose scores are known before: those that begin with a prefix,
 * are near a word, or match some other pattern. Steps, segment by segment, the nearest terms first:
 *
 * 1. The terms are found (inverted/pattern/, query/weight/pattern-matches.ts).
 * 2. The best documents are those with the lowest keys. Where keys rise as documents do these are
 *    the lowest documents: terms and dictionary blocks without one are passed over.
 * 3. Else, and for exact numbers, all documents are marked in a bitmap, and counted.
 */

import { type Deadline, NO_DEADLINE } from '../base/time/deadline.ts';
import { anyInRange, hasBit } from '../bitmap/bitmap.ts';
import { DICTIONARY_BLOCK } from '../inverted/format.ts';
import type { InvertedReader } from '../inverted/inverted-reader.ts';
import { LowestDocs, markAll, markSparse } from '../inverted/pattern/documents.ts';
import { EntryWalk } from '../inverted/pattern/entry-walk.ts';
import { type FoundTerms, foundTerms } from '../inverted/pattern/found-terms.ts';
import { blockMinima } from '../inverted/pattern/pattern-tables.ts';
import { blocksByHead, blocksOf, findPrefix } from '../inverted/pattern/prefix.ts';
import { blameIndex } from '../postings/damage.ts';
import { offerDocs } from '../postings/lowest-docs.ts';
import { addBitmap } from '../postings/mark-docs.ts';
import type { ScoringSegment } from './request.ts';
import type { TopDocs } from './top-docs.ts';
import { type Workspace, workspacesOf } from './workspace.ts';

/** Terms that a search means: all that begin with some bytes, or those that `find` adds. */
export type TermPattern =
  | { readonly kind: 'prefix'; readonly bytes: Uint8Array }
  | {
      readonly kind: 'terms';
      find(reader: InvertedReader, into: FoundTerms, deadline: Deadline): void;
    };

/** A search for a pattern over one field. */
export interface PatternSearch {
  readonly pattern: TermPattern;
  /** Of every match that is in none of `nearer`. */
  readonly score: number;
  /** Some of the pattern's terms, and more with each, with falling scores above `score`. */
  readonly nearer?: readonly (TermPattern & { readonly score: number })[];
  readonly segments: readonly ScoringSegment[];
  /** When it has to be done; absent: it may take any time. */
  readonly deadline?: Deadline;
}

/** Lists up to this length are kept in order while documents are offered. */
const MAX_LOWEST = 64;
/** Words of marks between two looks at the clock. */
const WORDS_PER_CHECK = 1024;
/** Prefixes up to this length are looked up among the blocks' first bytes alone. */
const HEAD_BYTES = 4;

/**
 * Offers the best documents to `top`; with `count`, returns the exact number of matching documents,
 * else 0.
 */
export function searchPatterns(search: PatternSearch, top: TopDocs, count = false): number {
  let total = 0;
  for (const segment of search.segments) {
    total += blameIndex(() =>
      foundTerms.lend((found) => searchOne(search, segment, found, top, count)),
    );
  }
  return total;
}

/** The exact number of matching documents. */
export function countPatterns(search: PatternSearch): number {
  let total = 0;
  for (const segment of search.segments) {
    total += blameIndex(() =>
      foundTerms.lend((found) => {
        findTerms(search, segment.reader, found);
        return countFound(segment, found, search.deadline ?? NO_DEADLINE);
      }),
    );
  }
  return total;
}

function findTerms(
  { pattern, deadline = NO_DEADLINE }: Pick<PatternSearch, 'pattern' | 'deadline'>,
  reader: InvertedReader,
  found: FoundTerms,
): void {
  deadline.check();
  found.clear();
  if (pattern.kind === 'prefix') findPrefix(reader, pattern.bytes, found, deadline);
  else pattern.find(reader, found, deadline);
}

function searchOne(
  search: PatternSearch,
  segment: ScoringSegment,
  found: FoundTerms,
  top: TopDocs,
  count: boolean,
): number {
  const { number, ranks } = segment;
  top.enter(number, ranks);
  const { cold } = segment.reader;
  if (count || cold || ranks !== null || top.after !== null || top.limit > MAX_LOWEST) {
    return offerMarked(search, segment, found, top, count);
  }
  const offered = new Set<number>();
  for (const { pattern, score } of byScore(search)) {
    const lowest = new LowestDocs(top.limit + offered.size, segment.blocked);
    addLowest({ ...search, pattern }, segment.reader, found, lowest);
    for (const doc of lowest.docs) {
      if (!offered.has(doc)) top.offer(doc, score);
      offered.add(doc);
    }
    if (offered.size >= top.limit) break;
  }
  return 0;
}

/** The patterns of a search with their scores, the highest first; the last has all terms. */
function byScore({ pattern, score, nearer = [] }: PatternSearch) {
  return [...nearer.map((one) => ({ pattern: one, score: one.score })), { pattern, score }];
}

function addLowest(
  search: PatternSearch,
  reader: InvertedReader,
  found: FoundTerms,
  lowest: LowestDocs,
): void {
  const { pattern, deadline = NO_DEADLINE } = search;
  if (pattern.kind === 'prefix') {
    lowestOfPrefix(reader, pattern.bytes, lowest, deadline);
    return;
  }
  findTerms(search, reader, found);
  for (let i = 0; i < found.size; i++) {
    deadline.spend(1);
    offerDocs(reader, found.dfs[i], found.refs[i], lowest, lowest.block);
  }
}

/** The block with the lowest document first: it decides how few others have to be read. */
function lowestOfPrefix(
  reader: InvertedReader,
  prefix: Uint8Array,
  into: LowestDocs,
  deadline: Deadline,
): void {
  const minima = blockMinima(reader);
  const near = minima !== null && prefix.length <= HEAD_BYTES;
  const { from, to } = near ? blocksByHead(minima.heads, prefix) : blocksOf(reader, prefix);
  const walk = new EntryWalk(reader);
  let first = -1;
  if (minima !== null) {
    const { lowest } = minima;
    for (let block = from; block <= to; block++) {
      if (first < 0 || lowest[block] < lowest[first]) first = block;
    }
    if (first >= 0) offerBlock(reader, walk, first, prefix, into);
  }
  for (let block = from; block <= to; block++) {
    deadline.spend(DICTIONARY_BLOCK);
    if (block === first || (minima !== null && minima.lowest[block] >= into.end)) continue;
    offerBlock(reader, walk, block, prefix, into);
  }
}

function offerBlock(
  reader: InvertedReader,
  walk: EntryWalk,
  block: number,
  prefix: Uint8Array,
  into: LowestDocs,
): void {
  walk.enter(block);
  let common = 0;
  for (let i = 0; i < DICTIONARY_BLOCK && walk.next(); i++) {
    common = walk.common(prefix, prefix.length, common);
    if (common === prefix.length) offerDocs(reader, walk.df, walk.ref, into, into.block);
  }
}

/** The number of documents of the found terms that are not blocked. */
function countFound(
  { reader, blocked }: ScoringSegment,
  found: FoundTerms,
  deadline: Deadline,
): number {
  if (found.size === 0) return 0;
  if (found.size === 1 && blocked === null) return found.dfs[0];
  return withMarks(reader, (bits, workspace) => {
    const dense = markSparse(reader, found, bits, deadline);
    // Two bitmaps are counted together with the marks; more are added before.
    for (const at of dense.slice(2)) addBitmap(reader, at, bits);
    const counted = [bits.byteOffset, ...dense.slice(0, 2)];
    const out = workspace.addressOf(blocked, reader.docs);
    return workspace.bits.countAny(counted, out, bits.byteLength);
  });
}

/** Counts where requested; the documents of all terms are offered, the nearest terms first. */
function offerMarked(
  search: PatternSearch,
  segment: ScoringSegment,
  found: FoundTerms,
  top: TopDocs,
  count: boolean,
): number {
  const { deadline = NO_DEADLINE } = search;
  const { reader, blocked } = segment;
  const patterns = byScore(search);
  const isCounted = count || segment.byRank !== undefined;
  const offerFrom = (at: number, offered: Marked | null): number => {
    const { pattern, score } = patterns[at];
    const isLast = at === patterns.length - 1;
    findTerms({ pattern, deadline }, reader, found);
    if (found.size === 0) return isLast ? 0 : offerFrom(at + 1, offered);
    return withMarks(reader, (bits, workspace) => {
      markAll(reader, found, bits, deadline);
      const out = workspace.addressOf(blocked, reader.docs);
      const total = isCounted
        ? workspace.bits.countAny([bits.byteOffset], out, bits.byteLength)
        : 0;
      const marked = { bits, total };
      offerMarks(segment, marked, offered, top, score, deadline);
      if (!isLast) return offerFrom(at + 1, marked);
      return count ? total : 0;
    });
  };
  return offerFrom(0, null);
}

/** Documents of a segment as bits. */
interface Marked {
  readonly bits: Int32Array;
  /** Those that are not blocked; 0: not counted. */
  readonly total: number;
}

/** Offers marked documents that were not offered before. */
function offerMarks(
  { blocked, byRank, reader }: ScoringSegment,
  { bits, total }: Marked,
  offered: Marked | null,
  top: TopDocs,
  score: number,
  deadline: Deadline,
): void {
  if (score < top.theta) return;
  const count = total - (offered?.total ?? 0);
  if (byRank === undefined || top.after !== null || count * count < reader.docs * top.limit) {
    offerBits({ bits, blocked, offered: offered?.bits ?? null }, top, score, deadline);
    return;
  }
  let left = top.limit;
  for (const doc of byRank()) {
    if (left === 0) return;
    if (!hasBit(bits, doc) || (blocked !== null && hasBit(blocked, doc))) continue;
    if (offered !== null && hasBit(offered.bits, doc)) continue;
    top.offer(doc, score);
    left--;
  }
}

/** Documents of a segment as bits, and those that are not offered: deleted, or offered before. */
interface OfferedBits {
  readonly bits: Int32Array;
  readonly blocked: Int32Array | null;
  readonly offered: Int32Array | null;
}

/** Offers marked documents; where keys rise as documents do, until no more can be kept. */
function offerBits(
  { bits, blocked, offered }: OfferedBits,
  top: TopDocs,
  score: number,
  deadline: Deadline,
): void {
  for (let i = 0; i < bits.length; i++) {
    if (i % WORDS_PER_CHECK === 0) deadline.check();
    if ((i & 7) === 0 && !anyInRange(bits, i >> 3)) {
      i += 7;
      continue;
    }
    const left = offered === null ? bits[i] : bits[i] & ~offered[i];
    for (let word = left; word !== 0; word &= word - 1) {
      const doc = 32 * i + 31 - Math.clz32(word & -word);
      if (blocked !== null && hasBit(blocked, doc)) continue;
      if (top.strict) return;
      top.offer(doc, score);
    }
  }
}

/** Runs `use` with a bitmap without bits over a segment's documents, in a workspace. */
function withMarks(
  reader: InvertedReader,
  use: (bits: Int32Array, workspace: Workspace) => number,
): number {
  return workspacesOf(reader.arena).lend((workspace) => {
    workspace.reserve(reader.docs, 0);
    const bits = workspace.marks.subarray(0, 8 * reader.ranges);
    try {
      return use(bits, workspace);
    } finally {
      bits.fill(0);
    }
  });
}
