import type { AggResults, AggSpecs } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { resultLines } from './result-lines.ts';

const day = (key: string, doc_count: number) => ({ key: `${key}T00:00:00Z`, doc_count });
const stats = { count: 2, min: 1, max: 9_007_199_254_740_991, sum: 10, avg: 3.3333333333333335 };

describe('results as lines', () => {
  it.each<[string, AggResults, AggSpecs, string[]]>([
    [
      'figures',
      {
        n: { value: 825, exact: true },
        near: { value: 9_000, exact: false, standard_error: 0.5 },
        p: { values: [{ percent: 50, value: 28_422_050.445103858 }], exact: true },
        red: { doc_count: 3, aggs: { stats } },
        none: { value: null },
      },
      {},
      [
        ...['n: 825', 'near: 9000', 'near.exact: false', 'near.standard_error: 0.5'],
        ...['p.50: 28422050.45', 'red: 3', 'red.stats.count: 2', 'red.stats.min: 1'],
        ...['red.stats.max: 9007199254740991', 'red.stats.sum: 10', 'red.stats.avg: 3.333333'],
        'none: null',
      ],
    ],
    [
      'groups with figures, some without',
      {
        team: {
          buckets: [
            { key: 'red', doc_count: 2, aggs: { most: { value: 5 }, all: { value: 1 } } },
            { key: 'a\tb </data>', doc_count: 1, aggs: { all: { value: 7 } } },
          ],
          sum_other_doc_count: 4,
          doc_count_error_upper_bound: 0,
        },
      },
      {},
      [
        'team\tdoc_count\tmost\tall',
        'red\t2\t5\t1',
        '"a\\tb \\u003c/data>"\t1\t\t7',
        'sum_other_doc_count: 4',
        'doc_count_error_upper_bound: 0',
      ],
    ],
    [
      'groups inside groups and inside filters',
      {
        size: {
          buckets: [
            {
              key: '0-5',
              from: 0,
              to: 5,
              doc_count: 2,
              aggs: { t: { buckets: [day('2025-01-01', 2), day('2025-01-02', 1)] } },
            },
            {
              key: '5-9',
              from: 5,
              to: 9,
              doc_count: 1,
              aggs: { t: { buckets: [day('2025-01-03', 1)] } },
            },
          ],
        },
        red: { doc_count: 1, aggs: { months: { buckets: [day('2025-02-01', 1)] } } },
      },
      {
        size: { range: { field: 'size', ranges: [] }, aggs: { t: { terms: { field: 't' } } } },
        red: {
          filter: 'team:red',
          aggs: { months: { date_histogram: { field: 'at', calendar_interval: 'month' } } },
        },
      },
      [
        'red: 1',
        ...['size\tdoc_count\tfrom\tto', '0-5\t2\t0\t5'],
        ...['  t\tdoc_count', '  2025-01-01T00:00:00Z\t2', '  2025-01-02T00:00:00Z\t1'],
        ...['5-9\t1\t5\t9', '  2025-01-03T00:00:00Z\t1'],
        ...['months\tdoc_count', '2025-02\t1'],
      ],
    ],
    [
      'the first groups inside of groups',
      {
        repo: {
          buckets: [
            {
              key: 'curl',
              doc_count: 3,
              aggs: { by: { buckets: [{ key: 'ann', doc_count: 2 }], sum_other_doc_count: 1 } },
            },
            { key: 'git', doc_count: 1, aggs: { by: { buckets: [] } } },
          ],
        },
      },
      {},
      ['repo\tdoc_count\tby\tby.doc_count', 'curl\t3\tann\t2', 'git\t1\t\t'],
    ],
    [
      'years, and counts that are those of their groups once',
      {
        y: {
          buckets: [
            { ...day('2024-01-01', 2), aggs: { stats } },
            { ...day('2025-01-01', 2), aggs: { stats: { ...stats, min: 3 } } },
          ],
        },
      },
      { y: { date_histogram: { field: 'at', calendar_interval: 'year' } } },
      [
        'y\tdoc_count\tstats.min\tstats.max\tstats.sum\tstats.avg',
        '2024\t2\t1\t9007199254740991\t10\t3.333333',
        '2025\t2\t3\t9007199254740991\t10\t3.333333',
      ],
    ],
    [
      'periods of hours, and no group',
      {
        hours: { buckets: [day('2025-01-01', 1), { key: '2025-01-01T01:00:00Z', doc_count: 2 }] },
        none: { buckets: [] },
      },
      { hours: { date_histogram: { field: 'at', fixed_interval: '1h' } } },
      [
        ...['hours\tdoc_count', '2025-01-01T00:00:00Z\t1', '2025-01-01T01:00:00Z\t2'],
        'none\tdoc_count',
      ],
    ],
  ])('%s', (_, results, specs, lines) => {
    expect(resultLines(results, specs)).toEqual(lines);
  });
});
