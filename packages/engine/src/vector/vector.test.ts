import { describe, expect, test } from 'vitest';
import { plainArena } from '../../../../test/support/plain-arena.ts';
import { fixVectors } from '../base/fixed-vector.ts';
import { checkVectors } from './check.ts';
import { scoreOf } from './similarity.ts';
import { VectorReader } from './vector-reader.ts';
import { VectorWriter } from './vector-writer.ts';

const arena = plainArena();

function open(parts: readonly Uint8Array[]): VectorReader {
  const bytes = Buffer.concat(parts);
  const region = arena.allocate(bytes.length);
  region.bytes.set(bytes);
  return new VectorReader(region, 'test');
}

describe('stored vectors', () => {
  test('are read back by document, and documents without one have none', () => {
    const values = Float32Array.of(1, 0, -0.5, 0.25, 0.5, 0.75, -1, -1, 1, 0, 0, 0);
    const { scales, codes } = fixVectors(values, 3);
    const writer = new VectorWriter({ dims: 3, similarity: 'cosine', index: 'flat' });
    const starts = Int32Array.of(0, 1, 1, 2, 3, 4);
    writer.add(5, { kind: 'vector', starts, dims: 3, scales, codes });
    writer.add(2, null);
    const reader = open(writer.finish());
    expect([reader.docs, reader.count, reader.dims]).toEqual([7, 3, 3]);
    expect([0, 1, 2, 3, 4, 5, 6].map((doc) => reader.has(doc))).toEqual([
      true,
      false,
      true,
      true,
      false,
      false,
      false,
    ]);
    for (const [doc, at] of [
      [0, 0],
      [2, 3],
      [3, 6],
    ]) {
      const vector = reader.vector(doc);
      for (let c = 0; c < 3; c++) expect(vector?.[c]).toBeCloseTo(values[at + c], 4);
    }
    const problems: string[] = [];
    checkVectors(reader, (problem) => problems.push(problem));
    expect(problems).toEqual([]);
    const found = reader.nearest(Float32Array.of(0, 0, 1), 1, { accept: null });
    expect([...found.docs]).toEqual([2]);
    expect(found.similarities[0]).toBe(reader.similarity(Float32Array.of(0, 0, 1), 2));
    expect(reader.similarity(Float32Array.of(0, 0, 1), 1)).toBeNull();
    const accept = Int32Array.of(0b1001, 0, 0, 0, 0, 0, 0, 0);
    const both = reader.nearest(Float32Array.of(0, 0, 1), 10, { accept });
    expect([...both.docs]).toEqual([3, 0]);
    expect(() => reader.nearest(Float32Array.of(1), 1, { accept: null })).toThrow(TypeError);
  });

  test('have scores that rise with similarity, in the documented scale', () => {
    expect([-1, 0, 1].map((raw) => scoreOf('cosine', raw))).toEqual([0, 0.5, 1]);
    expect([0, -1, -3].map((raw) => scoreOf('l2', raw))).toEqual([1, 0.5, 0.25]);
    expect([-3, 0, 2].map((raw) => scoreOf('dot', raw))).toEqual([0.25, 1, 3]);
    for (const metric of ['cosine', 'dot', 'l2'] as const) {
      let last = -1;
      for (let raw = -1; raw <= 0; raw += 1 / 64) {
        expect(scoreOf(metric, raw)).toBeGreaterThan(last);
        last = scoreOf(metric, raw);
      }
    }
  });
});
