import { appendRows, deleteRows, type Schema, upsertRows } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { changeColumns } from '../../../../test/support/maintenance/index.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const SCHEMA: Schema = {
  schemaId: 0,
  identifierFieldIds: [],
  fields: [
    { id: 1, name: 'id', required: true, type: { kind: 'int' } },
    { id: 2, name: 'title', required: false, type: { kind: 'string' } },
    { id: 3, name: 'size', required: false, type: { kind: 'int' } },
    { id: 4, name: 'score', required: false, type: { kind: 'float' } },
    { id: 5, name: 'price', required: false, type: { kind: 'decimal', precision: 9, scale: 2 } },
    { id: 6, name: 'day', required: false, type: { kind: 'date' } },
    { id: 7, name: 'more', required: false, type: { kind: 'string' } },
  ],
};
const DEFINITION = `key: { identifier: [id] }
fields:
  - { name: title, type: TEXT, cached: true }
  - { name: size, type: LONG, cached: true }
  - { name: score, type: DOUBLE, cached: true }
  - { name: price, type: KEYWORD, cached: true }
  - { name: day, type: DATE, cached: true }`;

let lake: SmallLake;
beforeEach(async () => {
  lake = await openSmallLake();
  await lake.create(SCHEMA);
  await append({}, 0, 6);
  await lake.build(DEFINITION);
});
afterEach(() => lake.close());

const ROW = { title: 'a title', size: 7, score: 1.5, price: '12.50', day: '2025-11-21', more: 'm' };

/** Rows from..to; `names`: what columns are called now, or null where they are not there. */
function rowsOf(names: Readonly<Record<string, string | null>>, from: number, to: number) {
  const rows = Array.from({ length: to - from }, (_, i) => {
    const entries = Object.entries({ id: from + i, ...ROW, size: from + i }).flatMap(
      ([name, value]) => (names[name] === null ? [] : [[names[name] ?? name, value]]),
    );
    return Object.fromEntries(entries);
  });
  return { kind: 'rows' as const, rows };
}
const append = (names: Readonly<Record<string, string | null>>, from: number, to: number) =>
  appendRows(lake.source, rowsOf(names, from, to));
const rename = (from: string, to: string) =>
  changeColumns(lake.source, { kind: 'rename', from, to });
const drop = (name: string) => changeColumns(lake.source, { kind: 'drop', name });
const add = (name: string) =>
  changeColumns(lake.source, { kind: 'add', name, type: { kind: 'string' } });

describe('a schema change of the table', () => {
  test('follows renamed columns by field id, the key too, and ignores new columns', async () => {
    await rename('title', 'heading');
    await rename('id', 'number');
    await add('title');
    await add('id');
    const names = { id: 'number', title: 'heading' };
    await append(names, 6, 8);
    const { rows } = rowsOf(names, 1, 2);
    const changed = { ...rows[0], heading: 'another', title: 'the newcomer', id: '99' };
    await upsertRows(lake.source, { kind: 'rows', rows: [changed] }, ['number']);
    await deleteRows(lake.source, 'number = 0');
    const done = await lake.backend.sync({});
    expect(done).toMatchObject({ inserted: 2, updated: 1, deleted: 1, doc_count: 7 });
    const titles = [...(await lake.documents()).values()] as { title: string }[];
    expect(titles.map(({ title }) => title).sort()[1]).toBe('a title');
    expect(titles.filter(({ title }) => title === 'another')).toHaveLength(1);
    const found = await lake.backend.search({ query: 'another', hydrate: true });
    expect(found.hits).toMatchObject([
      { row: { number: 1, heading: 'another', title: 'the newcomer', id: '99' } },
    ]);
    const identifier = [{ name: 'id', value: '7' }];
    const columns = ['heading', 'size'];
    const { rows: read } = await lake.backend.getKeys({ keys: [{ identifier }], columns });
    expect(read).toMatchObject([{ id: '7', fields: { heading: 'a title', size: 7 } }]);
    const bound = lake.backend.reindex({});
    await expect(bound, 'names are bound anew').rejects.toThrow('"id" is NULL');
  });

  test('keeps keys and row hashes of widened columns, as a build of the table does', async () => {
    const widen = (name: string, type: Schema['fields'][number]['type']) =>
      changeColumns(lake.source, { kind: 'widen', name, type });
    await widen('id', { kind: 'long' });
    await widen('size', { kind: 'long' });
    await append({}, 6, 8);
    await widen('score', { kind: 'double' });
    await widen('price', { kind: 'decimal', precision: 18, scale: 2 });
    await upsertRows(lake.source, rowsOf({}, 2, 4), ['id']);
    await append({}, 8, 9);
    const done = await lake.backend.sync({});
    expect(done).toMatchObject({ inserted: 3, updated: 0, deleted: 0 });
    await lake.expectRebuilt();
  });

  test('applies the snapshots before a dropped column, then stops and says why', async () => {
    await append({}, 6, 7);
    await append({}, 7, 8);
    const last = await lake.head();
    await drop('price');
    expect(await lake.backend.sync({})).toMatchObject({ inserted: 2, snapshots_applied: 2 });
    await append({ price: null }, 8, 9);
    const lacks = await lake.head();
    const refused = {
      code: 'schema_changed',
      message: `column "price" was dropped in snapshot ${lacks}: index "t" uses it`,
      hint: expect.stringContaining(`stays at snapshot ${last}`),
      details: { column: 'price', field_id: 5, snapshot: String(lacks), checkpoint: String(last) },
    };
    await expect(lake.backend.sync({})).rejects.toMatchObject(refused);
    expect((await lake.documents()).size).toBe(8);
    await add('price');
    await append({}, 9, 10);
    await expect(lake.backend.sync({})).rejects.toMatchObject({
      code: 'schema_changed',
      message: `column "price" was dropped in snapshot ${lacks}: index "t" uses it`,
    });
    await lake.backend.reindex({});
    expect((await lake.documents()).size).toBe(10);
  });

  test('separates a column from a new one of the same name', async () => {
    await drop('more');
    await drop('title');
    await add('title');
    await append({ more: null }, 6, 7);
    await expect(lake.backend.sync({})).rejects.toMatchObject({
      code: 'schema_changed',
      message: expect.stringContaining(
        'column "title" was replaced by another column of that name (field id 8, the ' +
          'index follows 2)',
      ),
    });
  });

  test('applies steps whose snapshots still have the column, but no later ones', async () => {
    await append({}, 6, 7);
    await rename('size', 'bytes');
    await append({ size: 'bytes' }, 7, 8);
    await deleteRows(lake.source, 'id = 2');
    await drop('bytes');
    await append({ size: null }, 8, 9);
    await expect(lake.backend.sync({})).rejects.toMatchObject({
      code: 'schema_changed',
      details: { column: 'size' },
    });
    const documents = [...(await lake.documents()).values()] as { size: number }[];
    expect(documents.map(({ size }) => size)).toEqual([0, 1, 3, 4, 5, 6, 7]);
  });

  test('stops at a retyped column, such as a date that became a timestamp', async () => {
    await changeColumns(lake.source, { kind: 'widen', name: 'day', type: { kind: 'timestamp' } });
    await append({ day: null }, 6, 7);
    await expect(lake.backend.sync({})).rejects.toMatchObject({
      code: 'schema_changed',
      message: expect.stringMatching(/^column "day" is timestamp now, not date in snapshot \d+: /),
    });
  });

  test('adds new leaves of a flattened variant', async () => {
    await lake.close();
    lake = await openSmallLake();
    const fields = [SCHEMA.fields[0], { ...SCHEMA.fields[1], type: { kind: 'variant' } as const }];
    await lake.create({ ...SCHEMA, fields }, { formatVersion: 3 });
    const put = (id: number, title: unknown) => lake.append([{ id, title }]);
    await put(1, { color: 'red' });
    await lake.build('key: { identifier: [id] }\nvariants: [{ column: title, flatten: true }]');
    await put(2, { color: 'red', shape: { corners: 'three' } });
    expect(await lake.backend.sync({})).toMatchObject({ inserted: 1 });
    const total = async (query: string) => (await lake.backend.search({ query })).total;
    expect(await total('title.color:red')).toBe(2);
    expect(await total('title.shape.corners:three')).toBe(1);
    await lake.expectRebuilt();
  });
});
