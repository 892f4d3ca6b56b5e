/**
 * Terms that begin with a prefix, the most frequent first. Steps, in each segment, the largest one
 * first:
 *
 * 1. Two look-ups bound the dictionary blocks of the prefix.
 * 2. The blocks with the most frequent terms are read first: they fill the list with what it will
 *    mostly keep.
 * 3. Of the others, blocks whose largest count, in as many segments as there are, could not reach
 *    the last of the list are passed over; so are terms.
 * 4. What is left is counted in all segments, deleted documents left out, and offered.
 */

import { successor } from '../../base/bytes/byte-order.ts';
import type { Deadline } from '../../base/time/deadline.ts';
import { DICTIONARY_BLOCK } from '../../inverted/format.ts';
import type { TermCursor } from '../../inverted/term-cursor.ts';
import type { TermInfo } from '../../postings/term-info.ts';
import { blockCounts, type FieldTerms, liveCount } from './field-terms.ts';
import type { RankedTerm, SuggestionList } from './suggestion-list.ts';

/** Ranges of fewer blocks are read whole: their counts need not be known. */
const FEW_BLOCKS = 24;
/** What reading a block counts as, in steps of a deadline: its terms' documents are counted. */
const BLOCK_STEPS = 1024;
/** Blocks that are read first, at most. */
const FIRST_BLOCKS = 32;

/** Offers every term that begins with `prefix` and may belong to the list. */
export function offerPrefix(
  segments: readonly FieldTerms[],
  prefix: Uint8Array,
  list: SuggestionList,
  deadline: Deadline,
): void {
  const seen = segments.length > 1 ? new Set<string>() : null;
  for (const own of segments) new PrefixWalk(segments, own, list, seen, deadline).run(prefix);
}

class PrefixWalk {
  readonly #segments: readonly FieldTerms[];
  readonly #own: FieldTerms;
  readonly #list: SuggestionList;
  readonly #deadline: Deadline;
  /** Terms that were counted in an earlier segment; null: there is one segment only. */
  readonly #seen: Set<string> | null;
  /** The last of the list, where the blocks from here on hold only later terms than it. */
  #passed: RankedTerm | null = null;

  constructor(
    segments: readonly FieldTerms[],
    own: FieldTerms,
    list: SuggestionList,
    seen: Set<string> | null,
    deadline: Deadline,
  ) {
    this.#deadline = deadline;
    this.#segments = segments;
    this.#own = own;
    this.#list = list;
    this.#seen = seen;
  }

  run(prefix: Uint8Array): void {
    const cursor = this.#own.reader.terms(prefix);
    if (!cursor.next()) return;
    const first = cursor.ordinal;
    const end = this.#firstBehind(prefix);
    const [from, to] = [first / DICTIONARY_BLOCK, (end - 1) / DICTIONARY_BLOCK].map(Math.floor);
    const read = (block: number) => {
      cursor.enter(block);
      this.#block(cursor, first, end);
    };
    if (to! - from! < FEW_BLOCKS) {
      for (let block = from!; block <= to!; block++) read(block);
      return;
    }
    const counts = blockCounts(this.#own, this.#deadline);
    const firstBlocks = largestBlocks(counts, from!, to!, Math.min(this.#list.limit, FIRST_BLOCKS));
    for (const block of firstBlocks) read(block);
    let block = nextBlock(counts, from!, to!, this.#leastCount());
    for (; block <= to!; block = nextBlock(counts, block + 1, to!, this.#leastCount())) {
      if (firstBlocks.includes(block)) continue;
      if (!this.#isPassed(cursor, block, counts[block]!)) read(block);
    }
  }

  /** The number of the first term behind all that begin with the prefix. */
  #firstBehind(prefix: Uint8Array): number {
    const { reader } = this.#own;
    const after = successor(prefix);
    if (after === null) return reader.termCount;
    const cursor = reader.terms(after);
    return cursor.next() ? cursor.ordinal : reader.termCount;
  }

  #block(cursor: TermCursor, first: number, end: number): void {
    this.#deadline.spend(BLOCK_STEPS);
    for (let i = 0; i < DICTIONARY_BLOCK && cursor.next(); i++) {
      if (cursor.ordinal < first) continue;
      if (cursor.ordinal >= end) return;
      if (cursor.df >= this.#leastCount()) this.#offer(cursor.bytes().slice(), cursor.info());
    }
  }

  /**
   * A term with fewer documents in this segment, and not more in any other, stays off the list.
   * (One with more in another is met there.)
   */
  #leastCount(): number {
    const { worst } = this.#list;
    return worst === null ? 0 : worst.count / this.#segments.length;
  }

  /**
   * True where, in the only segment, the best term of a block ties with the last of the list and
   * stands behind it.
   */
  #isPassed(cursor: TermCursor, block: number, count: number): boolean {
    const { worst } = this.#list;
    if (worst === null || this.#seen !== null || count > worst.count) return false;
    if (this.#passed === worst) return true;
    cursor.enter(block);
    if (!cursor.next() || cursor.compare(worst.term) < 0) return false;
    this.#passed = worst;
    return true;
  }

  #offer(term: Uint8Array, info: TermInfo): void {
    if (this.#seen !== null) {
      const name = Buffer.from(term).toString('latin1');
      if (this.#seen.has(name)) return;
      this.#seen.add(name);
    }
    let count = 0;
    for (const segment of this.#segments) {
      const found = segment === this.#own ? info : segment.reader.lookup(term);
      if (found !== null) count += liveCount(segment, found);
    }
    this.#list.offer({ term, distance: 0, count });
  }
}

/** The first block from `from` on with a count of at least `least`; beyond `to` where none has. */
function nextBlock(counts: Int32Array, from: number, to: number, least: number): number {
  const whole = Math.ceil(least);
  let block = from;
  while (block <= to && counts[block]! < whole) block++;
  return block;
}

/** The blocks of from .. to with the largest counts, at most `most`. */
function largestBlocks(counts: Int32Array, from: number, to: number, most: number): number[] {
  const blocks: number[] = [];
  let least = -1;
  for (let block = from; block <= to; block++) {
    const count = counts[block]!;
    if (count <= least) continue;
    let at = blocks.length === most ? most - 1 : blocks.length;
    for (; at > 0 && counts[blocks[at - 1]!]! < count; at--) blocks[at] = blocks[at - 1]!;
    blocks[at] = block;
    if (blocks.length === most) least = counts[blocks[most - 1]!]!;
  }
  return blocks;
}
