import { DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { importFolder } from '../../../test/import-folder.ts';
import type { ReadingOptions } from '../input/reading-options.ts';

/** JSON texts that are one object. */
const { file, imported } = importFolder('json');

let sql: (query: string) => Promise<unknown[][]>;
beforeAll(async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  sql = async (query) => (await connection.runAndReadAll(query)).getRowsJson();
});

describe('rows of a JSON text that is one object', () => {
  const emoji = Object.fromEntries(
    Array.from({ length: 1914 }, (_, i) => [
      `k"${i}`,
      { name: `emoji ${i}`, slug: `e_${i}`, group: 'x', big: 2 ** 40 + i, tags: ['a', `b${i}`] },
    ]),
  );

  it('are its keys if all of its many members are objects', async () => {
    const path = file('emoji.json', JSON.stringify(emoji, null, 2));
    const { types, rows, read } = await imported(path);
    expect(read?.rows).toEqual({ path: [], isGuess: true });
    expect(Object.keys(types)).toEqual(['key', 'name', 'slug', 'group', 'big', 'tags']);
    expect(rows).toEqual(
      Object.entries(emoji).map(([key, { name, slug, group, big, tags }]) => [
        key,
        name,
        slug,
        group,
        big,
        tags,
      ]),
    );
  });

  it('are its keys if all of its many members are arrays', async () => {
    const words = Object.fromEntries(
      Array.from({ length: 10 }, (_, i) => [`k${i}`, [`word ${i}`, 'x']]),
    );
    const { rows, read } = await imported(file('words.json', JSON.stringify(words)));
    expect(read?.rows).toEqual({ path: [], isGuess: true });
    expect(rows).toEqual(Object.entries(words));
    const few = { ...words, k9: 'text' };
    const whole = await imported(file('mixed.json', JSON.stringify(few)));
    expect([whole.read?.rows, whole.rows.length]).toEqual([undefined, 1]);
  });

  const members = (count: number, value: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]));

  it.each([
    ['arrays', { $meta: { at: 1 }, ...members(10, [{ v: '<1' }]) }, ['$meta'], 11],
    ['objects', { meta: 'x', ...members(10, { a: 1 }), end: [1] }, ['meta', 'end'], 12],
  ])('are its keys if two at most of its many %s are something else', async (_, of, unlike, n) => {
    const { rows, read } = await imported(file('unlike.json', JSON.stringify(of)));
    expect([read?.rows, rows.length]).toEqual([{ path: [], isGuess: true, unlike }, n]);
  });

  it('are not its keys if three of its members are something else', async () => {
    const text = JSON.stringify({ a: 1, b: 2, c: 3, ...members(20, { x: 1 }) });
    expect((await imported(file('three.json', text))).rows).toHaveLength(1);
  });

  it.each([2, 3] as const)('keep objects of too many keys as JSON: format %i', async (version) => {
    const numbered = (name: string, count: number, value: (k: number) => unknown) =>
      Object.fromEntries(Array.from({ length: count }, (_, k) => [`${name}${k}`, value(k)]));
    const rows = Array.from({ length: 3 }, (_, i) => ({
      id: i,
      tags: numbered('group', 60, (g) => numbered('k', 20, (k) => g * k + i)),
      at: { line: i, text: `t${i}` },
    }));
    const path = file(`wide${version}.ndjson`, rows.map((row) => JSON.stringify(row)).join('\n'));
    const read = await imported(path, {}, { formatVersion: version });
    expect(read.types.tags).toBe(version === 3 ? 'variant' : 'string');
    expect(read.types.at).toMatch(/^struct</);
    expect(read.notes).toEqual([{ note: 'wide_objects', columns: ['tags'] }]);
    const values = read.rows.map(([, tags]) => (version === 3 ? tags : JSON.parse(String(tags))));
    expect(values).toEqual(rows.map(({ tags }) => tags));
  });

  it.each([2, 3] as const)('say that lists beside texts are JSON: format %i', async (version) => {
    const emoticons = [':)', ['xD', 'XD'], null, 'b', [], ...Array.from({ length: 50 }, () => 'c')];
    const lines = emoticons.map((face, id) => JSON.stringify({ id, face, n: id || '' }));
    const path = file(`lists${version}.ndjson`, lines.join('\n'));
    const { notes, types, rows } = await imported(path, {}, { formatVersion: version });
    const lists = { note: 'lists_as_text', column: 'face', values: 54, lists: 2 };
    const nearly = { note: 'nearly_typed', column: 'n', values: 55, fitting: 54 };
    expect(notes).toMatchObject(version === 3 ? [] : [lists, nearly]);
    expect(types.face).toBe(version === 3 ? 'variant' : 'string');
    const read = rows.map(([, face]) =>
      version === 2 && String(face).startsWith('[') ? JSON.parse(String(face)) : face,
    );
    expect(read).toEqual(emoticons);
    const kept = await imported(path, { types: { face: 'string', n: 'string' } });
    expect(kept.notes).toEqual([]);
  });

  it('are the features of GeoJSON, and the elements of an envelope', async () => {
    const features = Array.from({ length: 300 }, (_, i) => ({
      type: 'Feature',
      id: `f${i}`,
      properties: { mag: i / 4, place: `p "${i}" ]}` },
      geometry: { type: 'Point', coordinates: [i, -i] },
    }));
    const path = file('quakes.geojson', JSON.stringify({ type: 'FeatureCollection', features }));
    const { rows, read } = await imported(path);
    expect(read?.rows).toEqual({ path: ['features'], isGuess: true });
    const oracle = await sql(
      `SELECT f.type, f.id, f.properties, f.geometry
       FROM (SELECT unnest(features) AS f FROM read_json('${path}'))`,
    );
    expect(rows.map((row) => row[1])).toEqual(oracle.map((row) => row[1]));
    expect(rows.map((row) => row[2])).toEqual(oracle.map((row) => row[2]));
    const nested = file('deep.json', JSON.stringify({ a: { page: 1, items: features } }));
    const deep = await imported(nested, { rowsAt: { path: ['a', 'items'], isGuess: false } });
    expect(deep.rows).toEqual(rows);
    const wrong = imported(nested, { rowsAt: { path: ['a', 'none'], isGuess: false } });
    await expect(wrong).rejects.toThrow(/no object or array at "a.none"/);
  });

  it('are files if only some of them have several elements in a list', async () => {
    const links = [1, 2, 0].map((n) => Array.from({ length: n }, (_, i) => ({ url: `u${i}` })));
    const paths = links.map((list, i) =>
      file(`records/${i}.json`, JSON.stringify({ title: `t${i}`, links: list })),
    );
    const { rows, read } = await imported(paths);
    expect(read?.rows).toBeUndefined();
    expect(rows.map(([title]) => title)).toEqual(['t0', 't1', 't2']);
  });

  it('are the elements of a list that all files have, of many elements', async () => {
    const sizes = [29, 1, 0];
    const paths = sizes.map((size, page) => {
      const items = Array.from({ length: size }, (_, i) => ({ id: `${page}-${i}` }));
      return file(`pages/${page}.json`, JSON.stringify({ page, items }));
    });
    const list = file('pages/list.json', JSON.stringify([{ id: '3-0' }]));
    const { rows, read } = await imported([...paths, list]);
    expect(read?.rows).toEqual({ path: ['items'], isGuess: true, leftOut: ['page'] });
    const ids = sizes.flatMap((size, page) =>
      Array.from({ length: size }, (_, i) => `${page}-${i}`),
    );
    expect(rows).toEqual([...ids, '3-0'].map((id) => [id]));
  });

  it('are the longest list of geometries of TopoJSON, with the others named', async () => {
    const geometries = (n: number) =>
      Array.from({ length: n }, (_, id) => ({ type: 'Point', id, coordinates: [id, id + 1] }));
    const objects = {
      land: { type: 'GeometryCollection', geometries: geometries(1) },
      cities: { type: 'GeometryCollection', geometries: geometries(3) },
      frame: { type: 'Polygon', arcs: [[0]] },
    };
    const text = JSON.stringify({ type: 'Topology', objects, arcs: [[[0, 0]]] });
    const { rows, read } = await imported(file('topo.json', text));
    const path = ['objects', 'cities', 'geometries'];
    const others = [['objects', 'land', 'geometries']];
    expect(read?.rows).toEqual({ path, isGuess: true, others });
    expect(rows).toEqual(geometries(3).map(({ type, id, coordinates }) => [type, id, coordinates]));
  });

  it.each(['{}', '{}\n{}\n', '[]', '[{}]'])('are no table without a key: %j', async (text) => {
    const path = file('nothing.json', text);
    await expect(imported(path, { kind: 'json' })).rejects.toThrow('has no keys or no rows');
  });

  it('may be members of one member, which the output names', async () => {
    const members = (n: number) =>
      Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, { a: i }]));
    const text = JSON.stringify({
      ...members(12),
      api: members(40),
      css: members(20),
      x: members(3),
    });
    const { read } = await imported(file('areas.json', text));
    expect(read?.rows).toEqual({ path: [], isGuess: true, others: [['api'], ['css']] });
  });

  it('may have no key beside rows that have one, or one that DuckDB uses itself', async () => {
    const { rows } = await imported(file('some.ndjson', '{}\n{"a":1}\n'));
    expect(rows).toEqual([[null], [1]]);
    expect((await imported(file('json.ndjson', '{"json":{}}\n{}\n'))).types).toHaveProperty('json');
    const lists = await imported(file('lists.json', '[[1, 2], [3]]'));
    expect(lists).toMatchObject({ types: { value: 'list<long>' }, rows: [[[1, 2]], [[3]]] });
    const texts = await imported(file('texts.ndjson', '"a"\n"b"\n'));
    expect(texts).toMatchObject({ types: { value: 'string' }, rows: [['a'], ['b']] });
  });

  it('are written as they are: numbers of any size, texts across parts of the file', async () => {
    const long = 'é\\"{[,:'.repeat(60_000);
    const text = `{"n": 2, "rows": [ {"big": 12345678901234567890, "t": ${JSON.stringify(long)}},
      {"big": 1, "t": ""} ]}`;
    const { rows } = await imported(file('parts.json', text));
    expect(rows).toEqual([
      ['12345678901234567890', long],
      ['1', ''],
    ]);
  });

  it.each([
    ['a small object', '{"id": 1, "tags": ["a"], "s": {"x": 1}}', {}],
    ['several values', '{"id":1,"l":[{"a":1},{"a":2}]}\n{"id":2,"l":[{"a":1},{"a":2}]}\n', {}],
    ['a named format', '{"id":1,"l":[{"a":1},{"a":2}]}', { kind: 'json' }],
  ] as const)('is itself for %s', async (_, text, options) => {
    const { read, types } = await imported(file('itself.json', text), options);
    expect([read?.rows, types.id]).toEqual([undefined, 'long']);
  });

  it('are its members if the caller says so, also plain ones', async () => {
    const options: ReadingOptions = { rowsAt: { path: [], isGuess: false } };
    const plain = await imported(file('plain.json', '{"Berlin": 3.5, "Köln": 1}'), options);
    expect(plain.rows).toEqual([
      ['Berlin', 3.5],
      ['Köln', 1],
    ]);
    const keyed = file('keyed.json', '{"a": {"key": 7}, "b": {}}');
    expect((await imported(keyed, options)).types).toEqual({ row_key: 'string', key: 'long' });
  });
});
