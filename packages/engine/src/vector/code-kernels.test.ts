import { afterEach, describe, expect, it, vi } from 'vitest';
import { seededBelow } from '../../../../test/support/random.ts';
import { CodeKernels } from '../base/code-kernels.ts';
import { fixVectors } from '../base/fixed-vector.ts';
import { VectorWriter } from './vector-writer.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Vectors of which some are zero, some have one component, and magnitudes differ widely. */
function vectorsOf(count: number, dims: number): Float32Array {
  const random = seededBelow(dims);
  const magnitudes = [1e-30, 1e-6, 1, 7, 3e4, 1e30];
  return Float32Array.from({ length: count * dims }, (_, i) => {
    const vector = Math.floor(i / dims);
    if (vector % 7 === 3) return 0;
    if (vector % 7 === 5) return i % dims === 1 ? -1 : 0;
    const magnitude = magnitudes[vector % magnitudes.length];
    return ((random(2_000_001) - 1_000_000) / 1_000_000) * magnitude;
  });
}

describe.each([16, 48, 128, 384, 1024, 100])('the kernels of codes of %i components', (dims) => {
  const count = 300;
  const values = vectorsOf(count, dims);
  const fixed = fixVectors(values, dims);

  it('round as the plain loops do', () => {
    vi.spyOn(CodeKernels, 'portion').mockReturnValue(0);
    const plain = fixVectors(values, dims);
    expect(fixed.scales).toEqual(plain.scales);
    expect(Buffer.compare(bytesOf(fixed.codes), bytesOf(plain.codes))).toBe(0);
  });

  it('write the planes and lengths of the plain loops', () => {
    const written = () => {
      const writer = new VectorWriter({ dims, similarity: 'cosine', index: 'flat' });
      const codes = fixed.codes.slice();
      codes.fill(-32_767, 0, dims);
      const starts = Int32Array.from({ length: count + 1 }, (_, doc) => doc);
      writer.add(count, { kind: 'vector', starts, dims, scales: fixed.scales, codes });
      return Buffer.concat(writer.finish());
    };
    const compiled = written();
    vi.spyOn(CodeKernels, 'portion').mockReturnValue(0);
    expect(Buffer.compare(compiled, written())).toBe(0);
  });
});

const bytesOf = ({ buffer, byteOffset, byteLength }: Int16Array) =>
  new Uint8Array(buffer, byteOffset, byteLength);
