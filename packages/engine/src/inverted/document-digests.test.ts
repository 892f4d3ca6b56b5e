import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainArena } from '../../../../test/support/plain-arena.ts';
import { simpleAnalyzer } from '../analysis/simple.ts';
import type { FieldBlock } from '../schema/field-block.ts';
import { addTermDigests } from './document-digests.ts';
import { InvertedReader } from './inverted-reader.ts';
import { InvertedWriter } from './write/inverted-writer.ts';

const SEED = 20_261_122;
const text = { kind: 'text', analyzer: simpleAnalyzer } as const;
const encoder = new TextEncoder();

/** One text per document -> an open component. */
function build(docs: readonly string[], plan: typeof text | { kind: 'keyword' }): InvertedReader {
  const values = docs.map((value) => encoder.encode(value));
  const starts = Int32Array.from({ length: docs.length + 1 }, (_, i) => i);
  const offsets = new Int32Array(docs.length + 1);
  values.forEach((value, i) => {
    offsets[i + 1] = offsets[i] + value.length;
  });
  const block: FieldBlock = { kind: 'bytes', starts, offsets, bytes: Buffer.concat(values) };
  const writer = new InvertedWriter(plan);
  writer.add(0, docs.length, block);
  const bytes = Buffer.concat(writer.finish(docs.length));
  const region = plainArena(bytes.length + (1 << 21)).allocate(bytes.length);
  region.bytes.set(bytes);
  return InvertedReader.open(region, docs.length, plan.kind);
}

function digests(docs: readonly string[], plan: typeof text | { kind: 'keyword' }): string[] {
  const lanes = { low: new Uint32Array(docs.length), high: new Uint32Array(docs.length) };
  const slots = Int32Array.from(docs, (_, i) => i);
  addTermDigests(build(docs, plan), slots, lanes);
  return docs.map((_, i) => `${lanes.low[i]}:${lanes.high[i]}`);
}

const word = fc.constantFrom('a', 'b', 'c', 'night', 'train');
const sentence = fc.array(word, { maxLength: 40 }).map((words) => words.join(' '));

describe.each([
  ['text', text],
  ['keyword', { kind: 'keyword' } as const],
])('digests of %s documents', (_, plan) => {
  it('are equal where terms and positions are, in whatever company', () => {
    fc.assert(
      fc.property(fc.array(sentence, { minLength: 2, maxLength: 300 }), (docs) => {
        const found = digests(docs, plan);
        const alone = new Map(docs.map((doc) => [doc, digests([doc], plan)[0]]));
        expect(found).toEqual(docs.map((doc) => alone.get(doc)));
        expect(new Set(found).size).toBe(new Set(docs).size);
      }),
      { seed: SEED, numRuns: 60 },
    );
  });

  it('leave out documents without a slot', () => {
    const lanes = { low: new Uint32Array(1), high: new Uint32Array(1) };
    addTermDigests(build(['a b', 'a', 'b'], plan), Int32Array.of(-1, 0, -1), lanes);
    expect(`${lanes.low[0]}:${lanes.high[0]}`).toBe(digests(['a'], plan)[0]);
  });
});
