/** Postings that a kernel encodes have the bytes of those that loops encode. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { mergeInverted } from '../../../../test/support/merge-inverted.ts';
import { plainArena } from '../../../../test/support/plain-arena.ts';
import { seededBelow } from '../../../../test/support/random.ts';
import { simpleAnalyzer } from '../analysis/simple.ts';
import { textsOf } from '../embed/embedder.ts';
import { PostingsKernel } from '../postings/postings-kernel.ts';
import type { FieldBlock } from '../schema/field-block.ts';
import { HAS_TEXT } from './format.ts';
import { InvertedReader } from './inverted-reader.ts';
import { InvertedWriter } from './write/inverted-writer.ts';

const DOCS = 6000;

/** Kinds of texts: `apart` has two values per document, so widths are not those of lengths. */
const KINDS = ['plain', 'long', 'wide', 'apart'] as const;
type Kind = (typeof KINDS)[number];

function textOf(kind: Kind, doc: number, random: (below: number) => number): string {
  const words = Array.from({ length: random(25) }, () => `w${random(2 + random(20_000))}`);
  if (kind === 'long' && doc % 400 === 7) words.push(...'a b a c '.repeat(80 + doc).split(' '));
  if (kind === 'wide' && doc > 1000 && doc < 4000) words.push('the '.repeat(50));
  return words.join(' ');
}

function blockOf(kind: Kind, seed: number): FieldBlock {
  const random = seededBelow(seed);
  const values = kind === 'apart' ? 2 : 1;
  const texts = Array.from({ length: values * DOCS }, (_, value) =>
    textOf(kind, Math.floor(value / values), random),
  );
  const starts = Int32Array.from({ length: DOCS + 1 }, (_, doc) => values * doc);
  return { kind: 'bytes', starts, ...textsOf(texts) };
}

function build(block: FieldBlock, bestDocs = true): Buffer {
  const writer = new InvertedWriter({ kind: 'text', analyzer: simpleAnalyzer, bestDocs });
  writer.add(0, DOCS, block);
  return Buffer.concat(writer.finish(DOCS));
}

function opened(bytes: Buffer): InvertedReader {
  const region = plainArena(bytes.length + (1 << 21)).allocate(bytes.length);
  region.bytes.set(bytes);
  return InvertedReader.open(region, DOCS, 'text');
}

/** The merge of two components; every `every`-th document is dropped unless it is 0. */
function merge(components: readonly Buffer[], every: number, bestDocs = true): Buffer {
  let docs = 0;
  const inputs = components.map((bytes) => ({
    reader: opened(bytes),
    docMap: Int32Array.from({ length: DOCS }, (_, doc) =>
      every > 0 && doc % every === 1 ? -1 : docs++,
    ),
  }));
  return Buffer.concat(mergeInverted(inputs, docs, { bestDocs }));
}

/** The flags of a component's header. */
const flags = (component: Buffer): number => component.readInt32LE(16);

/** What `work` gives with loops. */
function plain<T>(work: () => T): T {
  vi.spyOn(PostingsKernel, 'over').mockReturnValue(null);
  const result = work();
  vi.restoreAllMocks();
  return result;
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('postings that a kernel encodes', () => {
  test.each(KINDS)('have the bytes of loops: %s texts', (kind) => {
    const blocks = [11, 12].map((seed) => blockOf(kind, seed));
    const components = blocks.map((block) => build(block));
    const expected = plain(() => blocks.map((block) => build(block)));
    expect(components.map((bytes, i) => bytes.equals(expected[i]))).toEqual([true, true]);
    for (const every of [0, 5]) {
      const merged = merge(components, every);
      expect(merged.equals(plain(() => merge(expected, every)))).toBe(true);
    }
  });

  test('have them without best documents, which are no part of a merge then', () => {
    const blocks = [11, 12].map((seed) => blockOf('wide', seed));
    const components = blocks.map((block) => build(block, false));
    expect(components.map(flags)).toEqual([HAS_TEXT, HAS_TEXT]);
    const expected = plain(() => blocks.map((block) => build(block, false)));
    expect(components.map((bytes, i) => bytes.equals(expected[i]))).toEqual([true, true]);
    for (const inputs of [components, blocks.map((block) => build(block))]) {
      const merged = merge(inputs, 0, false);
      expect(flags(merged)).toBe(HAS_TEXT);
      expect(merged.equals(plain(() => merge(expected, 0, false)))).toBe(true);
      expect(merge(inputs, 0).length).toBeGreaterThan(merged.length);
    }
  });
});
