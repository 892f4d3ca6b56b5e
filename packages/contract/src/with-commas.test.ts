import { describe, expect, it } from 'vitest';
import { withCommas } from './with-commas.ts';

describe('withCommas', () => {
  it('writes whole numbers as the locale en-US does', () => {
    for (const magnitude of [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e9, 1e15]) {
      for (const n of [magnitude, -magnitude, magnitude - 1, 9 * magnitude]) {
        expect(withCommas(n)).toBe(n.toLocaleString('en-US'));
      }
    }
  });
});
