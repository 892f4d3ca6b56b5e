import { describe, expect, it } from 'vitest';
import { aggregationSpecs } from './aggregation-flags.ts';

describe('flags of aggregations', () => {
  it('take figures of all matches and of each value, and stats of all matches', async () => {
    const figures = {
      'price avg': { avg: { field: 'price' } },
      'at max': { max: { field: 'at' } },
    };
    const flags = { avg: ['price'], max: ['at'], stats: ['n'], terms: ['kind'] };
    expect(await aggregationSpecs({ ...flags, histogram: ['n:5'] })).toEqual({
      kind: { terms: { field: 'kind' }, aggs: figures },
      n: { histogram: { field: 'n', interval: 5, min_doc_count: 0 } },
      'n stats': { stats: { field: 'n' } },
      ...figures,
    });
    expect(await aggregationSpecs({ terms: ['kind'] })).toEqual({
      kind: { terms: { field: 'kind' } },
    });
  });
});
