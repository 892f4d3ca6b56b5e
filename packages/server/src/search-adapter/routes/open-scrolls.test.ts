import { describe, expect, it } from 'vitest';
import { MOST_SCROLLS, OpenScrolls } from './open-scrolls.ts';

const pits = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => ({ index: `i${at}`, pit: `${name}${at}` }));

describe('open scrolls', () => {
  it('are limited per caller, by the indexes that they hold', () => {
    const scrolls = new OpenScrolls(() => 0);
    scrolls.open('ann', MOST_SCROLLS - 1, 1000).opened(pits('a', MOST_SCROLLS - 1));
    expect(() => scrolls.open('ann', 2, 1000)).toThrow('too many scroll contexts');
    const opening = scrolls.open('ann', 1, 1000);
    expect(() => scrolls.open('ann', 1, 1000)).toThrow();
    opening.failed();
    scrolls.open('ann', 1, 1000).opened(pits('b', 1));
    scrolls.open('bob', MOST_SCROLLS, 1000).failed();
    scrolls.closed('ann', pits('b', 1));
    scrolls.open('ann', 1, 1000).opened(pits('c', 1));
  });

  it('count until their lifetimes have passed, which pages renew', () => {
    let now = 0;
    const scrolls = new OpenScrolls(() => now);
    scrolls.open('ann', MOST_SCROLLS, 1000).opened(pits('a', MOST_SCROLLS));
    now = 900;
    scrolls.used('ann', pits('a', 1));
    now = 1800;
    expect(() => scrolls.open('ann', 1, 1000)).toThrow();
    now = 1900;
    scrolls.open('ann', 1, 1000).failed();
  });
});
