/** Documents of a test as the segments of an index. */

import { plainArena } from '../../../../test/support/plain-arena.ts';
import { simpleAnalyzer } from '../../src/analysis/simple.ts';
import { wordsOf } from '../../src/bitmap/bitmap.ts';
import { FIRST_SECTION_WORD, INVERTED_SECTIONS, type Section } from '../../src/inverted/format.ts';
import { InvertedReader } from '../../src/inverted/inverted-reader.ts';
import { InvertedWriter } from '../../src/inverted/write/inverted-writer.ts';
import type { ScoringSegment } from '../../src/scoring/request.ts';
import type { Arena } from '../../src/storage/directory.ts';
import { blockOf, compare, type ModelDoc } from './model-docs.ts';

/** Documents of a test, and how they are divided. */
export interface Case {
  readonly docs: readonly ModelDoc[];
  /** Documents a segment. */
  readonly sizes: readonly number[];
  /** Segments without best documents. Default: every third one. */
  readonly plain?: 'all' | 'none';
  /** Odd segments are in another arena, orders of keys in none. Default: false. */
  readonly apart?: boolean;
}

const encoder = new TextEncoder();

/** A case in an arena, and the documents that it has of it. */
export type OpenCase = ReturnType<typeof open>;

/** Writes the segments of a case into an arena and opens them. */
export function open({ docs, sizes, plain, apart = false }: Case) {
  const arena = plainArena(16 * 2 ** 20);
  const other = apart ? plainArena(16 * 2 ** 20) : arena;
  const parts: (readonly ModelDoc[])[] = [];
  let at = 0;
  for (const size of sizes) {
    parts.push(docs.slice(at, at + size));
    at += size;
  }
  const segments = parts.map((part, number) => {
    const segment = segmentOf(number % 2 ? other : arena, part, number, plain);
    return apart ? { ...segment, ranks: segment.ranks?.slice() ?? null } : segment;
  });
  const keyOf = (segment: number, doc: number) => encoder.encode(parts[segment][doc].key);
  return { segments, keyOf, parts, used: docs.slice(0, at) };
}

/** Byte addresses of the components of open readers. */
const components = new WeakMap<InvertedReader, number>();

/** Byte address and length of a section, from the component's header. */
export function sectionOf(reader: InvertedReader, name: Section): { at: number; bytes: number } {
  const start = components.get(reader)!;
  const word = (start >> 2) + FIRST_SECTION_WORD + 2 * INVERTED_SECTIONS.indexOf(name);
  return { at: start + reader.arena.i32[word], bytes: reader.arena.i32[word + 1] };
}

/** A segment of documents; `plain`: as that of `Case`. */
function segmentOf(
  arena: Arena,
  docs: readonly ModelDoc[],
  number: number,
  plain: Case['plain'],
): ScoringSegment {
  const bestDocs = plain === 'none' || (plain !== 'all' && number % 3 !== 2);
  const writer = new InvertedWriter({ kind: 'text', analyzer: simpleAnalyzer, bestDocs });
  writer.add(0, docs.length, blockOf(docs));
  const bytes = Buffer.concat(writer.finish(docs.length));
  const region = arena.allocate(bytes.length);
  region.bytes.set(bytes);
  const reader = InvertedReader.open(region, docs.length, 'text');
  components.set(reader, region.offset);
  const order = docs.map((_, i) => i).sort((a, b) => compare(docs[a].key, docs[b].key));
  // In the arena, as those of a mapped file: the query kernel reads them there.
  const { offset } = arena.allocate(4 * docs.length);
  const ranks = new Int32Array(arena.memory.buffer, offset, docs.length);
  order.forEach((doc, rank) => {
    ranks[doc] = rank;
  });
  const blocked = docs.some((d) => d.blocked) ? bitsFor(arena, docs.length, number) : null;
  docs.forEach((d, i) => {
    if (d.blocked && blocked !== null) blocked[i >> 5] |= 1 << (i & 31);
  });
  const rising = order.every((doc, rank) => doc === rank);
  const own = { number, reader, blocked, ranks: rising ? null : ranks };
  return { ...own, living: number % 2 ? new Map() : null };
}

/** An empty bitmap: of odd segments in the arena, of others elsewhere. */
function bitsFor(arena: Arena, docs: number, number: number): Int32Array {
  const words = wordsOf(docs);
  if (number % 2 === 0) return new Int32Array(words);
  return new Int32Array(arena.memory.buffer, arena.allocate(4 * words).offset, words).fill(0);
}
