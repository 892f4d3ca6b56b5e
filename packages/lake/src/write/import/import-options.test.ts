import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { importFolder } from '../../../test/import-folder.ts';
import type { ReadingOptions } from '../input/reading-options.ts';

/** Files with options, compared with what DuckDB reads of the same file by options of its own. */
const { folder, file, imported } = importFolder('options');

let sql: (query: string) => Promise<unknown[][]>;
beforeAll(async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  sql = async (query) => (await connection.runAndReadAll(query)).getRowsJson();
});

const FLIGHTS = ['id,dep_delay,day,late', '1,12,2024-01-01,true', '2,NA,NA,NA'];
for (let i = 3; i <= 40; i++)
  FLIGHTS.push(`${i},${i - 20.5},2024-01-0${1 + (i % 9)},${i % 2 === 0}`);
FLIGHTS.push('41,-,2024-02-01,-', '42,,2024-02-02,false', '');

describe('a column of CSV that is nearly of a type', () => {
  it('is named with its exceptions, and is of the type if they are NULL', async () => {
    const path = file('flights.csv', FLIGHTS.join('\n'));
    const plain = await imported(path);
    expect(plain.types).toEqual({ id: 'long', dep_delay: 'string', day: 'string', late: 'string' });
    const near = { note: 'nearly_typed', values: 41, fitting: 39 };
    expect(plain.notes).toMatchObject([
      { ...near, column: 'dep_delay', kind: 'number', exceptions: ['NA', '-'] },
      { column: 'day', kind: 'date', values: 42, fitting: 41, exceptions: ['NA'] },
      { column: 'late', kind: 'boolean', values: 42, fitting: 40, exceptions: ['NA', '-'] },
    ]);
    const typed = await imported(path, { nulls: ['NA', '-'] });
    expect(typed.types).toEqual({ id: 'long', dep_delay: 'double', day: 'date', late: 'boolean' });
    expect(typed.notes).toEqual([]);
    const columns = "{id: 'BIGINT', dep_delay: 'DOUBLE', day: 'DATE', late: 'BOOLEAN'}";
    const oracle = await sql(
      `SELECT id::INTEGER, dep_delay, day, late
       FROM read_csv('${path}', columns=${columns}, header=true, nullstr=['NA', '-', ''])`,
    );
    expect(typed.rows).toEqual(oracle);
  });

  it('is of the type in JSON too if its texts are NULL', async () => {
    const path = file('mixed.json', '[{"a":"NA","b":"x","c":1},{"a":1.5,"b":"NA","c":"NA"}]');
    expect((await imported(path)).rows).toEqual([
      ['NA', 'x', '1'],
      ['1.5', 'NA', 'NA'],
    ]);
    const { types, rows } = await imported(path, { nulls: ['NA'] });
    expect(types).toEqual({ a: 'double', b: 'string', c: 'long' });
    expect(rows).toEqual([
      [null, 'x', 1],
      [1.5, null, null],
    ]);
    const named = await imported(path, { nulls: ['NA'], types: { a: 'decimal(9, 2)' } });
    expect(named.rows[1][0]).toBe('1.50');
    await expect(imported(path, { types: { a: 'double' } })).rejects.toThrow(
      'row 1: column "a" expects double, not "NA"',
    );
  });

  it('is named in JSON if numbers in quotes have thousands', async () => {
    const rows = Array.from({ length: 20 }, (_, i) => ({ total: i === 3 ? '0' : `${i + 1},200` }));
    const path = file('thousands.json', JSON.stringify(rows));
    const { notes } = await imported(path);
    const total = { column: 'total', kind: 'number', type: 'double', values: 20, fitting: 20 };
    expect(notes).toEqual([expect.objectContaining(total)]);
    expect((await imported(path, { types: { total: 'double' } })).rows[1]).toEqual([2200]);
  });

  it('is named in JSON if numbers in quotes have decimals', async () => {
    const rows = Array.from({ length: 20 }, (_, i) => ({
      lat: i === 0 ? '42' : `${i - 9}.25`,
      zip: `${10_000 + i}`,
    }));
    const path = file('quoted.json', JSON.stringify(rows));
    const { types, notes } = await imported(path);
    expect(types).toEqual({ lat: 'string', zip: 'string' });
    const lat = { column: 'lat', kind: 'number', type: 'double', values: 20, fitting: 20 };
    expect(notes).toEqual([expect.objectContaining({ ...lat, exceptions: [] })]);
    const typed = await imported(path, { types: { lat: 'double' } });
    expect([typed.rows[0][0], typed.notes]).toEqual([42, []]);
  });

  it('is named below four fifths only if all exceptions are one mark for NULL', async () => {
    const lines = Array.from({ length: 20 }, (_, i) =>
      i < 8
        ? `${i},${i},${i},2026-01-01T00:00:00,yes`
        : `${i},NA,${i % 2 === 0 ? 'NA' : 'x'},2026-01-02T00:00:00Z,unsure`,
    );
    const head = 'id,mass,code,seen,answer';
    const { notes } = await imported(file('half.csv', [head, ...lines, ''].join('\n')));
    expect(notes).toEqual([
      expect.objectContaining({ column: 'mass', values: 20, fitting: 8, exceptions: ['NA'] }),
    ]);
  });

  it.each([
    [
      'a decimal comma',
      ['1.234,56', '-7,5', '12'],
      'number',
      { decimal: ',' },
      [1234.56, -7.5, 12],
    ],
    [
      'days before months',
      ['28.11.2026', '01.02.1999', '31.12.2000'],
      'date',
      { dateFormats: ['%d.%m.%Y'] },
      ['2026-11-28', '1999-02-01', '2000-12-31'],
    ],
    [
      'names of months',
      ['Jun 12 1998', 'Jan 01 2000', 'Dec 31 1970'],
      'date',
      { dateFormats: ['%b %d %Y'] },
      ['1998-06-12', '2000-01-01', '1970-12-31'],
    ],
    [
      'times without seconds',
      ['2001/01/13 01:10', '2001/02/03 23:59:58'],
      'timestamp',
      { dateFormats: ['%Y/%m/%d %H:%M:%S'] },
      ['2001-01-13T01:10:00.000000', '2001-02-03T23:59:58.000000'],
    ],
    [
      'times of twelve hours',
      ['01/13/2001 01:10:00 AM', '12/31/2001 11:10 PM', '12/31/2001 12:00 AM'],
      'timestamp',
      { dateFormats: ['%m/%d/%Y %I:%M:%S %p'] },
      ['2001-01-13T01:10:00.000000', '2001-12-31T23:10:00.000000', '2001-12-31T00:00:00.000000'],
    ],
    [
      'times of access logs',
      ['28/Nov/2026:08:11:12 +0100', '01/Jan/2026:00:00:00 +0000'],
      'timestamp',
      { dateFormats: ['%d/%b/%Y:%H:%M:%S %z'] },
      ['2026-11-28T07:11:12.000000Z', '2026-01-01T00:00:00.000000Z'],
    ],
  ] as const)('by %s names the option that reads it', async (_, texts, kind, option, values) => {
    const path = file('notation.csv', ['v;n', ...texts.map((text) => `${text};x`), ''].join('\n'));
    const plain = await imported(path);
    expect(plain.types.v).toBe('string');
    expect(plain.notes).toMatchObject([{ column: 'v', kind, ...option, exceptions: [] }]);
    const read = await imported(path, option as ReadingOptions);
    expect(read.rows.map(([v]) => v)).toEqual(values);
    expect(read.notes).toEqual([]);
  });

  it.each([
    ['numbers', ['5', '""', '2.5', '-7'], 'number', { nulls: [''] }, [5, null, 2.5, -7]],
    ['booleans', ['true', '"N/A"', 'false'], 'boolean', { nulls: ['N/A'] }, [true, null, false]],
    ['few numbers', ['"-"', '"-"', '7'], 'number', { nulls: ['-'] }, [null, null, 7]],
  ] as const)('of JSON names the mark beside %s', async (_, values, kind, option, expected) => {
    const path = file('mixed.ndjson', values.map((v) => `{"v":${v},"n":null}`).join('\n'));
    const plain = await imported(path);
    expect(plain.types.v).toBe('string');
    expect(plain.notes).toMatchObject([{ column: 'v', kind, exceptions: option.nulls }]);
    const read = await imported(path, option);
    expect(read.rows.map(([v]) => v)).toEqual(expected);
    expect(read.notes).toEqual([]);
  });

  it.each([
    ['words', ['5', '"x"', '"y"']],
    ['numbers and booleans', ['5', 'true', '""']],
    ['objects', ['5', '{"a":5}']],
  ])('is not named for JSON of %s', async (_, values) => {
    const path = file('mixed.ndjson', values.map((v) => `{"v":${v}}`).join('\n'));
    expect((await imported(path)).notes).toEqual([]);
  });

  it('names both formats of a date that could be read by either', async () => {
    const { notes } = await imported(file('either.csv', 'v\n03/04/2024\n05/06/2024\n'));
    expect(notes).toMatchObject([{ column: 'v', dateFormats: ['%m/%d/%Y', '%d/%m/%Y'] }]);
  });

  it.each([
    ['words', ['alpha', 'beta', '12']],
    ['codes with zeros in front', ['00501', '00544', '10001']],
    ['addresses alone', ['10.0.0.1', '10.0.0.2', '::1']],
  ])('is not named for %s', async (_, texts) => {
    expect((await imported(file('text.csv', `v\n${texts.join('\n')}\n`))).notes).toEqual([]);
  });

  it('is named for addresses beside a mark, and for exceptions after the first rows', async () => {
    const hosts = Array.from({ length: 9 }, (_, i) => `10.0.0.${i},${i}`);
    const late = Array.from({ length: 25_000 }, (_, i) => `10.0.0.1,${i}`);
    const lines = ['host,n', ...hosts, '-,0', ...late, '10.0.0.1,unknown', ''];
    const { notes } = await imported(file('hosts.csv', lines.join('\n')));
    expect(notes).toMatchObject([
      { column: 'host', kind: 'address', values: 25_011, fitting: 25_010, exceptions: ['-'] },
      { column: 'n', kind: 'number', values: 25_011, fitting: 25_010, exceptions: ['unknown'] },
    ]);
  });
});

describe('options of CSV', () => {
  it('name types, columns, delimiter and a missing header', async () => {
    const path = file('bare.csv', '007~1.5~x\n008~2~\n');
    const options: ReadingOptions = {
      delimiter: '~',
      hasHeader: false,
      rename: { column0: 'code', column1: 'price' },
      types: { price: 'decimal(9, 2)', column2: 'keyword' },
    };
    const { types, rows, read } = await imported(path, options);
    expect(types).toEqual({ code: 'string', price: 'decimal(9, 2)', column2: 'string' });
    expect(rows).toEqual([
      ['007', '1.50', 'x'],
      ['008', '2.00', null],
    ]);
    expect(read).toMatchObject({ delimiter: '~', hasHeader: false });
  });

  it('leave out blanks around values if the names have some', async () => {
    const path = file('spaced.csv', 'id, name , mass,code\n1, Gold ,NA, x y \n2, , 19.3,\n');
    const { types, rows, read } = await imported(path, { nulls: ['NA'] });
    expect(types).toEqual({ id: 'long', name: 'string', mass: 'double', code: 'string' });
    expect(rows).toEqual([
      [1, 'Gold', null, 'x y'],
      [2, null, 19.3, null],
    ]);
    expect(read).toMatchObject({ trim: true });
    const exact = await imported(path, { trim: false });
    expect(exact.rows[0]).toEqual([1, ' Gold ', 'NA', ' x y ']);
    expect(Object.keys(exact.types)).toEqual(['id', ' name ', ' mass', 'code']);
  });

  it.each([
    ['long', 'abc', 'long'],
    ['long', '1.5', 'long'],
    ['decimal(9, 2)', '1.239', 'decimal(9, 2)'],
    ['boolean', 'maybe', 'true or false'],
    ['date', '2024-02-30', 'a date'],
  ])('refuse a text that is no %s by line, column and value: %s', async (type, text, expected) => {
    const path = file('typed.csv', `a,b\n"two\nlines",\n\nx,${text}\n`);
    const refused = imported(path, { types: { b: type } });
    await expect(refused).rejects.toMatchObject({
      code: 'invalid_argument',
      details: { option: 'value', column: 'b', value: text },
    });
    await expect(refused).rejects.toThrow(
      new RegExp(
        `line 5: column "b" expects ${expected.replace(/[()]/g, '\\$&')}.*, not "${text}"`,
      ),
    );
  });

  it('decide types by a sample, and refuse what does not fit them', async () => {
    const path = file('sample.csv', `a\n${'1\n'.repeat(50)}x\n`);
    expect((await imported(path)).types).toEqual({ a: 'string' });
    const sampled = imported(path, { sampleRows: 10 });
    await expect(sampled).rejects.toThrow(/line 52: column "a" expects long, not "x"/);
  });

  it('name the types of all columns', async () => {
    const path = file('all.csv', 'a,b\n1,2\n');
    const { types, rows } = await imported(path, { types: { a: 'string', b: 'double' } });
    expect([types, rows]).toEqual([{ a: 'string', b: 'double' }, [['1', 2]]]);
  });

  it('refuse unknown columns and types', async () => {
    const path = file('known.csv', 'a,b\n1,2\n');
    for (const options of [{ types: { c: 'long' } }, { rename: { c: 'd' } }]) {
      await expect(imported(path, options)).rejects.toMatchObject({ reason: 'column_not_found' });
    }
    const twins = file('twins.csv', 'Id,id\n1,2\n');
    const renamed = await imported(twins, { rename: { Id: 'first' } });
    expect(renamed).toMatchObject({ types: { first: 'long', id: 'long' }, rows: [[1, 2]] });
    await expect(imported(path, { rename: { a: 'B' } })).rejects.toThrow(/"B" and "b" differ only/);
    for (const type of ['money', 'decimal(99, 2)']) {
      await expect(imported(path, { types: { a: type } })).rejects.toThrow(`has no type "${type}"`);
    }
  });

  it('fill lines of CSV that lack their last values', async () => {
    const path = file('short.csv', 'a,b,c\n1,x,y\n2\n3,"p\nq"\n4,,z\n');
    await expect(imported(path)).rejects.toThrow('line 3');
    const { rows } = await imported(path, { pad: true });
    expect(rows).toEqual([
      [1, 'x', 'y'],
      [2, null, null],
      [3, 'p\nq', null],
      [4, null, 'z'],
    ]);
    const long = file('long.csv', 'a,b\n1,2,3\n');
    await expect(imported(long, { pad: true })).rejects.toThrow('line 2');
  });

  it('leave out bad lines, and name how many and the first three', async () => {
    const lines = ['a,b', '1,2', '3', '4,5,6,7', '7,"x"y', '8,9', '10', '11,12', ''];
    const path = file('bad.csv', lines.join('\n'));
    const { rows, notes } = await imported(path, { skipBadLines: true });
    expect(rows.map(([a]) => a)).toEqual([1, 8, 11]);
    const [note] = notes;
    expect(note).toMatchObject({ note: 'skipped_lines', count: 4 });
    expect(note.note === 'skipped_lines' && note.first.map(({ line }) => line)).toEqual([3, 4, 5]);
    const second = file('bad2.csv', lines.join('\n'));
    const both = await imported([path, second], { skipBadLines: true });
    expect([both.rows.length, both.notes]).toMatchObject([6, [{ count: 8 }]]);
  });
});

describe('what names stand for', () => {
  it('is every file of a pattern and of a folder, with the columns of its partitions', async () => {
    const rows = 'x,day\n1,2024-05-01\n2,2024-05-02\n';
    const paths = ['2024/city=K%C3%B6ln', '2025/city=__HIVE_DEFAULT_PARTITION__'].map((part) =>
      file(`hive/year=${part}/part.csv`, rows),
    );
    file('hive/_SUCCESS', '');
    file('hive/year=2024/.part.csv.crc', 'x');
    const whole = await imported(join(folder, 'hive'));
    expect(whole.types).toEqual({ x: 'long', day: 'date', city: 'string', year: 'long' });
    const list = paths.map((path) => `'${path}'`).join(', ');
    const oracle = await sql(
      `SELECT x::INTEGER, day, city, year::INTEGER
       FROM read_csv([${list}], hive_partitioning=true, columns={x: 'BIGINT', day: 'DATE'})`,
    );
    expect(whole.rows).toEqual(oracle);
    expect((await imported(join(folder, 'hive/*/*/*.csv'))).rows).toEqual(oracle);
    await expect(imported(join(folder, 'hive/*/*.csv'))).rejects.toMatchObject({
      reason: 'input_not_found',
    });
  });

  it('of Parquet in partitions has the partition columns', async () => {
    const to = join(folder, 'parts');
    await sql(`COPY (SELECT i AS id, i % 2 AS kind FROM range(4) r(i)) TO '${to}'
               (FORMAT parquet, PARTITION_BY (kind))`);
    const { types, rows } = await imported(to);
    expect(types).toEqual({ id: 'long', kind: 'long' });
    expect(rows.toSorted()).toEqual([
      [0, 0],
      [1, 1],
      [2, 0],
      [3, 1],
    ]);
  });

  it('is every file of a ZIP archive', async () => {
    file('zip/a.csv', 'id,t\n1,x\n');
    file('zip/b.csv', `id,t\n2,${'y'.repeat(2000)}\n`);
    file('zip/__MACOSX/._a.csv', 'junk');
    const path = join(folder, 'both.zip');
    execFileSync('python3', ['-m', 'zipfile', '-c', path, 'a.csv', 'b.csv', '__MACOSX'], {
      cwd: join(folder, 'zip'),
    });
    expect((await imported(path)).rows).toEqual([
      [1, 'x'],
      [2, 'y'.repeat(2000)],
    ]);
    const bytes = readFileSync(path);
    bytes[38] ^= 0xff;
    const broken = imported(file('broken.zip', bytes));
    await expect(broken).rejects.toThrow(/broken\.zip": "[ab]\.csv"/);
    const cut = imported(file('cut.zip', bytes.subarray(0, 200)));
    await expect(cut).rejects.toThrow(/cut\.zip": it has no directory/);
    file('zip/bad.csv', 'a,b\n1\n');
    execFileSync('python3', ['-m', 'zipfile', '-c', path, 'bad.csv'], { cwd: join(folder, 'zip') });
    await expect(imported(path)).rejects.toThrow(/both\.zip" \(bad\.csv\): line 2/);
  });
});
