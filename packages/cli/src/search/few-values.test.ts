import type { FieldDescription, IndexDescription } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { describe, expect, it } from 'vitest';
import { fieldsOfFewValues } from './few-values.ts';

const ROWS = 1000;
const field = (name: string, type: string, fast = true) =>
  ({ name, type, indexed: true, fast, cached: false, source: [name] }) as FieldDescription;
const FIELDS = [
  field('sku', 'KEYWORD'),
  field('brand', 'KEYWORD'),
  field('serial', 'KEYWORD'),
  field('title', 'TEXT'),
  field('note', 'KEYWORD', false),
  field('stock', 'LONG'),
  field('severity', 'LONG'),
  field('done', 'BOOL'),
];
const DISTINCT: Readonly<Record<string, number>> = {
  ...{ sku: 3, brand: 12, serial: 990, stock: 400, severity: 4, note: 2 },
};

const index = {
  ...{ index: 'products', num_docs: ROWS, fields: FIELDS },
  key: { partition: [], identifier: ['sku'] },
} as unknown as IndexDescription;

/** Counts the values of a field by the table above. */
const backend = {
  aggregate: async ({ aggs }: { aggs: { values: { cardinality: { field: string } } } }) => {
    return { results: { values: { value: DISTINCT[aggs.values.cardinality.field] } } };
  },
} as unknown as BackendApi;

describe('fields that facets are worth', () => {
  it('come with few values first, and with a single one last', async () => {
    const fields = ['one', 'many', 'few'].map((name) => field(name, 'KEYWORD'));
    const values = { one: 1, many: 400, few: 3 };
    const counting = {
      aggregate: async ({ aggs }: { aggs: { values: { cardinality: { field: string } } } }) => {
        const name = aggs.values.cardinality.field as keyof typeof values;
        return { results: { values: { value: values[name] } } };
      },
    } as unknown as BackendApi;
    const found = await fieldsOfFewValues(counting, { ...index, fields }, ['KEYWORD']);
    expect(found).toEqual(['few', 'many', 'one']);
  });

  it('have few values: no key, no field of nearly distinct values, no quantity', async () => {
    const types = ['KEYWORD', 'BOOL', 'LONG'];
    expect(await fieldsOfFewValues(backend, index, types)).toEqual(['brand', 'done', 'severity']);
  });

  it('come in the order of the types, and only of these', async () => {
    expect(await fieldsOfFewValues(backend, index, ['LONG', 'KEYWORD'])).toEqual([
      'severity',
      'brand',
    ]);
  });
});
