import { describe, expect, it } from 'vitest';
import { seededBelow } from '../../../../../test/support/random.ts';
import type { Analyzer } from '../../analysis/analyzer.ts';
import { analyzerFor } from '../../analysis/registry.ts';
import { simpleAnalyzer } from '../../analysis/simple.ts';
import type { FieldBlock } from '../../schema/field-block.ts';
import { InvertedWriter } from './inverted-writer.ts';

/** Pieces of texts: words, separators, letters beyond ASCII, tokens around 16 and 255 bytes. */
const PIECES = [
  ...['a', 'The', 'quick', 'FOX', 'x9', '2026', 'memory', 'leak', 'Z', 'zzzzzzzz', 'ABCDEFGH'],
  ...['fifteenletters1', 'sixteenletters16', 'seventeenletters7', 'c0ffee'.repeat(7)],
  ...['y'.repeat(254), 'Y'.repeat(255), 'y'.repeat(256), 'y'.repeat(300), 'é', 'Straße', 'naïve'],
  ...['日本語', 'Ωmega', '\u{1d4d0}', 'a\u0301b', '–', '\u00a0', '"', '@[`{', '/:', '__', '\0'],
  ...["can't", "it's", 'a.b', 'x:y', '3.14', '1,000', '1;2', 'a1.b', 'v1.2.3', 'end.', '.net', '_'],
  ...['snake_case', '_x_.y', "'", ',', 'é.b', 'b.é', '1.é', ' \u0301', 'running', 'the', 'of'],
];

function blocksOf(seed: number, docs: number, most: number): FieldBlock[] {
  const random = seededBelow(seed);
  const word = () => {
    if (random(3) > 0) return PIECES[random(PIECES.length)];
    return random(50_000).toString(36);
  };
  return Array.from({ length: 3 }, () => {
    const texts = Array.from({ length: docs * 2 }, () =>
      Array.from({ length: random(most) }, word).join(
        random(8) === 0 ? '' : ' '.repeat(random(20)),
      ),
    );
    const bytes = texts.map((text) => Buffer.from(text));
    const offsets = new Int32Array(bytes.length + 1);
    for (const [i, { length }] of bytes.entries()) offsets[i + 1] = offsets[i] + length;
    const starts = Int32Array.from({ length: docs + 1 }, (_, doc) => 2 * doc);
    return { kind: 'bytes', starts, offsets, bytes: Buffer.concat(bytes) };
  });
}

/** The component of blocks that are all written into one buffer, one after another. */
function componentOf(
  blocks: readonly FieldBlock[],
  docs: number,
  analyzer: Analyzer = simpleAnalyzer,
): string {
  const shared = new Uint8Array(Math.max(...blocks.map((block) => bytesOf(block).length)));
  const writer = new InvertedWriter({ kind: 'text', analyzer });
  for (const [i, block] of blocks.entries()) {
    shared.set(bytesOf(block));
    writer.add(i * docs, docs, { ...block, bytes: shared } as FieldBlock);
  }
  return Buffer.concat(writer.finish(blocks.length * docs)).toString('base64');
}

const bytesOf = (block: FieldBlock): Uint8Array => (block.kind === 'bytes' ? block.bytes : shared0);
const shared0 = new Uint8Array();

/** The same analyzer, which no kernel knows. */
const unknown = (analyzer: Analyzer): Analyzer => ({ ...analyzer, words: undefined });

describe('the kernel that numbers tokens', () => {
  it.each([
    ['short documents', 1, 800, 20],
    ['long documents, whose table grows often', 2, 60, 4000],
    ['documents longer than the memory of the kernel', 3, 2, 60_000],
  ] as const)('gives the component of the plain loops for %s', (_, seed, docs, most) => {
    const blocks = blocksOf(seed, docs, most);
    const compiled = componentOf(blocks, docs);
    expect(compiled === componentOf(blocks, docs, unknown(simpleAnalyzer))).toBe(true);
  });

  it.each(['standard', 'english', 'french'])('gives the terms of %s as the plain loops', (name) => {
    const blocks = blocksOf(4, 100, 30);
    const analyzer = analyzerFor(name);
    const compiled = componentOf(blocks, 100, analyzer);
    expect(compiled === componentOf(blocks, 100, unknown(analyzer))).toBe(true);
  });
});
