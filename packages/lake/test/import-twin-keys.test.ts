import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  type ImportOptions,
  importFiles,
  openTable,
  type ReadingOptions,
  typeName,
  valueAt,
} from '../src/index.ts';
import { valueToJson } from '../src/schema/value-json.ts';

/** JSON whose keys differ only in case, which a table cannot have, and how it is read anyway. */
const folder = mkdtempSync(join(tmpdir(), 'lake-twin-keys-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const catalog = { type: 'filesystem', warehouse: join(folder, 'lake') } as const;
let inputs = 0;

function file(text: string, ending = '.ndjson'): string {
  const path = join(folder, `in${inputs++}${ending}`);
  writeFileSync(path, text);
  return path;
}

async function imported(
  path: string,
  reading: ReadingOptions = {},
  more: Partial<ImportOptions> = {},
) {
  const table = more.table ?? `t.t${inputs++}`;
  await importFiles({ catalog, table, files: [path], reading, ...more });
  const source = await openTable({ catalog, table });
  const { fields } = source.schema;
  const rows: unknown[] = [];
  for await (const batch of source.scan()) {
    for (let row = 0; row < batch.rows; row++) {
      const values = fields.map(({ name, type }, c) => [
        name,
        valueToJson(type, valueAt(batch.columns[c], row)),
      ]);
      rows.push(Object.fromEntries(values));
    }
  }
  await source.close();
  return { table, rows, types: fields.map(({ name, type }) => `${name} ${typeName(type)}`) };
}

const NESTED = '{"id":1,"o":{"l":[{"Ab":1.50,"ab":{"B":1,"b":2}}]}}\n';

describe('keys that differ only in case', () => {
  it.each([
    [
      '{"id":1,"Zh":"a"}\n{"id":2,"zh":"b"}\n',
      'rows 1 and 2: the keys "Zh" and "zh" differ',
      ['/Zh', '/zh'],
    ],
    ['[{"id":1,"Zh":"a","zh":"b"}]', 'row 1: the keys "Zh" and "zh" differ', ['/Zh', '/zh']],
    [NESTED, 'row 1: the keys "Ab" and "ab" of "/o/l" differ', ['/o/l/Ab', '/o/l/ab']],
    ['{"x":{"a~b/c":{"Q":1}}}\n{"x":{"a~b/c":{"q":1}}}', 'of "/x/a~0b~1c" differ', null],
    ['{"a":1,"A":1,"b":1,"B":1}', '"a" and "A" differ only in case (also b and B)', null],
  ])('are refused with their rows and path: %s', async (text, message, pointers) => {
    const error = await imported(file(text)).catch((one: unknown) => one);
    const pairs = message.includes('(also') ? 2 : 1;
    expect(error).toMatchObject({ code: 'invalid_argument', details: { option: 'twins', pairs } });
    expect(String(error)).toContain(message);
    if (pointers !== null) expect(error).toMatchObject({ details: { pointers } });
  });

  it('get other names, at any depth', async () => {
    const top = '{"id":1,"Zh":"a","zh":"b"}\n{"id":2,"zh":null}\n';
    expect((await imported(file(top), { rename: { zh: 'other' } })).rows).toEqual([
      { id: 1, Zh: 'a', other: 'b' },
      { id: 2, Zh: null, other: null },
    ]);
    const rename = { 'o.l.ab': 'o.l.second', 'o.l.ab.b': 'low' };
    expect((await imported(file(NESTED), { rename })).rows).toEqual([
      { id: 1, o: { l: [{ Ab: 1.5, second: { B: 1, low: 2 } }] } },
    ]);
  });

  it('become one name if no object has both', async () => {
    const text = '{"id":1,"Zh":"a"}\n{"id":2,"zh":"b"}\n';
    const rename = { zh: 'Zh' };
    expect((await imported(file(text), { rename })).rows).toEqual([
      { id: 1, Zh: 'a' },
      { id: 2, Zh: 'b' },
    ]);
    const both = imported(file(`${text}{"Zh":1,"zh":2}`), { rename });
    await expect(both).rejects.toThrow('both "Zh" and "zh", which cannot both be "Zh"');
  });

  it('stay as they are in a text of JSON, of an object inside or of a column', async () => {
    const inner = await imported(file(NESTED), {
      types: { 'o.l.x': 'json' },
      rename: { 'o.l.ab': 'x' },
    });
    expect(inner.rows).toEqual([{ id: 1, o: { l: [{ Ab: 1.5, x: '{"B":1,"b":2}' }] } }]);
    const reading = { types: { 'o.l': 'json' } };
    const { rows } = await imported(file(NESTED), reading);
    expect(rows).toEqual([{ id: 1, o: { l: '[{"Ab":1.50,"ab":{"B":1,"b":2}}]' } }]);
    const column = await imported(file(`${NESTED}{"id":2,"o":null}\n{"o":"t"}\n`), {
      types: { o: 'json' },
    });
    expect(column.types).toEqual(['id long', 'o string']);
    expect(column.rows).toEqual([
      { id: 1, o: '{"l":[{"Ab":1.50,"ab":{"B":1,"b":2}}]}' },
      { id: 2, o: null },
      { id: null, o: '"t"' },
    ]);
    const more = await imported(
      file(NESTED),
      { types: { o: 'json' } },
      {
        table: column.table,
        mode: 'append',
      },
    );
    expect(more.rows).toHaveLength(4);
  });

  it('stay as they are in a variant, which is a column', async () => {
    const options = { formatVersion: 3 } as const;
    const { types, rows } = await imported(file(NESTED), { types: { o: 'variant' } }, options);
    expect(types).toEqual(['id long', 'o variant']);
    expect(rows).toEqual([{ id: 1, o: { l: [{ Ab: 1.5, ab: { B: 1, b: 2 } }] } }]);
    const inner = imported(file(NESTED), { types: { 'o.l': 'variant' } }, options);
    await expect(inner).rejects.toThrow('only a column can be a variant');
    const old = imported(file(NESTED), { types: { o: 'variant' } });
    await expect(old).rejects.toThrow('cannot be a variant in a table of format version 2');
  });

  it('stay as they are in members of an object that are read as values', async () => {
    const path = file('{"a":{"X":1,"x":2},"b":{"value":3}}', '.json');
    const rowsAt = { path: [], isGuess: false };
    const { rows } = await imported(path, { rowsAt, types: { value: 'json' } });
    expect(rows).toEqual([
      { key: 'a', value: '{"X":1,"x":2}' },
      { key: 'b', value: '{"value":3}' },
    ]);
  });

  it('are found in pretty JSON and compared by their text, not by how it is written', async () => {
    const text = '{\n "k\\u00e9y": {"a\\"b": 1},\n "KÉY": 2 }\n{\n "x": "}{\\\\"\n}\n';
    const error = await imported(file(text, '.json')).catch((one: unknown) => one);
    expect(String(error)).toContain('row 1: the keys "kéy" and "KÉY" differ');
    const { rows } = await imported(file(text, '.json'), { rename: { KÉY: 'other' } });
    expect(rows).toEqual([
      { kéy: { 'a"b': 1 }, other: 2, x: null },
      { kéy: null, other: null, x: '}{\\' },
    ]);
  });
});

describe('objects of many thousand different keys', () => {
  it('are texts of JSON in the memory of a small writer', async () => {
    const member = (row: number, k: number) =>
      Object.fromEntries(
        Array.from({ length: 15 }, (_, b) => [
          `b${row}_${b}`,
          { added: `${b + k}`, list: [{ row }] },
        ]),
      );
    const data = (row: number) =>
      Object.fromEntries(Array.from({ length: 12 }, (_, k) => [`m${k}`, member(row, k)]));
    const source = Array.from({ length: 200 }, (_, id) => ({ id, small: { id }, data: data(id) }));
    const path = file(JSON.stringify({ api: source }), '.json');
    const { types, rows } = await imported(path, {}, { memoryBytes: 128 * 2 ** 20 });
    expect(types).toEqual(['id long', 'small struct<id: long>', 'data string']);
    const read = rows as { readonly data: string }[];
    expect(read.map((row) => ({ ...row, data: JSON.parse(row.data) }))).toEqual(source);
  });
});
