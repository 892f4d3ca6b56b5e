import { describe, expect, it } from 'vitest';
import { aggSpecs } from './aggregate-request.ts';

describe('flat arguments of aggregate', () => {
  it('nest figures in values in periods', () => {
    expect(aggSpecs({ histogram: 'at', interval: 'day', terms: 'org', stats: 'size' })).toEqual({
      histogram: {
        date_histogram: { field: 'at', calendar_interval: 'day' },
        aggs: {
          terms: {
            terms: { field: 'org', size: 10 },
            aggs: { stats: { stats: { field: 'size' } } },
          },
        },
      },
    });
  });

  it('hold aggregations of the full form in their innermost groups', () => {
    const aggs = { none: { missing: { field: 'org' } } };
    expect(Object.keys(aggSpecs({ cardinality: 'org', aggs }))).toEqual(['cardinality', 'none']);
    expect(aggSpecs({ terms: 'org', aggs })).toEqual({
      terms: { terms: { field: 'org', size: 10 }, aggs },
    });
  });

  it('that name nothing only count', () => {
    expect(aggSpecs({})).toEqual({});
  });
});
