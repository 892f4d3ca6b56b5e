import type { FieldDescription } from '@lakehouse-search/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { barsOf, boundOf, cutOf } from './buckets.ts';

const field = (type: string) => ({ name: 'f', type }) as FieldDescription;
const micros = (iso: string) => Date.parse(iso) * 1000;

describe('cuts of a histogram', () => {
  it.each([
    ['2024-01-01T00:00:00Z', '2024-01-01T00:00:40Z', { fixed_interval: '1s' }],
    ['2024-01-01T00:00:00Z', '2024-01-02T00:00:00Z', { fixed_interval: '1h' }],
    ['2024-01-01T00:00:00Z', '2024-02-20T00:00:00Z', { calendar_interval: 'day' }],
    ['2021-01-01T00:00:00Z', '2024-02-20T00:00:00Z', { calendar_interval: 'month' }],
    ['1024-01-01T00:00:00Z', '2024-02-20T00:00:00Z', { calendar_interval: 'decade' }],
  ])('of %s to %s are %j', (from, to, interval) => {
    const { agg } = cutOf(field('DATE'), micros(from), micros(to));
    expect(agg).toEqual({ date_histogram: { field: 'f', ...interval } });
  });

  it('of numbers make at most 60 bars of a round width', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), fc.boolean(), (span, isLong) => {
        const { agg } = cutOf(field(isLong ? 'LONG' : 'DOUBLE'), 0, span);
        const { interval } = (agg as { histogram: { interval: number } }).histogram;
        expect(span / interval).toBeLessThanOrEqual(60);
        expect(span / interval).toBeGreaterThanOrEqual(Math.min(span, 20) / 1.01);
      }),
    );
  });

  it('fill the bars that no document is in, by the calendar', () => {
    const cut = cutOf(
      field('DATE'),
      micros('2022-01-01T00:00:00Z'),
      micros('2024-06-01T00:00:00Z'),
    );
    const bars = barsOf(
      [
        { key: micros('2024-01-01T00:00:00Z'), doc_count: 2 },
        { key: micros('2024-04-01T00:00:00Z'), doc_count: 1 },
      ],
      cut,
    );
    expect(bars.map(({ from, count }) => [boundOf(from, 'DATE'), count])).toEqual([
      ['2024-01-01T00:00:00Z', 2],
      ['2024-02-01T00:00:00Z', 0],
      ['2024-03-01T00:00:00Z', 0],
      ['2024-04-01T00:00:00Z', 1],
    ]);
    expect(boundOf(1.5, 'DOUBLE')).toBe('1.5');
  });
});
