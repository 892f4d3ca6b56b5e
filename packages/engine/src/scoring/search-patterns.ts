/**
 * Searches of many terms at once, all of one score: those that begin with a prefix, are near a
 * word, or match some other pattern. Steps, segment by segment:
 *
 * 1. The terms are found (inverted/pattern/, query/weight/pattern-matches.ts).
 * 2. The best documents are those with the lowest keys. Where keys rise as documents do these are
 *    the lowest documents: terms and dictionary blocks without one are passed over.
 * 3. Else, and for exact numbers, all documents are marked in a bitmap, and counted.
 */

import { type Deadline, NO_DEADLINE } from '../base/deadline.ts';
import { hasBit } from '../bitmap/bitmap.ts';
import { DICTIONARY_BLOCK } from '../inverted/format.ts';
import type { InvertedReader } from '../inverted/inverted-reader.ts';
import { markAll, markSparse } from '../inverted/pattern/documents.ts';
import { EntryWalk } from '../inverted/pattern/entry-walk.ts';
import { FoundTerms } from '../inverted/pattern/found-terms.ts';
import { LowestDocs } from '../inverted/pattern/lowest-docs.ts';
import { blockMinima } from '../inverted/pattern/pattern-tables.ts';
import { blocksByHead, blocksOf, findPrefix } from '../inverted/pattern/prefix.ts';
import { blameIndex } from '../postings/damage.ts';
import { LIST_BLOCK } from '../postings/format.ts';
import { offerDocs } from '../postings/lowest-docs.ts';
import { addBitmap } from '../postings/mark-docs.ts';
import type { ScoringSegment } from './request.ts';
import type { TopDocs } from './top-docs.ts';
import { type Workspace, workspaceOf } from './workspace.ts';

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
  /** Of every match. */
  readonly score: number;
  readonly segments: readonly ScoringSegment[];
  /** When it has to be done; absent: it may take any time. */
  readonly deadline?: Deadline;
}

/** Lists up to this length are kept in order while documents are offered. */
const MOST_LOWEST = 64;
/** Prefixes up to this length are looked up among the blocks' first bytes alone. */
const HEAD_BYTES = 4;
const found = new FoundTerms();
const scratch = new Int32Array(LIST_BLOCK);

/**
 * Offers the best documents to `top`; with `count`, returns the exact number of matching documents,
 * else 0.
 */
export function searchPatterns(search: PatternSearch, top: TopDocs, count = false): number {
  let total = 0;
  for (const segment of search.segments)
    total += blameIndex(() => searchOne(search, segment, top, count));
  return total;
}

/** The exact number of matching documents. */
export function countPatterns({
  pattern,
  segments,
  deadline = NO_DEADLINE,
}: PatternSearch): number {
  let total = 0;
  for (const segment of segments) {
    total += blameIndex(() => {
      findTerms(pattern, segment.reader, deadline);
      return countFound(segment, deadline);
    });
  }
  return total;
}

function findTerms(pattern: TermPattern, reader: InvertedReader, deadline: Deadline): void {
  deadline.check();
  found.clear();
  if (pattern.kind === 'prefix') findPrefix(reader, pattern.bytes, found, deadline);
  else pattern.find(reader, found, deadline);
}

function searchOne(
  { pattern, score, deadline = NO_DEADLINE }: PatternSearch,
  segment: ScoringSegment,
  top: TopDocs,
  count: boolean,
): number {
  const { reader, number, ranks, blocked } = segment;
  top.enter(number, ranks);
  if (count || ranks !== null || top.after !== null || top.limit > MOST_LOWEST) {
    findTerms(pattern, reader, deadline);
    return offerMarked(segment, top, { score, count, deadline });
  }
  const lowest = new LowestDocs(top.limit, blocked);
  if (pattern.kind === 'prefix') lowestOfPrefix(reader, pattern.bytes, lowest, deadline);
  else {
    findTerms(pattern, reader, deadline);
    for (let i = 0; i < found.size; i++)
      offerDocs(reader, found.dfs[i], found.refs[i], lowest, scratch);
  }
  for (const doc of lowest.docs) top.offer(doc, score);
  return 0;
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
    if (common === prefix.length) offerDocs(reader, walk.df, walk.ref, into, scratch);
  }
}

/** The number of documents of the found terms that are not blocked. */
function countFound({ reader, blocked }: ScoringSegment, deadline: Deadline): number {
  if (found.size === 0) return 0;
  if (found.size === 1 && blocked === null) return found.dfs[0];
  const workspace = marked(reader);
  const { marks } = workspace;
  const words = 8 * reader.ranges;
  const bits = marks.subarray(0, words);
  try {
    const dense = markSparse(reader, found, bits, deadline);
    // Two bitmaps are counted together with the marks; more are added before.
    for (const at of dense.slice(2)) addBitmap(reader, at, bits);
    const counted = [bits.byteOffset, ...dense.slice(0, 2)];
    return workspace.bits.countAny(counted, blockedAt(workspace, blocked), 4 * words);
  } finally {
    bits.fill(0);
  }
}

interface OfferedTerms {
  readonly score: number;
  readonly count: boolean;
  readonly deadline: Deadline;
}

/** Counts where asked; the found terms' documents are offered. */
function offerMarked(
  { reader, blocked }: ScoringSegment,
  top: TopDocs,
  { score, count, deadline }: OfferedTerms,
): number {
  if (found.size === 0) return 0;
  const workspace = marked(reader);
  const bits = workspace.marks.subarray(0, 8 * reader.ranges);
  try {
    markAll(reader, found, bits, deadline);
    offerBits(bits, blocked, top, score);
    if (!count) return 0;
    const out = blockedAt(workspace, blocked);
    return workspace.bits.countAny([bits.byteOffset], out, bits.byteLength);
  } finally {
    bits.fill(0);
  }
}

/** Offers marked documents; where keys rise as documents do, until no more can be kept. */
function offerBits(
  bits: Int32Array,
  blocked: Int32Array | null,
  top: TopDocs,
  score: number,
): void {
  for (let i = 0; i < bits.length; i++) {
    for (let word = bits[i]; word !== 0; word &= word - 1) {
      const doc = 32 * i + 31 - Math.clz32(word & -word);
      if (blocked !== null && hasBit(blocked, doc)) continue;
      if (top.strict) return;
      top.offer(doc, score);
    }
  }
}

function marked(reader: InvertedReader): Workspace {
  const workspace = workspaceOf(reader.arena);
  workspace.reserve(reader.docs, 0);
  return workspace;
}

/** Byte address of blocked documents, in the arena; 0: none are. */
function blockedAt(workspace: Workspace, blocked: Int32Array | null): number {
  if (blocked === null) return 0;
  if (blocked.buffer === workspace.arena.memory.buffer) return blocked.byteOffset;
  const copy = workspace.blocked.subarray(0, blocked.length);
  copy.set(blocked);
  return copy.byteOffset;
}
