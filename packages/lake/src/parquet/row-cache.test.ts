import { describe, expect, it } from 'vitest';
import { RowCache } from './row-cache.ts';

describe('the cache of rows', () => {
  it('keeps the rows that were asked for last, within its budget', () => {
    const cache = new RowCache(64_000);
    for (let i = 0; i < 100; i++) {
      cache.set(`1/${i}`, [i], 1000);
      cache.get('1/0');
      expect(cache.bytes).toBeLessThanOrEqual(64_000);
    }
    expect(cache.get('1/0')?.values).toEqual([0]);
    expect(cache.get('1/1')).toBeUndefined();
    expect(cache.get('1/99')?.values).toEqual([99]);
  });

  it('keeps no row that would push many others out', () => {
    const cache = new RowCache(64_000);
    cache.set('1/0', ['large'], 10_000);
    expect([cache.get('1/0'), cache.bytes]).toEqual([undefined, 0]);
  });

  it('forgets the rows of a file', () => {
    const cache = new RowCache(64_000);
    cache.set('1/0', [0], 10);
    cache.set('11/0', [1], 10);
    cache.forget('1/');
    expect(cache.get('1/0')).toBeUndefined();
    expect(cache.get('11/0')?.values).toEqual([1]);
    cache.forget('11/');
    expect(cache.bytes).toBe(0);
  });
});
