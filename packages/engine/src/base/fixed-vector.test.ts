import { describe, expect, test } from 'vitest';
import { fixVectors } from './fixed-vector.ts';

describe('a fixed-point vector', () => {
  test('is within half a scale of its floats', () => {
    const dims = 7;
    const values = Float32Array.from(
      { length: 3 * dims },
      (_, i) => Math.sin(i * 12.9898) * 10 ** (i % 5),
    );
    const { scales, codes } = fixVectors(values, dims);
    values.forEach((value, i) => {
      const scale = scales[Math.floor(i / dims)]!;
      expect(Math.abs(value - scale * codes[i]!)).toBeLessThanOrEqual(scale * 0.51);
    });
  });

  test('has scale 0 if it is zero', () => {
    const { scales, codes } = fixVectors(new Float32Array(4), 4);
    expect([...scales]).toEqual([0]);
    expect([...codes]).toEqual([0, 0, 0, 0]);
  });
});
