import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { LazyTable } from './lazy-table.ts';

const MIB = 2 ** 20;

/** A table of so many bytes, made when first asked for. */
const tableOf = (mib: number) => new LazyTable(0, (_: null) => ({ bytes: mib * MIB }));

describe('a lazily built table', () => {
  it('is built after enough requests and then cached', () => {
    const table = new LazyTable(2, (name: string) => ({ bytes: 1, name }));
    expect([table.get('a'), table.get('a')]).toEqual([null, null]);
    const made = table.get('a');
    expect(made).toEqual({ bytes: 1, name: 'a' });
    expect(table.get('a')).toBe(made);
  });

  it('is dropped when least recently used and over the limit', () => {
    const [a, b, c] = [tableOf(40), tableOf(40), tableOf(40)];
    const [first, second] = [a.get(null), b.get(null)];
    expect(a.get(null)).toBe(first);
    c.get(null);
    expect(a.get(null)).toBe(first);
    expect(b.get(null)).not.toBe(second);
  });

  it('is built again after as many requests once it was dropped', () => {
    const rare = new LazyTable(2, (_: null) => ({ bytes: MIB }));
    const asked = () =>
      [rare.get(null), rare.get(null), rare.get(null)].map((made) => made !== null);
    expect(asked()).toEqual([false, false, true]);
    tableOf(96).get(null);
    expect(asked()).toEqual([false, false, true]);
  });

  it('is freed with its key', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const made = (() => new WeakRef(tableOf(1).get(null)!))();
    for (let i = 0; i < 100 && made.deref() !== undefined; i++) {
      await setImmediate();
      collect();
    }
    expect(made.deref()).toBeUndefined();
  });
});
