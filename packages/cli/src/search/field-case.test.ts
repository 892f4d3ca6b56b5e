import { LhsError } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { describe, expect, it } from 'vitest';
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

  it('stay as they are without an index', async () => {
    expect(await written({ sort: 'sales' }, 'none')).toEqual({ sort: 'sales' });
  });
});
