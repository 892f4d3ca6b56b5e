import { LhsError } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { describe, expect, it, vi } from 'vitest';
import { described } from './described.ts';
import { inFieldCase } from './field-case.ts';

const NAMES = ['Sales', 'Postal_Code', 'Sub-Category', 'City', 'city', 'Order_Date', 'Score'];
const backend = {
  describeIndex: async ({ index }: { index: string }) => {
    if (index === 'none') throw new LhsError('index_not_found', 'there is no index "none"');
    return { fields: NAMES.map((name) => ({ name })) };
  },
} as unknown as BackendApi;
const written = (flags: object, index = 'orders') => inFieldCase(flags, index, backend);

describe('names of fields in flags', () => {
  it.each([
    [{ sort: 'sales' }, { sort: 'Sales' }],
    [{ sort: '-sales' }, { sort: '-Sales' }],
    [{ sort: 'sales:desc,_score' }, { sort: 'Sales:desc,_score' }],
    [{ sort: 'postal code desc' }, { sort: 'Postal_Code desc' }],
    [{ sort: '_score,score' }, { sort: '_score,Score' }],
    [{ sort: 'CITY' }, { sort: 'CITY' }],
    [{ sort: 'city' }, { sort: 'city' }],
    [{ sort: '-sale' }, { sort: '-sale' }],
    [{ fields: 'sales, sub_category' }, { fields: 'Sales, Sub-Category' }],
    [{ facet: ['subcategory', 'Sales'] }, { facet: ['Sub-Category', 'Sales'] }],
    [{ histogram: ['order date:hour_of_day'] }, { histogram: ['Order_Date:hour_of_day'] }],
    [
      { avg: ['SALES'], filter: 'sales' },
      { avg: ['Sales'], filter: 'sales' },
    ],
  ])('%j: %j', async (flags, expected) => {
    expect(await written(flags)).toEqual(expected);
  });

  it('are read in one description for all parts of a command', async () => {
    const describeIndex = vi.fn(async () => ({ fields: NAMES.map((name) => ({ name })) }));
    const counted = { describeIndex } as unknown as BackendApi;
    for (const _ of [1, 2]) await inFieldCase({ sort: 'sales' }, 'orders', counted);
    await described(counted, 'orders');
    expect(describeIndex).toHaveBeenCalledOnce();
  });

  it('stay as they are without an index', async () => {
    expect(await written({ sort: 'sales' }, 'none')).toEqual({ sort: 'sales' });
  });
});
