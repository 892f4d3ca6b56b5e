import { describe, expect, it } from 'vitest';
import { Pool } from './pool.ts';

describe('a pool', () => {
  it('gives nobody what another one has', () => {
    const pool = new Pool(() => new Int32Array(1));
    const first = pool.take();
    const second = pool.take();
    expect(second).not.toBe(first);
    pool.give(first);
    expect(pool.take()).toBe(first);
  });

  it('takes back what it lends, also after an error', () => {
    const pool = new Pool(() => new Int32Array(1));
    const lent = pool.lend((item) => item);
    const fail = () =>
      pool.lend((item) => {
        expect(item).toBe(lent);
        throw new TypeError('no');
      });
    expect(fail).toThrow('no');
    expect(pool.take()).toBe(lent);
  });
});
