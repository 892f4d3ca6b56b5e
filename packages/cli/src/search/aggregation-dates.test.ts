import type { AggResults } from '@lakehouse-search/contract';
import { isoInstant, withDates } from '@lakehouse-search/contract/internal';
import { describe, expect, it } from 'vitest';
import { instantText } from '../terminal/instants.ts';
import { styleFor } from '../terminal/style.ts';
import { aggregationSpecs } from './aggregation-flags.ts';
import { aggregationLines } from './lines/aggregation-lines.ts';
import { aggregationTable } from './lines/aggregation-rows.ts';

const DAY = 86_400_000_000;
const DATES = new Set(['at']);
const SPECS = {
  at: { date_histogram: { field: 'at', fixed_interval: '1d' } },
  'at stats': { stats: { field: 'at' } },
  last: { max: { field: 'at' } },
  price: { max: { field: 'price' } },
};
const RESULTS: AggResults = {
  at: {
    buckets: [
      { key: 19_000 * DAY, doc_count: 5 },
      { key: 19_001 * DAY, doc_count: 2 },
    ],
  },
  'at stats': { count: 7, min: 0, max: 19_001 * DAY, sum: 12, avg: DAY / 2 },
  last: { value: 19_001 * DAY + 1_500_000 },
  price: { value: 19_001 * DAY },
};
const dated = withDates(RESULTS, SPECS, DATES);
const plain = styleFor({ color: false });

describe('dates of aggregations', () => {
  it('have the form of hits in rows; other figures stay numbers', () => {
    const { rows } = aggregationTable(dated);
    expect(rows.map((row) => row.key ?? row.max ?? row.value)).toEqual([
      '2022-01-08T00:00:00.000000Z',
      '2022-01-09T00:00:00.000000Z',
      '2022-01-09T00:00:00.000000Z',
      '2022-01-09T00:00:01.500000Z',
      19_001 * DAY,
    ]);
  });

  it('are days for people where the time is midnight, and levels have their scale', () => {
    expect(aggregationLines(dated, SPECS, plain, 120)).toEqual([
      'at        2022-01-08 █▄ 2022-01-09  2 to 5, most at 2022-01-08',
      'at stats  count 7 · min 1970-01-01 · max 2022-01-09 · avg 1970-01-01 12:00',
      'last      2022-01-09 00:00:01.5',
      'price     1,641,686,400,000,000',
    ]);
  });

  it('stand beside averages with two digits behind the point, or six in all', () => {
    const values = { a: { value: 13_412_513.25 }, b: { value: 2 / 3 }, c: { value: -1234.56789 } };
    const lines = aggregationLines(values, {}, plain, 120);
    expect(lines).toEqual(['a  13412513.25', 'b  0.666667', 'c  -1234.57']);
  });

  it('stand beside keys of four digits without commas, which may be years', () => {
    const buckets = [1950, 20_000].map((key) => ({ key, doc_count: 1234 }));
    const lines = aggregationLines({ year: { buckets } }, {}, plain, 120);
    expect(lines.map((line) => line.replace(/ *█+$/, ''))).toEqual([
      'year  1950    1,234',
      '      20,000  1,234',
    ]);
  });

  it('stay as they are where they cannot be told as a date', () => {
    expect(isoInstant('9223372036854775807')).toBe('9223372036854775807');
    expect(isoInstant(-1)).toBe('1969-12-31T23:59:59.999999Z');
    expect(instantText('2024-06-01T14:22:10.500000Z')).toBe('2024-06-01 14:22:10.5');
    expect(instantText('2024-06-01')).toBe('2024-06-01');
  });
});

describe('histograms of numbers', () => {
  it('are asked for by a number as the interval', async () => {
    const specs = await aggregationSpecs({ histogram: ['price:100', 'at:7d'], avg: ['price'] });
    expect(specs).toEqual({
      price: { histogram: { field: 'price', interval: 100, min_doc_count: 0 } },
      at: { date_histogram: { field: 'at', fixed_interval: '7d', min_doc_count: 0 } },
      'price avg': { avg: { field: 'price' } },
    });
  });

  it.each(['at:fortnight', 'at:days', 'at:'])('refuse "%s" with the intervals', async (text) => {
    await expect(aggregationSpecs({ histogram: [text] })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('--histogram'),
    });
  });

  it('have a figure beside each bar', () => {
    const specs = { price: { histogram: { field: 'price', interval: 100 } } };
    const buckets = [
      { key: 0, doc_count: 4 },
      { key: 100, doc_count: 1 },
    ];
    expect(aggregationLines({ price: { buckets } }, specs, plain, 80)).toEqual([
      'price  0    4 ████████████████████',
      '       100  1 █████',
    ]);
    const cut = { buckets, total_buckets: 11 };
    const line = aggregationLines({ price: cut }, specs, plain, 80).at(-1);
    expect(line).toBe('       2 of 11 buckets shown; raise size');
  });
});
