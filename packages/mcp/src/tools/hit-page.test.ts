import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokensOfJson } from '../base/tokens.ts';
import { pageOfHits } from './hit-page.ts';
import type { HitView } from './hit-view.ts';

const hit = (i: number, chars: number): HitView => ({
  key: `id=${i}`,
  score: 1,
  fields: { title: `hit ${i}`, body: 'x'.repeat(chars) },
  row: { title: `hit ${i}`, body: 'x'.repeat(chars), more: 'y'.repeat(chars) },
  hash: '0'.repeat(16),
});
const sizeOf = (hits: readonly HitView[]) => tokensOfJson(hits as never);

describe('a page of hits under a budget', () => {
  it('fits, keeps the order, and has at least one hit', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 5000 }), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 150, max: 5000 }),
        fc.boolean(),
        (lengths, budget, withRows) => {
          const views = lengths.map((chars, i) => hit(i, chars));
          const { hits, isCut } = pageOfHits(views, budget, withRows);
          expect(hits.length).toBeGreaterThan(0);
          expect(hits.map(({ key }) => key)).toEqual(
            views.slice(0, hits.length).map(({ key }) => key),
          );
          expect(sizeOf(hits)).toBeLessThanOrEqual(budget + hits.length);
          if (hits.length < views.length) expect(isCut).toBe(true);
        },
      ),
    );
  });

  it('shows previews of all hits before the first row', () => {
    const views = Array.from({ length: 5 }, (_, i) => hit(i, 4000));
    const { hits, isCut } = pageOfHits(views, 1200, true);
    expect(hits).toHaveLength(5);
    expect(isCut).toBe(true);
    for (const { row, row_omitted } of hits) expect(row !== undefined || row_omitted).toBe(true);
  });

  it('has whole rows if there is room', () => {
    const views = [hit(0, 100), hit(1, 100)];
    const { hits, isCut } = pageOfHits(views, 4000, true);
    expect(hits.map(({ row }) => row)).toEqual(views.map(({ row }) => row));
    expect(isCut).toBe(false);
  });
});
