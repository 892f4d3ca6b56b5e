import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokensOfJson } from '../../base/tokens.ts';
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
          const { hits, isCut } = pageOfHits(views, budget, { withRows });
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
    const { hits, isCut } = pageOfHits(views, 1200, { withRows: true });
    expect(hits).toHaveLength(5);
    expect(isCut).toBe(true);
    for (const { row, row_omitted } of hits) expect(row !== undefined || row_omitted).toBe(true);
  });

  it('has whole rows if there is room', () => {
    const views = [hit(0, 100), hit(1, 100)];
    const { hits, isCut } = pageOfHits(views, 4000, { withRows: true });
    expect(hits.map(({ row }) => row)).toEqual(views.map(({ row }) => row));
    expect(isCut).toBe(false);
  });

  it('cuts no value of named fields that the budget has room for', () => {
    const views = ['a', 'b'].map((key) => ({ key, fields: { title: 'word '.repeat(200), at: 1 } }));
    const cuts = [
      pageOfHits(views, 2000, { namedFields: 2 }).hits[0].cut,
      pageOfHits(views, 2000).hits[0].cut,
      pageOfHits(views, 400, { namedFields: 2 }).hits[0].cut,
    ];
    expect(cuts).toEqual([undefined, ['title'], ['title']]);
    expect(pageOfHits(views, 400, { namedFields: 2 }).hits).toHaveLength(2);
  });

  it('has whole values of named fields as long as all of them fit', () => {
    const views = Array.from({ length: 40 }, (_, i) => hit(i, i === 7 ? 2000 : 40));
    const cutOf = (budget: number) =>
      pageOfHits(views, budget, { namedFields: 2, isTable: true }).hits.filter(({ cut }) => cut);
    expect(cutOf(3000)).toEqual([]);
    expect(cutOf(1000).map(({ key }) => key)).toEqual(['id=7']);
  });

  it('has a fragment if no shown value has it', () => {
    const [title, body] = ['a «leak» here', 'then the «pool» is full'];
    const long = `${'word '.repeat(200)} then the pool is full`;
    const view = { key: 'id=1', fields: { title: 'a leak here again', body: long } };
    const { hits } = pageOfHits([{ ...view, highlight: { title, body, name: '«Ann»' } }], 4000);
    expect(hits[0].highlight).toEqual({ body, name: '«Ann»' });
    const named = { ...view, fields: { ...view.fields, author: 'Ann' } };
    const all = pageOfHits([{ ...named, highlight: { title, name: '«Ann»' } }], 4000);
    expect(all.hits[0]).not.toHaveProperty('highlight');
  });
});
