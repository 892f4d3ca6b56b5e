import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainArena } from '../../../../test/support/plain-arena.ts';
import { simpleAnalyzer } from '../analysis/simple.ts';
import { bitKernelsOf } from '../bitmap/bit-kernels.ts';
import { hasBit, wordsOf } from '../bitmap/bitmap.ts';
import { InvertedReader } from '../inverted/inverted-reader.ts';
import { InvertedWriter } from '../inverted/write/inverted-writer.ts';
import { NO_MORE_DOCS, openCursor } from './cursors.ts';
import { denseHolds, rangeDocs } from './dense-terms.ts';
import { DENSE, LIST_BLOCK, RANGE, SHORT } from './format.ts';
import { blockSize, docsAt, docWidthOf, unpackDocs } from './list-terms.ts';
import { firstDocument, offerDocs } from './lowest-docs.ts';
import { fillTerm } from './mark-docs.ts';
import { rangePostings, rangeRooms } from './range-postings.ts';
import { TermBlocks } from './term-blocks.ts';
import { type TermInfo, termRef } from './term-info.ts';
import { termTest } from './term-test.ts';

const SEED = 20_261_122;

/** The documents of one word with their frequencies, rising. */
type Postings = readonly (readonly [doc: number, frequency: number])[];

/** A component in which `word` has these postings, beside a word that every document holds. */
function build(docs: number, postings: Postings): { reader: InvertedReader; info: TermInfo } {
  const words = Array.from({ length: docs }, () => 'every');
  for (const [doc, frequency] of postings) words[doc] += ' word'.repeat(frequency);
  const values = words.map((text) => Buffer.from(text));
  const offsets = new Int32Array(docs + 1);
  values.forEach((value, i) => {
    offsets[i + 1] = offsets[i] + value.length;
  });
  const starts = Int32Array.from({ length: docs + 1 }, (_, i) => i);
  const writer = new InvertedWriter({ kind: 'text', analyzer: simpleAnalyzer });
  writer.add(0, docs, { kind: 'bytes', starts, offsets, bytes: Buffer.concat(values) });
  const bytes = Buffer.concat(writer.finish(docs));
  const region = plainArena(bytes.length + (1 << 22)).allocate(bytes.length);
  region.bytes.set(bytes);
  const reader = InvertedReader.open(region, docs, 'text');
  return { reader, info: reader.lookup(Buffer.from('word'))! };
}

/** Documents at random distances up to `gap`, with frequencies mostly 1. */
const postings = fc
  .record({
    gap: fc.constantFrom(1, 3, 30, 70),
    count: fc.constantFrom(1, 5, 127, 128, 129, 400),
    seed: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  })
  .map(({ gap, count, seed }): Postings => {
    let state = seed;
    const next = (below: number) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    let doc = -1;
    return Array.from({ length: count }, () => {
      doc += 1 + next(gap);
      return [doc, next(4) === 0 ? 1 + next(40) : 1] as const;
    });
  });

const kinds = new Set<number>();

/** Runs `check` over components of every kind. */
function eachComponent(
  check: (reader: InvertedReader, info: TermInfo, wanted: Postings) => void,
): void {
  fc.assert(
    fc.property(postings, fc.integer({ min: 1, max: 600 }), (wanted, beyond) => {
      const docs = wanted[wanted.length - 1][0] + beyond;
      const { reader, info } = build(docs, wanted);
      kinds.add(info.kind === SHORT ? SHORT : reader.big(info).kind);
      check(reader, info, wanted);
    }),
    { seed: SEED, numRuns: 60 },
  );
}

/** The postings as runs of blocks give them. */
function runs(reader: InvertedReader, info: TermInfo): Postings {
  const found: [number, number][] = [];
  const blocks = new TermBlocks(reader);
  for (blocks.open(info); blocks.next(); ) {
    for (let i = blocks.from; i < blocks.to; i++) {
      found.push([blocks.docs[i], blocks.frequencies[i]]);
      blocks.bits += blocks.frequencies[i] * reader.positionWidth(blocks.docs[i]);
    }
  }
  return found;
}

describe('the codec of postings', () => {
  it('gives what was written: cursors, runs, ranges', () => {
    eachComponent((reader, info, wanted) => {
      const cursor = openCursor(reader, info);
      const walked: [number, number][] = [];
      const places = new Int32Array(64);
      for (let doc = cursor.next(); doc !== NO_MORE_DOCS; doc = cursor.next()) {
        walked.push([doc, cursor.tf()]);
        const n = cursor.positions(places);
        // The words of a document: "every", then the word again and again.
        expect([...places.subarray(0, n)]).toEqual(Array.from({ length: n }, (_, i) => i + 1));
      }
      expect(walked).toEqual(wanted);
      expect(runs(reader, info)).toEqual(wanted);
      const all = new Int32Array(wordsOf(reader.docs)).fill(-1);
      const ranges = rangePostings(reader, info);
      const room = rangeRooms.take();
      const read: [number, number][] = [];
      for (let range = 0; range < reader.ranges; range++) {
        const n = ranges.read(range, all, room);
        for (let i = 0; i < n; i++) read.push([room.docs[i], room.frequencies[i]]);
      }
      expect(read).toEqual(wanted);
    });
    expect([...kinds].sort()).toEqual([0, 1, 2]);
  });

  it('finds single documents: tests, bits, the first, the lowest', () => {
    eachComponent((reader, info, wanted) => {
      const docs = new Set(wanted.map(([doc]) => doc));
      const { has } = termTest(reader, info);
      const bits = new Int32Array(wordsOf(reader.docs));
      fillTerm(reader, info, bits);
      const all = Array.from({ length: reader.docs }, (_, doc) => doc);
      expect(all.filter(has)).toEqual([...docs]);
      expect(all.filter((doc) => hasBit(bits, doc))).toEqual([...docs]);
      const ref = termRef(info);
      expect(firstDocument(reader, info.df, ref)).toBe(wanted[0][0]);
      const end = wanted[wanted.length >> 1][0] + 1;
      const taken: number[] = [];
      const into = { end, offer: (doc: number) => taken.push(doc) };
      offerDocs(reader, info.df, ref, into, new Int32Array(LIST_BLOCK));
      expect(taken).toEqual([...docs].filter((doc) => doc < end));
    });
  });

  it('finds single documents of dense terms', () => {
    eachComponent((reader, info, wanted) => {
      const term = info.kind === SHORT ? null : reader.big(info);
      if (term === null || term.kind !== DENSE) return;
      for (const [doc] of wanted) expect(denseHolds(reader.arena, term, doc)).toBe(true);
    });
  });
});

describe('compiled kernels', () => {
  it('mark the documents of list blocks as the codec unpacks them', () => {
    eachComponent((reader, info) => {
      const term = info.kind === SHORT ? null : reader.big(info);
      if (term === null || term.kind === DENSE) return;
      const { arena } = reader;
      const bytes = 4 * wordsOf(reader.docs);
      const region = arena.allocate(bytes);
      const bits = new Int32Array(arena.memory.buffer, region.offset, bytes >> 2).fill(0);
      const docs = new Int32Array(LIST_BLOCK);
      let last = -1;
      for (let block = 0; block < term.blocks; block++) {
        const size = blockSize(term, block);
        unpackDocs(arena, term, block, docs, 0);
        const data = docsAt(arena, term, block);
        const width = docWidthOf(arena, term, block);
        last = bitKernelsOf(arena).mark(data, size, width, last, bits.byteOffset, reader.docs);
        expect(last).toBe(docs[size - 1]);
        expect(docs.subarray(0, size).every((doc) => hasBit(bits, doc))).toBe(true);
      }
    });
  });

  it('count bitmaps of dense terms as the codec lists them', () => {
    eachComponent((reader, info) => {
      const term = info.kind === SHORT ? null : reader.big(info);
      if (term === null || term.kind !== DENSE) return;
      const docs = new Int32Array(RANGE);
      let count = 0;
      for (let range = 0; range < reader.ranges; range++) {
        count += rangeDocs(reader.arena, term, range, docs);
      }
      const bytes = 32 * reader.ranges;
      expect(bitKernelsOf(reader.arena).countAll([term.docBitsAt], 0, bytes)).toBe(count);
    });
  });
});
