import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, describe, expect, it } from 'vitest';
import { valueAt } from '../../scan/vectors.ts';
import { typeName } from '../../schema/schema-json.ts';
import type { Type } from '../../schema/type.ts';
import { valueToJson } from '../../schema/value-json.ts';
import { openTable } from '../../table.ts';
import { appendToTable, writeTable } from '../table-writer.ts';
import { importIntoTable } from './import-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-types-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const catalog = { type: 'filesystem', warehouse: join(folder, 'lake') } as const;
let tables = 0;

const ndjson = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const csvCell = (value: unknown) =>
  value === null ? '' : `"${String(value).replaceAll('"', '""')}"`;
const csv = (rows: readonly Readonly<Record<string, unknown>>[]) =>
  [Object.keys(rows[0]).join(','), ...rows.map((r) => Object.values(r).map(csvCell).join(','))]
    .map((line) => `${line}\n`)
    .join('');

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function imported(path: string, formatVersion: 2 | 3 = 2) {
  const table = `t.t${tables++}`;
  await importIntoTable({ catalog, table, files: [path], formatVersion });
  return read(table);
}

async function read(table: string) {
  const source = await openTable({ catalog, table });
  const rows: Record<string, unknown>[] = [];
  const { fields } = source.schema;
  for await (const batch of source.scan()) {
    for (let i = 0; i < batch.rows; i++) {
      const cells = fields.map((f, c) => [
        f.name,
        valueToJson(f.type, valueAt(batch.columns[c], i)),
      ]);
      rows.push(Object.fromEntries(cells));
    }
  }
  await source.close();
  return { types: Object.fromEntries(fields.map((f) => [f.name, shown(f.type)])), rows };
}

/** A type without field ids. */
function shown(type: Type): unknown {
  if (type.kind === 'list') return [shown(type.element)];
  if (type.kind === 'map') return new Map([[shown(type.key), shown(type.value)]]);
  if (type.kind !== 'struct') return typeName(type);
  return Object.fromEntries(type.fields.map((f) => [f.name, shown(f.type)]));
}

/** The instant that JavaScript reads, in our form: the oracle for zoned texts. */
function instant(text: string): string {
  const micros = /\.(\d+)/.exec(text)?.[1].padEnd(6, '0').slice(0, 6) ?? '000000';
  const seconds = text
    .replace(/\.\d+/, '')
    .replace(/ UTC$/, 'Z')
    .replace(/ (?=[+-])/, '')
    .replace(' ', 'T');
  const colons = seconds.replace(/([+-]\d\d)(\d\d)?$/, (_, h, m = '00') => `${h}:${m}`);
  return new Date(colons).toISOString().replace(/\.\d+Z$/, `.${micros}Z`);
}

const ZONED = [
  '2024-06-01T12:00:00Z',
  '2024-06-01T12:00:00+05:30',
  '2024-06-01T12:00:00.5-08:00',
  '2024-06-01 12:00:00.250001+00:00',
  '2024-06-01T12:00:00.123456Z',
  '2024-02-29T23:59:59-0330',
  '1969-12-31T23:59:59.999999+14:00',
  '2024-01-01 00:00:00 UTC',
  '2024-06-01T12:00+02:00',
  '2024-06-01T12:00:00-08',
  '2024-06-01 12:00:00 +0530', // git
  '2024-06-01 12:00 -08:00',
];

describe.each([
  ['ndjson', ndjson],
  ['csv', csv],
])('texts in %s', (ending, write) => {
  it('with offsets are instants, whatever the offsets', async () => {
    const rows = ZONED.map((at, id) => ({ id, at }));
    const { types, rows: back } = await imported(file(`zoned.${ending}`, write(rows)));
    expect(types).toEqual({ id: 'long', at: 'timestamptz' });
    expect(back.map((row) => row.at)).toEqual(ZONED.map(instant));
  });

  it('without offsets are timestamps, also beside dates', async () => {
    const texts = [
      '2024-06-01T12:00:00',
      '2024-06-01 12:00:00.5',
      '2024-06-01',
      '2024-06-01T07:30',
    ];
    const { types, rows } = await imported(
      file(`zoneless.${ending}`, write(texts.map((at) => ({ at })))),
    );
    expect(types).toEqual({ at: 'timestamp' });
    expect(rows.map((row) => row.at)).toEqual([
      '2024-06-01T12:00:00.000000',
      '2024-06-01T12:00:00.500000',
      '2024-06-01T00:00:00.000000',
      '2024-06-01T07:30:00.000000',
    ]);
  });

  it.each([
    ['with and without an offset', ['2024-06-01T12:00:00', '2024-06-01T12:00:00Z']],
    ['a date and an instant', ['2024-06-01', '2024-06-01T12:00:00+05:30']],
    ['days that do not exist', ['2024-02-30', '2024-01-01']],
    ['other orders of day and month', ['03/04/2024', '05/06/2024']],
    ['offsets that do not exist', ['2024-06-01T12:00:00+29:00']],
    ['uuids', ['5110A6D6-0000-4000-8000-00000000aBcd']],
  ])('%s stay text', async (_, texts) => {
    const rows = texts.map((at) => ({ at }));
    expect(await imported(file(`text.${ending}`, write(rows)))).toEqual({
      types: { at: 'string' },
      rows,
    });
  });

  it('that come after the first 20,480 rows count as well', async () => {
    const early = Array.from({ length: 25_000 }, () => ({ at: '2024-06-01T12:00:00' }));
    const rows = [...early, { at: '2024-06-01T12:00:00+05:30' }];
    const back = await imported(file(`late.${ending}`, write(rows)));
    expect(back.types).toEqual({ at: 'string' });
    expect(back.rows.at(-1)).toEqual({ at: '2024-06-01T12:00:00+05:30' });
  });
});

describe('imports of the same rows', () => {
  it('have the same schema and values as CSV, NDJSON and Parquet', async () => {
    const rows = Array.from({ length: 50 }, (_, id) => ({
      id,
      big: id % 2 === 0 ? null : id * 1e12,
      price: id / 8,
      open: id % 3 === 0,
      name: id % 7 === 0 ? null : `name ${id}, "quoted"`,
      zip: String(id).padStart(5, '0'),
      day: `2024-03-${String(1 + (id % 31)).padStart(2, '0')}`,
      clock: `0${id % 10}:30:00`,
      made: `2024-03-01T0${id % 10}:00:00.00000${id % 10}`,
      at: ZONED[id % ZONED.length],
    }));
    const paths = { csv: file('same.csv', csv(rows)), json: file('same.ndjson', ndjson(rows)) };
    const instants = rows.map((row) => ({ ...row, at: instant(row.at) }));
    const typed = file('typed.ndjson', ndjson(instants));
    const parquet = join(folder, 'same.parquet');
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    const columns = `{id: 'BIGINT', big: 'BIGINT', price: 'DOUBLE', open: 'BOOLEAN',
      name: 'VARCHAR', zip: 'VARCHAR', day: 'DATE', clock: 'TIME',
        made: 'TIMESTAMP', "at": 'TIMESTAMPTZ'}`;
    await connection.run(
      `SET TimeZone='UTC'; COPY (SELECT * FROM read_json('${typed}', columns=${columns}))
       TO '${parquet}' (FORMAT parquet)`,
    );
    const fromParquet = await imported(parquet);
    expect(fromParquet.types).toMatchObject({ day: 'date', made: 'timestamp', at: 'timestamptz' });
    expect(fromParquet.rows.map((row) => row.at)).toEqual(instants.map((row) => row.at));
    expect(await imported(paths.json)).toEqual(fromParquet);
    expect(await imported(paths.csv)).toEqual(fromParquet);
  });

  it('have times inside structs, lists and maps converted alike', async () => {
    const [a, b, c] = ZONED;
    const wide = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, b]));
    const path = file(
      'nested.ndjson',
      ndjson([
        { s: { at: a, deep: { day: '2024-01-01', list: [b, null, c] } }, l: [{ at: c }], m: wide },
        { s: null, l: [], m: null },
        { s: { at: null, deep: null }, l: null, m: null },
      ]),
    );
    const { types, rows } = await imported(path);
    expect(types).toMatchObject({
      s: { at: 'timestamptz', deep: { day: 'date', list: ['timestamptz'] } },
      l: [{ at: 'timestamptz' }],
    });
    const list = [instant(b), null, instant(c)];
    expect(rows[0].s).toEqual({ at: instant(a), deep: { day: '2024-01-01', list } });
    expect(rows[0].l).toEqual([{ at: instant(c) }]);
    expect(JSON.stringify(rows[0].m)).toContain(instant(b));
    expect(rows.slice(1).map(({ s, l }) => ({ s, l }))).toEqual([
      { s: null, l: [] },
      { s: { at: null, deep: null }, l: null },
    ]);
  });

  it('decide on each value of a nested column by itself, in any order', async () => {
    const big = '12345678901234567890';
    const text = `{"id":1,"o":{"t":"x","l":["2024-01-01"],"n":[[{"b":${big},"c":"12:00:00"}]],
      "d":"2024-01-01T00:00:00Z","b":${big},"e":[["a"]]},"last":"2024-01-02"}\n`;
    const { types } = await imported(file('mixed.ndjson', text.replace(/\n\s+/g, '')));
    const inner = [[{ b: 'decimal(38, 0)', c: 'time' }]];
    const o = { t: 'string', l: ['date'], n: inner, d: 'timestamptz', b: 'decimal(38, 0)' };
    expect(types).toEqual({ id: 'long', o: { ...o, e: [['string']] }, last: 'date' });
  });

  it('keep columns and fields that come late in NDJSON', async () => {
    const early = Array.from({ length: 25_000 }, (_, id) => ({ id, s: { a: id } }));
    const rows = [...early, { id: -1, s: { a: 0, b: 'late' }, late: true }];
    const back = await imported(file('late-column.ndjson', ndjson(rows)));
    expect(back.types).toEqual({ id: 'long', s: { a: 'long', b: 'string' }, late: 'boolean' });
    expect(back.rows.at(-1)).toEqual({ id: -1, s: { a: 0, b: 'late' }, late: true });
  });
});

describe('imports into an existing table', () => {
  const field = (id: number, name: string, kind: 'timestamp' | 'timestamptz' | 'date' | 'string') =>
    ({ id, name, required: false, type: { kind } }) as const;
  const made = async () => {
    const config = { catalog, table: `t.t${tables++}` };
    const fields = [
      field(1, 'made', 'timestamp'),
      field(2, 'at', 'timestamptz'),
      field(3, 'day', 'date'),
      field(4, 'zip', 'string'),
    ];
    const schema = { schemaId: 0, identifierFieldIds: [], fields };
    await writeTable(catalog, config.table, { schema });
    return config;
  };

  it.each([
    ['an offset that the column has no place for', { made: '2024-06-01T12:00:00+05:30' }, /"made"/],
    ['a time that the column has no place for', { day: '2024-06-01T12:00:00' }, /"day"/],
    ['what is no timestamp', { at: 'noon' }, /"at" expects .*not "noon"/],
  ])('refuse %s, and leave nothing', async (_, row, message) => {
    const config = await made();
    for (const path of [file('bad.ndjson', ndjson([row])), file('bad.csv', csv([row]))]) {
      const input = { kind: 'files', paths: [path] } as const;
      await expect(appendToTable(config, input)).rejects.toThrow(message);
    }
    const source = await openTable(config);
    expect(source.currentSnapshotId).toBeNull();
    await source.close();
  });

  it('take zoneless texts for instants in UTC, and texts as they are', async () => {
    const config = await made();
    const rows = [{ at: '2024-06-01T12:00:00', zip: '00501' }];
    await appendToTable(config, { kind: 'files', paths: [file('good.ndjson', ndjson(rows))] });
    await appendToTable(config, { kind: 'files', paths: [file('good.csv', csv(rows))] });
    const row = { made: null, at: '2024-06-01T12:00:00.000000Z', day: null, zip: '00501' };
    expect((await read(config.table)).rows).toEqual([row, row]);
  });

  it('refuse a field that a struct of the table does not have', async () => {
    const table = `t.t${tables++}`;
    await importIntoTable({ catalog, table, files: [file('s.ndjson', '{"s":{"a":1}}\n')] });
    const more = file('more.ndjson', '{"s":{"a":2,"b":3}}\n');
    await expect(
      appendToTable({ catalog, table }, { kind: 'files', paths: [more] }),
    ).rejects.toThrow('column "s" has no field "b" in the table (fields: a)');
  });
});
