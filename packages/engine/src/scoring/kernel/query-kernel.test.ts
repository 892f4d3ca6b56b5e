import { describe, expect, it } from 'vitest';
import { plainArena } from '../../../../../test/support/plain-arena.ts';
import { simpleAnalyzer } from '../../analysis/simple.ts';
import { Deadline } from '../../base/time/deadline.ts';
import { InvertedReader } from '../../inverted/inverted-reader.ts';
import { InvertedWriter } from '../../inverted/write/inverted-writer.ts';
import type { FieldBlock } from '../../schema/field-block.ts';
import type { ScoringSegment, TermMode } from '../request.ts';
import { countTerms, searchTerms } from '../search-terms.ts';
import { TopDocs } from '../top-docs.ts';

/** Documents of a segment; 1,231 of them hold each of two words: ten blocks of a list. */
const DOCS = 32_000;
const EVERY = 26;
const SEGMENTS = 200;

function blockOf(texts: readonly string[]): FieldBlock {
  const offsets = new Int32Array(texts.length + 1);
  texts.forEach((text, i) => {
    offsets[i + 1] = offsets[i] + text.length;
  });
  const starts = Int32Array.from(offsets, (_, i) => i);
  return { kind: 'bytes', starts, offsets, bytes: Buffer.from(texts.join('')) };
}

/** One component as that of many segments. */
function segments(): readonly ScoringSegment[] {
  const texts = Array.from({ length: DOCS }, (_, i) => (i % EVERY === 0 ? 'alpha beta' : 'gamma'));
  const writer = new InvertedWriter({ kind: 'text', analyzer: simpleAnalyzer });
  writer.add(0, DOCS, blockOf(texts));
  const bytes = Buffer.concat(writer.finish(DOCS));
  const region = plainArena(1 << 25).allocate(bytes.length);
  region.bytes.set(bytes);
  const reader = InvertedReader.open(region, DOCS, 'text');
  return Array.from({ length: SEGMENTS }, (_, number) => {
    return { number, reader, ranks: null, blocked: null, living: null };
  });
}

/** A deadline that is over when the clock is read for the `reads`th time. */
function deadlineOf(reads: number): Deadline {
  let read = 0;
  return new Deadline(1, { ticks: () => (++read > reads ? Number.POSITIVE_INFINITY : 0) });
}

describe('a query of lists in many segments', () => {
  const terms = ['alpha', 'beta'].map((word, position) => {
    return { bytes: Buffer.from(word), boost: 1, position };
  });
  const all = segments();
  const count = (mode: TermMode, deadline?: Deadline) =>
    countTerms({ mode, terms, segments: all, ...(deadline && { deadline }) });
  const matches = SEGMENTS * Math.ceil(DOCS / EVERY);

  it.each(['and', 'or'] as const)('reads the clock within 1,024 blocks (%s)', (mode) => {
    // The clock is read twice before the kernel runs.
    expect(() => count(mode, deadlineOf(2))).toThrow(
      expect.objectContaining({ code: 'limit_exceeded' }),
    );
  });

  it.each(['and', 'or'] as const)('is right after one that was stopped (%s)', (mode) => {
    expect(count(mode)).toBe(matches);
  });
});

describe('a page behind a document', () => {
  const [segment] = segments();
  const keyOf = (_: number, doc: number) => Buffer.from(String(doc).padStart(6, '0'));

  it.each(['gamma', 'alpha'])('is filled by the kernel: %s', (word) => {
    const terms = [{ bytes: Buffer.from(word), boost: 1, position: 0 }];
    const search = { mode: 'term', terms, segments: [segment] } as const;
    const all = new TopDocs(1000, keyOf);
    searchTerms(search, all);
    const hits = all.harvest();
    const { score, doc } = hits[499];
    const next = new TopDocs(10, keyOf, { score, key: keyOf(0, doc) });
    searchTerms(search, next);
    expect(next.harvest()).toEqual(hits.slice(500, 510));
  });

  it('compares few keys', () => {
    let compared = 0;
    const terms = [{ bytes: Buffer.from('gamma'), boost: 1, position: 0 }];
    const search = { mode: 'term', terms, segments: [segment] } as const;
    const first = new TopDocs(10, keyOf);
    searchTerms(search, first);
    const [{ score }] = first.harvest();
    const counting = (s: number, doc: number) => {
      compared++;
      return keyOf(s, doc);
    };
    searchTerms(search, new TopDocs(10, counting, { score, key: keyOf(0, 20_000) }));
    expect(compared).toBeLessThan(100);
  });
});
