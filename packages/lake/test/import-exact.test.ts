import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, describe, expect, it } from 'vitest';
import { type ImportOptions, importFiles, openTable, typeName, valueAt } from '../src/index.ts';
import { struct } from '../src/parquet/encodings/thrift-writer.ts';
import { valueToJson } from '../src/schema/value-json.ts';
import { valueStatistics } from '../src/write/files/file-statistics.ts';
import { type CraftedColumn, craftParquet } from './crafted-table.ts';

/** Inputs whose values an import must keep, or refuse by name. */
const folder = mkdtempSync(join(tmpdir(), 'lake-import-exact-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const catalog = { type: 'filesystem', warehouse: join(folder, 'lake') } as const;
let inputs = 0;

function file(ending: string, bytes: string | Uint8Array): string {
  const path = join(folder, `in${inputs++}${ending}`);
  writeFileSync(path, bytes);
  return path;
}

async function imported(path: string, more: Partial<ImportOptions> = {}) {
  const table = `t.t${inputs++}`;
  await importFiles({ catalog, table, files: [path], ...more });
  const source = await openTable({ catalog, table });
  const { fields } = source.schema;
  const rows: unknown[][] = [];
  for await (const batch of source.scan()) {
    for (let row = 0; row < batch.rows; row++) {
      rows.push(fields.map(({ type }, c) => valueToJson(type, valueAt(batch.columns[c], row))));
    }
  }
  await source.close();
  return { types: fields.map(({ name, type }) => `${name} ${typeName(type)}`), rows };
}

async function duckParquet(select: string): Promise<string> {
  const path = join(folder, `in${inputs++}.parquet`);
  await duckRows(`COPY (${select}) TO '${path}' (FORMAT parquet)`);
  return path;
}

async function duckRows(select: string) {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const rows = (await connection.runAndReadAll(select)).getRowsJson();
  connection.closeSync();
  instance.closeSync();
  return rows;
}

const LONG: CraftedColumn['field'] = { id: 1, name: 'n', required: true, type: { kind: 'long' } };
const BYTES: CraftedColumn['field'] = { ...LONG, name: 'd', type: { kind: 'binary' } };

describe('keys of NDJSON that differ only in case', () => {
  it.each([
    ['in one object', '{"id":1,"Name":"a","name":"b"}\n{"id":2,"name":"d"}\n', 'Name'],
    ['in different rows', '{"id":1,"Name":"a"}\n{"id":2,"name":"d"}\n', 'Name'],
    ['in an object inside', '{"id":1,"a":{"X":1,"x":2}}\n', 'x'],
    ['in objects of a list', '{"id":1,"a":[{"X":1},{"x":2}]}\n', 'x'],
  ])('are refused %s', async (_, text, key) => {
    await expect(imported(file('.ndjson', text))).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(new RegExp(`"${key}".*only in case|only in case.*"${key}"`)),
    });
  });

  it('are not seen in a key that ends in a number', async () => {
    const path = file('.ndjson', '{"id":1,"name":"a","name_1":"b","n_2":3}\n');
    expect((await imported(path)).rows).toEqual([[1, 'a', 'b', 3]]);
  });
});

describe('decimals of Parquet', () => {
  const decimal = (precision: number): CraftedColumn => ({
    field: BYTES,
    runs: [[Uint8Array.of(0, 150), 1]],
    plain: true,
    stored: [
      [6, 5],
      [7, 2],
      [8, precision],
    ],
  });

  it('of more than 38 digits are refused by name', async () => {
    const path = file('.parquet', craftParquet([decimal(39)]));
    await expect(imported(path)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringMatching(/column "d" .* decimal\(39, 2\)/),
    });
    const { types, rows } = await imported(file('.parquet', craftParquet([decimal(38)])));
    expect([types, rows]).toEqual([['d decimal(38, 2)'], [['1.50']]]);
  });
});

describe('nanoseconds of Parquet', () => {
  const SELECT = `SELECT t, [t, NULL] AS l, {'a': t} AS s FROM (VALUES
    (TIMESTAMP_NS '1969-12-31 23:59:59.999999999'), (TIMESTAMP_NS '2020-01-01 00:00:00.123456789'),
    (TIMESTAMP_NS '1960-05-05 00:00:00'), (NULL)) AS v(t)`;
  const shape = (times: readonly (string | null)[]) => times.map((t) => [t, [t, null], { a: t }]);

  it('are kept in format 3', async () => {
    const { types, rows } = await imported(await duckParquet(SELECT), { formatVersion: 3 });
    expect(types[0]).toBe('t timestamp_ns');
    expect(rows).toEqual(
      shape([
        '1969-12-31T23:59:59.999999999',
        '2020-01-01T00:00:00.123456789',
        '1960-05-05T00:00:00.000000000',
        null,
      ]),
    );
  });

  it('are rounded down in format 2', async () => {
    const { types, rows } = await imported(await duckParquet(SELECT));
    expect(types[0]).toBe('t timestamp');
    expect(rows).toEqual(
      shape([
        '1969-12-31T23:59:59.999999',
        '2020-01-01T00:00:00.123456',
        '1960-05-05T00:00:00.000000',
        null,
      ]),
    );
  });

  const zoned = (nanos: bigint): string => {
    const logical = struct([8, struct([1, true], [2, struct([3, struct()])])]);
    const column = { field: LONG, runs: [[nanos, 1]], stored: [[10, logical]] } as const;
    return file('.parquet', craftParquet([column]));
  };

  it('with a zone are refused if an import would change them', async () => {
    const refused = { code: 'unsupported', message: expect.stringContaining('column "n"') };
    await expect(imported(zoned(-1n))).rejects.toMatchObject(refused);
    await expect(imported(zoned(1n), { formatVersion: 3 })).rejects.toMatchObject(refused);
    expect((await imported(zoned(1n))).rows).toEqual([['1970-01-01T00:00:00.000000Z']]);
    const whole = '1969-12-31T23:59:59.999999Z';
    for (const formatVersion of [2, 3] as const) {
      expect((await imported(zoned(-1000n), { formatVersion })).rows).toEqual([[whole]]);
    }
  });

  it('of times of day are refused by name', async () => {
    const path = await duckParquet(`SELECT '23:59:59.123456789'::TIME_NS AS t`);
    await expect(imported(path)).rejects.toThrow(/column "t" has the type TIME_NS/);
  });
});

/** Texts with nanoseconds, and what each format keeps of them: the oracle is text arithmetic. */
const NANO_TEXTS = [
  '1969-12-31T23:59:59.999999999',
  '1960-02-29T00:00:00.0000001',
  '2020-01-01 00:00:00.12345678',
  '2020-01-01',
  '2020-01-01T07:30',
];
const withDigits = (text: string, digits: number): string => {
  const [day, clock = '00:00:00'] = text.split(/[T ]/);
  const [seconds, fraction = ''] = clock.split('.');
  const whole = seconds.length === 5 ? `${seconds}:00` : seconds;
  return `${day}T${whole}.${fraction.padEnd(digits, '0').slice(0, digits)}`;
};

describe.each([
  ['.csv', (texts: readonly string[]) => `t\n${texts.join('\n')}\n`],
  ['.ndjson', (texts: readonly string[]) => texts.map((t) => `{"t":"${t}"}\n`).join('')],
])('nanoseconds of texts in %s', (ending, write) => {
  it.each([
    [2, 'timestamp', 6],
    [3, 'timestamp_ns', 9],
  ] as const)('in format %i are %s', async (formatVersion, type, digits) => {
    const { types, rows } = await imported(file(ending, write(NANO_TEXTS)), { formatVersion });
    expect(types).toEqual([`t ${type}`]);
    expect(rows.flat()).toEqual(NANO_TEXTS.map((text) => withDigits(text, digits)));
  });

  it('with an offset are rounded down in format 2 and refused in format 3', async () => {
    const path = file(ending, write(['1970-01-01T02:00:00+02:00', '1969-12-31T23:59:59.9999999Z']));
    const { types, rows } = await imported(path);
    expect(types).toEqual(['t timestamptz']);
    expect(rows.flat()).toEqual(['1970-01-01T00:00:00.000000Z', '1969-12-31T23:59:59.999999Z']);
    await expect(imported(path, { formatVersion: 3 })).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringMatching(/column "t" has zoned timestamps with nanoseconds/),
    });
  });

  it('beside years that nanoseconds do not reach are refused in format 3', async () => {
    const path = file(ending, write(['3000-01-01', '2020-01-01T00:00:00.000000001']));
    expect((await imported(path)).types).toEqual(['t timestamp']);
    await expect(imported(path, { formatVersion: 3 })).rejects.toThrow(
      'column "t" expects a timestamp of 1677 to 2262 without an offset (YYYY-MM-DDThh:mm:ss), ' +
        'not "3000-01-01"',
    );
  });

  it('are zeros only where they need no nanoseconds', async () => {
    const path = file(ending, write(['2020-01-01T00:00:00.123456000']));
    const { types } = await imported(path, { formatVersion: 3 });
    expect(types).toEqual(['t timestamp']);
  });
});

describe('names of Parquet columns that repeat', () => {
  it.each([
    ['in case', 'id', 'ID', 'differ only in case'],
    ['wholly', 'id', 'id', 'have the name "id"'],
  ])('%s are refused', async (_, first, second, message) => {
    const column = (name: string): CraftedColumn => ({ field: { ...LONG, name }, runs: [[1n, 1]] });
    const path = file('.parquet', craftParquet([column(first), column(second)]));
    await expect(imported(path)).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(message),
    });
  });
});

/** `n: long, l: list<struct<d: duration[ms]>>`, then `n: duration[us]`, as PyArrow stores them. */
const ARROW_SCHEMAS = {
  'l.item.d':
    '//////gAAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAIAAACUAAAABAAAAIT///8A' +
    'AAEMFAAAABgAAAAEAAAAAQAAABAAAAABAAAAbAAAALD///+s////AAABDRQAAAAcAAAABAAAAAEAAAAUAAAABAAAAGl0' +
    'ZW0AAAAA3P///9j///8AAAESEAAAABgAAAAEAAAAAAAAAAEAAABkAAAABAAEAAQAAAAQABQACAAGAAcADAAAABAAEAAA' +
    'AAAAAQIQAAAAHAAAAAQAAAAAAAAAAQAAAG4AAAAIAAwACAAHAAgAAAAAAAABQAAAAA==',
  n:
    '/////3AAAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAEAAAAUAAAAEAAUAAgA' +
    'BgAHAAwAAAAQABAAAAAAAAESEAAAABgAAAAEAAAAAAAAAAEAAABuAAYACAAGAAYAAAAAAAIA',
};

describe('durations of Parquet', () => {
  const withSchema = (schema: string) =>
    file('.parquet', craftParquet([{ field: LONG, runs: [[7n, 1]] }], { 'ARROW:schema': schema }));

  it.each(Object.entries(ARROW_SCHEMAS))('in column %s are refused by name', async (name, text) => {
    await expect(imported(withSchema(text))).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining(`column "${name}" of`),
    });
  });

  it('are not found in what is no Arrow schema, nor in one that is cut', async () => {
    for (const text of [
      '',
      'AAAA',
      'not base64!',
      ...[8, 40, 60].map((n) => ARROW_SCHEMAS.n.slice(0, n)),
    ]) {
      expect((await imported(withSchema(text))).rows).toEqual([[7]]);
    }
  });
});

describe('zeros of both signs', () => {
  it('are found by DuckDB in files and their bounds, whichever is looked for', async () => {
    const path = file(
      '.csv',
      `id,d\n${[-0.5, '-0.0', '0.0', 2]
        .map((d, i) => `${i},${d}\n`)
        .join('')
        .repeat(9)}`,
    );
    const table = `t.t${inputs++}`;
    await importFiles({ catalog, table, files: [path] });
    const files = join(catalog.warehouse, table.replace('.', '/'), 'data', '*.parquet');
    for (const zero of ['0', "'-0.0'::DOUBLE"]) {
      expect(await duckRows(`SELECT count(*) FROM '${files}' WHERE d = ${zero}`)).toEqual([['18']]);
    }
  });

  it.each([
    [
      [0, 0],
      [-0, 0],
    ],
    [
      [-0, -0],
      [-0, 0],
    ],
    [
      [-0, 3],
      [-0, 3],
    ],
    [
      [-3, -0],
      [-3, 0],
    ],
  ])('in the bounds of %j are %j', (values, [lower, upper]) => {
    const field = { id: 1, name: 'd', required: false, type: { kind: 'double' } } as const;
    const schema = { schemaId: 0, identifierFieldIds: [], fields: [field] };
    const { lowerBounds, upperBounds } = valueStatistics(schema, [values], values.length);
    const bound = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).readDoubleLE();
    expect([bound(lowerBounds.get(1)), bound(upperBounds.get(1))]).toEqual([lower, upper]);
  });
});

describe('bytes that are not UTF-8 beside others that are', () => {
  const latin = (head: string) => Buffer.concat([Buffer.from(head), Buffer.of(0xe9, 0x22, 0x0a)]);
  const long = `${'é😀'.repeat(150_000)}`;

  it.each([
    ['.csv', 'id,ä\n1,"x"\n2,"', 3],
    ['.csv.gz', 'id,ä\n2,"', 2],
    ['.ndjson', '{"id":1,"a":"ß"}\n{"id":2,"a":"', 2],
    ['.csv', `id,a\n1,"x${long}"\n2,"yy${long}"\n3,"`, 4],
  ])('are refused with their line (%s)', async (ending, head, line) => {
    const bytes = latin(head);
    await expect(
      imported(file(ending, ending.endsWith('gz') ? gzipSync(bytes) : bytes)),
    ).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(`line ${line}: bytes that are not UTF-8`),
    });
  });

  it('are not seen where a part of a file ends within a character', async () => {
    for (const start of ['', 'x', 'xx', 'xxx']) {
      const { rows } = await imported(file('.csv', `id,a\n1,"${start}${long}"\n`));
      expect(rows).toEqual([[1, start + long]]);
    }
  });

  it('are refused at the end of a file', async () => {
    const cut = Buffer.from('id,a\n1,é').subarray(0, -1);
    await expect(imported(file('.csv', cut))).rejects.toThrow(/line 2: bytes that are not UTF-8/);
  });
});

describe('messages of an import', () => {
  it('name the column and the reason', async () => {
    const interval = await duckParquet(`SELECT INTERVAL 1 DAY AS i`);
    await expect(imported(interval)).rejects.toThrow(/column "i" has the type INTERVAL/);
    await expect(imported(file('.tsv', 'id\tname\n1\t"a\n'))).rejects.toThrow(
      /line 2: value with unterminated quote found/,
    );
  });

  it('are not needed for lists and objects without a value', async () => {
    const { types, rows } = await imported(file('.ndjson', '{"id":1,"b":[],"c":{},"d":null}\n'));
    expect(types.slice(0, 3)).toEqual(['id long', 'b list<string>', 'c map<string, string>']);
    expect(rows).toEqual([[1, [], [], null]]);
  });
});
