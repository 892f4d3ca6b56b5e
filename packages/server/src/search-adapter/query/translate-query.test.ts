import { describe, expect, it } from 'vitest';
import type { FieldTable } from './field-table.ts';
import { RefusedDsl } from './refusal.ts';
import { translateQuery } from './translate-query.ts';

const TABLE: FieldTable = {
  index: 'tickets',
  fields: new Map(
    [
      ['a', 'TEXT'],
      ['b', 'LONG'],
    ].map(([name, type]) => [name, { name, type, indexed: true, fast: true }]),
  ),
  variants: [],
  key: { partition: [], identifier: ['id'] },
  defaultFields: ['a'],
  now: 0,
};

describe('translateQuery', () => {
  it('translates a bool of single queries and lists', () => {
    const dsl = { bool: { must: { match: { a: 'x' } }, filter: [{ term: { b: 1 } }] } };
    expect(translateQuery(dsl, TABLE).ast).toEqual({
      bool: {
        must: [{ match: { field: 'a', value: 'x', zero_terms: 'none' } }],
        filter: [{ term: { field: 'b', value: '1' } }],
      },
    });
  });

  it('refuses an unknown query by its name', () => {
    const refused = () => translateQuery({ mtch: {} }, TABLE);
    expect(refused).toThrow(RefusedDsl);
    expect(refused).toThrow('unknown query [mtch] did you mean [match]?');
  });
});
