import { describe, expect, it } from 'vitest';
import { CacheBudget } from './cache-budget.ts';

function holder(name: string, dropped: string[]) {
  const value = { name, drop: () => void dropped.push(name) };
  return { value, ref: new WeakRef(value) };
}

describe('cached bytes of a process', () => {
  it('is taken from the least recently used, never from the one in use', () => {
    const dropped: string[] = [];
    const kept = new CacheBudget(100);
    const [a, b, c] = ['a', 'b', 'c'].map((name) => holder(name, dropped));
    kept.use(a!.ref, 40);
    kept.use(b!.ref, 40);
    kept.use(a!.ref, 40);
    kept.use(c!.ref, 40);
    expect(dropped).toEqual(['b']);
    kept.use(c!.ref, 130);
    expect(dropped).toEqual(['b', 'a']);
    kept.use(b!.ref, 40);
    expect(dropped).toEqual(['b', 'a', 'c']);
    expect([a, b, c].map((one) => one!.value.name)).toEqual(['a', 'b', 'c']);
  });

  it('is not taken by a holder that is forgotten', () => {
    const dropped: string[] = [];
    const kept = new CacheBudget(100);
    const [a, b] = ['a', 'b'].map((name) => holder(name, dropped));
    kept.use(a!.ref, 90);
    kept.forget(a!.ref);
    kept.use(b!.ref, 90);
    expect(dropped).toEqual([]);
    expect([a, b].map((one) => one!.value.name)).toEqual(['a', 'b']);
  });

  it('counts what a holder takes now', () => {
    const dropped: string[] = [];
    const kept = new CacheBudget(100);
    const [a, b] = ['a', 'b'].map((name) => holder(name, dropped));
    kept.use(a!.ref, 90);
    kept.use(a!.ref, 10);
    kept.use(b!.ref, 90);
    expect(dropped).toEqual([]);
    kept.use(a!.ref, 20);
    expect(dropped).toEqual(['b']);
    expect([a, b].map((one) => one!.value.name)).toEqual(['a', 'b']);
  });
});
