import { describe, expect, test } from 'vitest';
import { chooseSearch, type WantedSearch } from './search-cost.ts';

const COUNT = 1_000_000;
const SIZES = { docs: COUNT, count: COUNT, headRow: 192, tailRow: 192 };

const choose = (wanted: Partial<WantedSearch> = {}, sizes = SIZES) =>
  chooseSearch(sizes, {
    ...{ k: 10, graph: true, accepted: sizes.docs, exact: false, ef: undefined, search: 'auto' },
    ...wanted,
  });

describe('the choice between a flat search and a graph', () => {
  test('is flat in a segment without a graph', () => {
    expect(choose({ graph: false, search: 'graph' })).toMatchObject({
      ...{ method: 'flat', reason: 'no_graph', graphMs: null },
    });
  });

  test('takes the lower estimate', () => {
    for (const accepted of [COUNT, 500_000, 100_000, 30_000, 10_000, 1000, 1, 0]) {
      const { method, reason, flatMs, graphMs } = choose({ accepted });
      expect(reason).toBe('cheaper');
      expect(method).toBe((graphMs as number) < flatMs ? 'graph' : 'flat');
    }
    expect(choose().method).toBe('graph');
    expect(choose({ accepted: 1000 }).method).toBe('flat');
    const small = { docs: 2000, count: 2000, headRow: 192, tailRow: 192 };
    expect(choose({}, small).method).toBe('flat');
  });

  test('searches a graph for more candidates if fewer documents are accepted', () => {
    const widths = [COUNT, COUNT / 2, COUNT / 4].map((accepted) => choose({ accepted }).width);
    expect(widths[1]).toBe(2 * widths[0]);
    expect(widths[2]).toBe(4 * widths[0]);
    expect(choose({ accepted: 1 }).width).toBe(COUNT);
    const ofSize = (count: number) => choose({}, { ...SIZES, docs: count, count }).width;
    expect([1000, 50_000, 100_000, COUNT].map(ofSize)).toEqual([64, 64, 80, 134]);
    expect(choose({ ef: 500 }).width).toBe(500);
    expect(choose({ ef: 5, k: 20 }).width).toBe(20);
  });

  test('estimates more time for more vectors and for longer ones', () => {
    const long = { ...SIZES, headRow: 384, tailRow: 384 };
    const [short, longer, half] = [choose(), choose({}, long), choose({ accepted: COUNT / 2 - 1 })];
    expect(longer.flatMs).toBeGreaterThan(short.flatMs);
    expect(longer.graphMs).toBeGreaterThan(short.graphMs as number);
    expect(half.graphMs).toBeGreaterThan(short.graphMs as number);
  });

  test('counts the vectors that are accepted where not all documents have one', () => {
    const half = { ...SIZES, docs: 2 * COUNT };
    expect(choose({ accepted: COUNT }, half)).toMatchObject({
      vectors: COUNT,
      accepted: COUNT / 2,
    });
  });

  test('follows the request and the definition', () => {
    expect(choose({ exact: true, search: 'graph' })).toMatchObject({
      ...{ method: 'flat', reason: 'exact' },
    });
    expect(choose({ search: 'flat' })).toMatchObject({ method: 'flat', reason: 'definition' });
    expect(choose({ search: 'graph', accepted: 3 })).toMatchObject({
      ...{ method: 'graph', reason: 'definition' },
    });
  });
});
