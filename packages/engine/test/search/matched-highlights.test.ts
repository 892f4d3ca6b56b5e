/** `highlight: { matched: true }` marks what the query found, in fields with and without copies. */
import type { Schema, Type } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const text = { kind: 'string' } as const;
const listOf = (elementId: number, element: Type): Type => {
  return { kind: 'list', elementId, element, elementRequired: false };
};
const mapOf = (keyId: number, valueId: number): Type => {
  return { kind: 'map', keyId, valueId, key: text, value: text, valueRequired: false };
};
const SCHEMA: Schema = {
  schemaId: 0,
  identifierFieldIds: [1],
  fields: [
    { id: 1, name: 'id', type: { kind: 'long' }, required: true },
    ...['title', 'body', 'kind', 'town'].map((name, i) => {
      return { id: i + 2, name, type: text, required: false };
    }),
    { id: 6, name: 'size', type: { kind: 'long' }, required: false },
    { id: 7, name: 'weights', type: listOf(8, { kind: 'double' }), required: false },
    { id: 9, name: 'seen', type: { kind: 'timestamptz' }, required: false },
    {
      ...{ id: 10, name: 'farm', required: false },
      type: {
        kind: 'struct',
        fields: [
          { id: 11, name: 'name', type: text, required: false },
          { id: 12, name: 'acres', type: { kind: 'double' }, required: false },
          { id: 13, name: 'staff', type: mapOf(14, 15), required: false },
        ],
      },
    },
  ],
};
const FARMS = [
  { name: 'Long Meadow', acres: 12.5, staff: { boss: 'Ada Red', hand: 'Bo Long' } },
  { name: 'Long Meadow', acres: 7, staff: { boss: 'Cy' } },
  null,
];
const ROWS = [
  { title: 'a red fox', body: 'runs over red earth', kind: 'red', town: 'Bo' },
  { title: 'a hen', body: 'hides from the red fox', kind: 'fox', town: 'Ulm' },
  { title: 'nothing', body: 'of it', kind: 'hen', town: 'RED' },
].map((row, id) => ({
  ...{ id, ...row, size: id * 10, weights: [id + 0.5, -id], seen: `2025-03-0${id + 1}T12:00:00Z` },
  farm: FARMS[id],
}));

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(SCHEMA, { rows: ROWS });
  await lake.build(`key: { identifier: [id] }
default_fields: [title, body]
fields:
  - { name: title, type: TEXT, cached: true }
  - { name: body, type: TEXT }
  - { name: kind, type: KEYWORD, fast: true }
  - { name: town, type: KEYWORD, folded: true }
  - { name: size, type: LONG }
  - { name: weights, type: DOUBLE }
  - { name: seen, type: DATE }
variants:
  - { column: farm, flatten: true }`);
});
afterAll(() => lake.close());

/** The marked fields of each hit, by key, with what is marked. */
async function marked(query: string): Promise<Record<string, Record<string, readonly string[]>>> {
  const { hits } = await lake.backend.search({ query, highlight: { matched: true } });
  const entries = hits.map(({ coordinates, highlight = {} }) => {
    const fields = Object.entries(highlight).map(([name, fragments]) => {
      const segments = fragments.flat().filter((segment) => segment.marked);
      return [name, segments.map((segment) => segment.text)] as const;
    });
    return [coordinates.identifier[0]!.value, Object.fromEntries(fields)] as const;
  });
  return Object.fromEntries(entries);
}

describe('the fields that a query searches', () => {
  it('are marked from the table only if the index has no mark', async () => {
    expect(await marked('red')).toEqual({ 0: { title: ['red'] }, 1: { body: ['red'] } });
  });

  it('are marked from the table if the index has marks of a KEYWORD field alone', async () => {
    expect(await marked('kind:fox AND body:fox')).toEqual({ 1: { kind: ['fox'], body: ['fox'] } });
    expect(await marked('kind:red AND red')).toEqual({ 0: { kind: ['red'], title: ['red'] } });
    expect(await marked('kind:fox AND town:Ulm')).toEqual({ 1: { kind: ['fox'] } });
  });

  it('may be KEYWORD fields, cached or not, folded or not', async () => {
    expect(await marked('kind:red')).toEqual({ 0: { kind: ['red'] } });
    expect(await marked('town:red')).toEqual({ 2: { town: ['RED'] } });
    expect(await marked('kind:fox body:it')).toEqual({ 1: { kind: ['fox'] }, 2: { body: ['it'] } });
  });

  it('may be flattened columns and their paths', async () => {
    expect(await marked('farm:meadow')).toEqual({
      0: { farm: ['Meadow'] },
      1: { farm: ['Meadow'] },
    });
    expect(await marked('farm.staff.boss:Cy farm.staff.hand:Bo*')).toEqual({
      0: { 'farm.staff.hand': ['Bo Long'] },
      1: { 'farm.staff.boss': ['Cy'] },
    });
    expect(await marked('farm.name:"Long Meadow" AND farm.acres:12.5')).toEqual({
      0: { 'farm.name': ['Long Meadow'], 'farm.acres': ['12.5'] },
    });
  });

  it('may be numbers and dates, of which the values in the range are marked', async () => {
    expect(await marked('size:[5 TO 10]')).toEqual({ 1: { size: ['10'] } });
    expect(await marked('size:{10 TO *]')).toEqual({ 2: { size: ['20'] } });
    expect(await marked('weights:<0')).toEqual({ 1: { weights: ['-1'] }, 2: { weights: ['-2'] } });
    expect(await marked('seen:2025-03-01/d')).toEqual({
      0: { seen: ['2025-03-01T12:00:00.000000Z'] },
    });
    expect(await marked('kind:[g TO s]')).toEqual({ 0: { kind: ['red'] }, 2: { kind: ['hen'] } });
  });

  it('may be numbers beside words whose marks are in the table', async () => {
    expect(await marked('body:fox AND size:10 AND -size:[90 TO 99]')).toEqual({
      1: { body: ['fox'], size: ['10'] },
    });
  });

  it('are not named as well', async () => {
    const highlight = { matched: true, fields: ['title'] };
    await expect(lake.backend.search({ query: 'red', highlight })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: '"highlight.fields" and "highlight.matched" exclude each other: send one',
    });
  });
});
