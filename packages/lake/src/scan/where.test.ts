import { describe, expect, it } from 'vitest';
import { type Field, MapValue, type Type, type Value } from '../schema/type.ts';
import { pruneCondition } from './prune-condition.ts';
import { RowFilter } from './row-filter.ts';
import { vectorOf } from './vectors.ts';
import { parseCondition } from './where.ts';

const STRING: Type = { kind: 'string' };
const COLUMNS: readonly (readonly [string, Type, (i: number) => Value])[] = [
  ['a', { kind: 'int' }, (i) => (i % 7 === 0 ? null : i)],
  ['big', { kind: 'long' }, (i) => BigInt(i) * 10n ** 12n],
  ['s', STRING, (i) => (i % 5 === 0 ? null : `x${i}\0y`)],
  ['d', { kind: 'double' }, (i) => (i === 3 ? Number.NaN : i / 4)],
  ['day', { kind: 'date' }, (i) => i],
  ['ts', { kind: 'timestamptz' }, (i) => BigInt(i) * 86_400_000_000n],
  ['price', { kind: 'decimal', precision: 9, scale: 2 }, (i) => BigInt(i * 100 + 5)],
  ['u', { kind: 'uuid' }, (i) => `00000000-0000-0000-0000-${String(i).padStart(12, '0')}`],
  ['bin', { kind: 'binary' }, (i) => Uint8Array.of(i & 255, 0)],
  [
    'tags',
    { kind: 'list', elementId: 90, elementRequired: false, element: STRING },
    (i) => (i % 3 === 0 ? null : [`t${i}`, null]),
  ],
  [
    'm',
    {
      kind: 'map',
      keyId: 91,
      key: STRING,
      valueId: 92,
      valueRequired: true,
      value: { kind: 'long' },
    },
    (i) => new MapValue([['k', BigInt(i)]]),
  ],
  ['row number', { kind: 'long' }, (i) => BigInt(-i)],
  ['ns', { kind: 'timestamptz_ns' }, (i) => BigInt(i) * 1_000_000_007n],
];
const FIELDS: readonly Field[] = COLUMNS.map(([name, type], i) => ({
  id: i + 1,
  name,
  required: false,
  type,
}));
const ROWS = 3000;

async function matching(where: string): Promise<number[]> {
  const condition = await parseCondition(where, FIELDS);
  const filter = new RowFilter(condition);
  const columns = condition.fields.map((field) => {
    const [, type, make] = COLUMNS[field.id - 1];
    return vectorOf(
      type,
      Array.from({ length: ROWS }, (_, i) => make(i)),
    );
  });
  const batch = { rows: ROWS, columns, file: 'f', positions: new Int32Array(ROWS) };
  try {
    const first = [...(await filter.matching(batch, 0))];
    expect([...(await filter.matching(batch, 0))]).toEqual(first);
    return first;
  } finally {
    filter.close();
  }
}

const rowsWhere = (test: (i: number) => boolean) =>
  Array.from({ length: ROWS }, (_, i) => i).filter(test);

describe('a condition of a scan', () => {
  it.each<readonly [string, (i: number) => boolean]>([
    ['a > 2990', (i) => i > 2990 && i % 7 !== 0],
    ['A IS NULL AND s IS NULL', (i) => i % 35 === 0],
    ["s = 'x2999' || chr(0) || 'y'", (i) => i === 2999],
    ['d = 1.25 OR isnan(d)', (i) => i === 5 || i === 3],
    ["day < DATE '1970-01-03'", (i) => i < 2],
    ["ts >= TIMESTAMPTZ '1978-01-01 00:00:00Z'", (i) => i >= 2922],
    ['price = 7.05', (i) => i === 7],
    ["u = '00000000-0000-0000-0000-000000000012'", (i) => i === 12],
    ["bin = '\\x07\\x00'::BLOB", (i) => i % 256 === 7],
    ["tags[1] = 't5'", (i) => i === 5],
    ["list_contains(list_transform(tags, x -> x || '!'), 't8!')", (i) => i === 8],
    ["m['k'] = 9", (i) => i === 9],
    ['"row number" = -5', (i) => i === 5],
    ["ns < '1970-01-01 00:00:03Z'", (i) => i < 3],
    ['big BETWEEN 5e12::BIGINT AND 7000000000000', (i) => i >= 5 && i <= 7],
    ['a = 5 -- and nothing else', (i) => i === 5],
    ['true) OR (false', () => true],
  ])('%s', async (where, test) => {
    expect(await matching(where)).toEqual(rowsWhere(test));
  });

  it.each([
    ['1=1\n) UNION SELECT 1 FROM rows WHERE (1=1', /more than one condition/],
    ['true) LIMIT (1', /more than one condition/],
    ['true) GROUP BY (a', /more than one condition/],
    ['true) ORDER BY (a', /more than one condition/],
    ['a = 5; DROP TABLE staged', /not SQL/],
    ['1); DROP TABLE staged; SELECT (1', /not SQL|Only SELECT/],
    ['a = (SELECT 1)', /subquery/],
    ["EXISTS (SELECT 1 FROM read_text('/etc/passwd'))", /subquery/],
    ['row_number() OVER () > 1', /window/],
    ['a = $1', /parameter/],
    ['* = 1', /star/],
    ['count(*) > 1', /aggregates/],
    ["read_text('/etc/passwd') IS NULL", /table function/],
    ["a > 'x'", /Could not convert/],
    ['a >', /not SQL/],
    ['', /not SQL/],
    ['x'.repeat(70_000), /longer than/],
  ])('%s is refused', async (where, message) => {
    await expect(matching(where)).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(message),
    });
  });

  it('names a column that is not there', async () => {
    await expect(matching('zz = 1')).rejects.toMatchObject({ reason: 'column_not_found' });
    await expect(matching('rows.a = 1')).rejects.toMatchObject({ reason: 'column_not_found' });
  });
});

describe('the part of a condition that planning uses', () => {
  const compare = (fieldId: number, op: string, value: unknown) => ({
    kind: 'compare',
    fieldId,
    op,
    value,
  });
  it.each<readonly [string, unknown]>([
    ['a > 5', compare(1, '>', 5)],
    ['5 > a', compare(1, '<', 5)],
    ['big = 9223372036854775807', compare(2, '=', 2n ** 63n - 1n)],
    ["s <= 'x'", compare(3, '<=', 'x')],
    ['d >= -1.25', compare(4, '>=', -1.25)],
    ["day = '2020-02-29'", compare(5, '=', 18_321)],
    ["ts < DATE '1970-01-02'", compare(6, '<', 86_400_000_000n)],
    ["ts < TIMESTAMP '1970-01-01 00:00:01'", compare(6, '<', 1_000_000n)],
    ["ts < '1970-01-01T01:00:00+01:00'", compare(6, '<', 0n)],
    ['a IS NULL', { kind: 'is-null', fieldId: 1 }],
    ["s IN ('x', 'y')", { kind: 'in', fieldId: 3, values: ['x', 'y'] }],
    ['a BETWEEN 1 AND 2', { kind: 'and', parts: [compare(1, '>=', 1), compare(1, '<=', 2)] }],
    ['a = 1 AND lower(s) = s', { kind: 'and', parts: [compare(1, '=', 1)] }],
    ['a = 1 OR lower(s) = s', null],
    ['a <> 1', null],
    ['NOT (a BETWEEN 1 AND 2)', null],
    ['a = 1.5', null],
    ['price = 7.05', null],
    ["s IN ('x', NULL)", null],
    ["ts < '1970-01-01 01:00:00 Europe/Rome'", null],
    ['a = big', null],
  ])('%s', async (where, expected) => {
    expect(pruneCondition(await parseCondition(where, FIELDS), FIELDS)).toEqual(expected);
  });
});
