import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketOfNumber, bucketStart } from './number-buckets.ts';

const WIDTHS = [0.1, 0.01, 0.25, 1, 3, 7.5, 100, 1e-9, 1e9];

describe('buckets of doubles', () => {
  it('hold a value between their beginning and the next one', () => {
    const value = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(value, fc.constantFrom(...WIDTHS), (x, width) => {
        const bucket = bucketOfNumber(x, width);
        expect(bucketStart(bucket, width)).toBeLessThanOrEqual(x);
        expect(bucketStart(bucket + 1, width)).toBeGreaterThan(x);
      }),
      { numRuns: 2000 },
    );
  });

  it('begin at the decimals that people write', () => {
    const decimals = [0.1, 0.2, 0.3, 0.6, 0.7, 1.1, 2.9];
    expect(decimals.map((x) => bucketStart(bucketOfNumber(x, 0.1), 0.1))).toEqual(decimals);
    expect(bucketStart(bucketOfNumber(-0.05, 0.1), 0.1)).toBe(-0.1);
  });

  it('are refused where they cannot be told apart', () => {
    expect(() => bucketOfNumber(1e300, 0.5)).toThrow('too far from 0 for a histogram interval');
  });
});
