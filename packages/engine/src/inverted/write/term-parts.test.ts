import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemoryDirectory } from '../../../../../test/support/memory-directory.ts';
import { mergeInverted } from '../../../../../test/support/merge-inverted.ts';
import { plainArena } from '../../../../../test/support/plain-arena.ts';
import { simpleAnalyzer } from '../../analysis/simple.ts';
import { runSteps } from '../../base/steps.ts';
import { textsOf } from '../../embed/embedder.ts';
import { inMemory } from '../../storage/spill.ts';
import { InvertedReader } from '../inverted-reader.ts';
import { type InvertedInput, joinMergedTerms, mergingTermPart } from '../merge.ts';
import { InvertedWriter } from './inverted-writer.ts';
import type { PartFiles } from './term-parts.ts';

const seed = 20_261_123;

function build(texts: readonly string[]): InvertedReader {
  const writer = new InvertedWriter({ kind: 'text', analyzer: simpleAnalyzer });
  const starts = Int32Array.from({ length: texts.length + 1 }, (_, i) => i);
  writer.add(0, texts.length, { kind: 'bytes', starts, ...textsOf(texts) });
  const bytes = Buffer.concat(writer.finish(texts.length));
  const region = plainArena(bytes.length + (1 << 21)).allocate(bytes.length);
  region.bytes.set(bytes);
  return InvertedReader.open(region, texts.length, 'text');
}

/** Each of `every` documents is dropped; 0: none. */
function inputsOf(segments: readonly (readonly string[])[], every: number) {
  let docs = 0;
  const inputs = segments.map((texts): InvertedInput => {
    const docMap = Int32Array.from(texts, (_, doc) =>
      every > 0 && doc % every === every - 1 ? -1 : docs++,
    );
    return { reader: texts.length === 0 ? null : build(texts), docMap };
  });
  return { inputs, docs };
}

/** The component, merged in parts. */
function mergedInParts(inputs: readonly InvertedInput[], docs: number, parts: number, best = true) {
  const directory = new MemoryDirectory();
  const files = Array.from({ length: parts }, (_, part): PartFiles => {
    return { directory, name: (file) => `part${part}-${file}` };
  });
  // Parts are independent of each other: the last one comes first.
  for (let part = parts - 1; part >= 0; part--) {
    runSteps(mergingTermPart(inputs, docs, { part, parts }, files[part], best));
  }
  const sizes = files.map(({ name }) => directory.size(name('terms')));
  const bytes = Buffer.concat(inMemory(joinMergedTerms(inputs, docs, files, best)));
  expect(directory.list()).toEqual([]);
  return { bytes, sizes };
}

/** A text of some words of a vocabulary in which few words are frequent. */
const textOf = (doc: number): string =>
  Array.from({ length: 30 }, (_, i) => `w${(doc * i * i + i) % (5 + 70 * (i % 11))}`).join(' ');

describe('a text component that is merged in parts', () => {
  test.each([1, 2, 3, 8])('has the bytes of a merge in one, with %i parts', (parts) => {
    const segments = [0, 1, 2].map((segment) =>
      Array.from({ length: 900 }, (_, i) => textOf(1000 * segment + i)),
    );
    for (const [every, bestDocs] of [
      [0, true],
      [7, true],
      [7, false],
    ] as const) {
      const { inputs, docs } = inputsOf(segments, every);
      const { bytes, sizes } = mergedInParts(inputs, docs, parts, bestDocs);
      expect(bytes.equals(Buffer.concat(mergeInverted(inputs, docs, { bestDocs })))).toBe(true);
      expect(Math.min(...sizes)).toBeGreaterThan(0);
    }
  });

  test('has them whatever its documents are', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'bc', 'ab1', 'zz', 'é'), { maxLength: 9 });
    const segment = fc.array(text, { maxLength: 40 });
    fc.assert(
      fc.property(
        fc.array(segment, { minLength: 1, maxLength: 3 }),
        fc.nat(4),
        fc.integer({ min: 1, max: 5 }),
        (segments, every, parts) => {
          const texts = segments.map((docs) => docs.map((words) => words.join(' ')));
          const { inputs, docs } = inputsOf(texts, every);
          if (inputs.every(({ reader }) => reader === null)) return;
          const { bytes } = mergedInParts(inputs, docs, parts);
          expect(bytes.equals(Buffer.concat(mergeInverted(inputs, docs)))).toBe(true);
        },
      ),
      { seed, numRuns: 100 },
    );
  });
});
