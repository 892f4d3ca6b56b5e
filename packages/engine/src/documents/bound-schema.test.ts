import type { Field, Schema, Type } from '@lakehouse-search/lake';
import { describe, expect, test } from 'vitest';
import { followColumns, schemaChanged } from './bound-schema.ts';

const field = (id: number, name: string, type: Type): Field => ({
  id,
  name,
  required: false,
  type,
});
const schema = (...fields: Field[]): Schema => ({ schemaId: 3, fields, identifierFieldIds: [1] });
const decimal = (precision: number, scale: number): Type => ({ kind: 'decimal', precision, scale });
const list = (element: Type, elementId = 9): Type => {
  return { kind: 'list', elementId, elementRequired: false, element };
};
const INT: Type = { kind: 'int' };
const LONG: Type = { kind: 'long' };
const STRING: Type = { kind: 'string' };

describe('columns of an index in a table schema', () => {
  test('are found by field id, with the bound names in the bound order', () => {
    const bound = { ...schema(field(2, 'title', STRING), field(1, 'id', INT)), schemaId: 0 };
    const table = schema(
      field(1, 'number', LONG),
      field(7, 'title', INT),
      field(2, 'head', STRING),
    );
    expect(followColumns(bound, table)).toEqual({
      schema: schema(field(2, 'title', STRING), field(1, 'id', LONG)),
    });
  });

  test.each<[string, Type, Type, Type | null]>([
    ['int to long', INT, LONG, LONG],
    ['long in an older schema', LONG, INT, LONG],
    ['float to double', { kind: 'float' }, { kind: 'double' }, { kind: 'double' }],
    ['more digits', decimal(9, 2), decimal(18, 2), decimal(18, 2)],
    ['another scale', decimal(9, 2), decimal(18, 3), null],
    ['date to timestamp', { kind: 'date' }, { kind: 'timestamp' }, null],
    ['int to double', INT, { kind: 'double' }, null],
    ['elements of a list', list(INT), list(LONG), list(LONG)],
    ['a list for a value', STRING, list(STRING), null],
    ['fixed of another length', { kind: 'fixed', length: 4 }, { kind: 'fixed', length: 8 }, null],
  ])('%s', (_, from, to, wanted) => {
    const { schema: followed } = {
      schema: undefined,
      ...followColumns(schema(field(1, 'a', from)), schema(field(1, 'b', to))),
    };
    expect(followed?.fields[0].type ?? null).toEqual(wanted);
  });

  test('are named if they are lost, with the reason and the way out', () => {
    const bound = schema(field(1, 'a', STRING));
    const why = (table: Schema) => followColumns(bound, table).lost?.why;
    expect(why(schema())).toBe('was dropped');
    expect(why(schema(field(4, 'a', STRING)))).toBe(
      'was replaced by another column of that name (field id 4, the index follows 1)',
    );
    expect(why(schema(field(1, 'a', INT)))).toBe('is int now, not string');
    const byRow = schema(field(2_147_483_447, '_row', STRING));
    expect(followColumns(byRow, schema(field(2_147_483_540, '_row_id', LONG))).lost?.why).toBe(
      'does not tell rows apart any more: the table has another format version',
    );
    const lost = { name: 'a', id: 1, why: 'was dropped' };
    expect(schemaChanged('t', lost, '7', '6')).toMatchObject({
      code: 'schema_changed',
      message: 'column "a" was dropped in snapshot 7: index "t" uses it',
      hint: 'the index stays at snapshot 6; change its definition, then build it again',
      next: [{ step: 'reindex', index: 't' }],
    });
  });
});
