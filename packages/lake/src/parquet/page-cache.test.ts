import { describe, expect, it } from 'vitest';
import { newCacheOwner, PageCache } from './page-cache.ts';

describe('a page beyond the budget of the cache', () => {
  it('is made once as long as a reader holds it, and is not counted', async () => {
    const cache = new PageCache(100);
    const owner = newCacheOwner();
    let made = 0;
    const load = async () => ({ value: { page: ++made }, bytes: 101 });
    const first = await cache.get(`${owner}a`, load);
    expect(await cache.get(`${owner}a`, load)).toBe(first);
    expect([made, cache.bytes]).toEqual([1, 0]);
  });

  it('is forgotten with its file', async () => {
    const cache = new PageCache(100);
    const owner = newCacheOwner();
    let made = 0;
    const load = async () => ({ value: { page: ++made }, bytes: 101 });
    const first = await cache.get(`${owner}a`, load);
    cache.forget(owner);
    expect(await cache.get(`${owner}a`, load)).not.toBe(first);
  });
});
