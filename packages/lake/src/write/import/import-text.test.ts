import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { valueAt } from '../../scan/vectors.ts';
import { typeName } from '../../schema/schema-json.ts';
import { openTable } from '../../table.ts';
import type { InputReading } from '../input/input.ts';
import { type ImportOptions, importIntoTable } from './import-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-text-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const lake = join(folder, 'lake');
const catalog = { type: 'filesystem', warehouse: lake } as const;
let tables = 0;

const file = (name: string, bytes: string | Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
};

/** Imports into a new table: its columns, its rows as texts, and how the input was read. */
async function imported(options: Partial<ImportOptions>) {
  const table = `t.n${tables++}`;
  let reading: InputReading | undefined;
  const onRead = (seen: InputReading) => {
    reading = seen;
  };
  const done = await importIntoTable({ catalog, table, files: [], onRead, ...options });
  const source = await openTable({ catalog, table });
  const rows: string[][] = [];
  for await (const batch of source.scan()) {
    for (let row = 0; row < batch.rows; row++) {
      rows.push(batch.columns.map((column) => String(valueAt(column, row))));
    }
  }
  await source.close();
  const { fields = [] } = done.schema ?? {};
  const types = fields.map(({ type }) => typeName(type));
  return { names: fields.map(({ name }) => name), types, rows, reading };
}

const csv = (text: string | Uint8Array) => imported({ files: [file('x.csv', text)] });

describe('a CSV file', () => {
  it.each([
    ['too few values', 'a,b\n1,2\n3\n4,5\n', /line 3: expected number of columns: 2 found: 1/i],
    ['too many values', 'a,b\n1,2\n3,4,5\n', /line 3: expected number of columns: 2 found: 3/i],
    ['a title above its header', 'My title\n1,2\n3,4\n', /line 2: expected number of columns: 1/i],
    ['text behind a quote', 'a,b\n1,"x"y\n2,3\n', /line 2: value with unterminated quote/i],
    ['a quote that never ends', 'a,b\n1,2\n3,"x\n5,6\n', /line 3/],
    ['mixed line ends', 'a,b\n1,2\r\n3,4\n', /its line ends differ/],
    ['bytes of two encodings', Buffer.from('a,\xc3\xa9\n1,\xe9\n', 'latin1'), /line 2: .*utf-8/i],
    ['nothing', '', /its first line is empty/],
    ['a name that repeats', 'a,b,a\n1,2,3\n', /two columns of ".*" have the name "a"; rename/],
    ['names that differ in case', 'a,A\n1,2\n', /"a" and "A" differ only in case; rename/],
    ['a name like that of an unnamed column', ',column0\n1,2\n', /have the name "column0"/],
  ])('with %s is refused', async (_, text, message) => {
    const refused = csv(text);
    await expect(refused).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(refused).rejects.toThrow(message);
  });

  it.each([
    ['repeat', 'id,id\n1,2\n', { column1: 'other' }, ['id', 'other']],
    ['differ in case', 'Id,id\n1,2\n', { column0: 'other' }, ['other', 'id']],
    ['look like positions', 'column1,b\n1,2\n', { column1: 'a' }, ['a', 'b']],
  ])('renames columns by their positions if names %s', async (_, text, rename, names) => {
    const renamed = await imported({ files: [file('x.csv', text)], reading: { rename } });
    expect(renamed).toMatchObject({ names, rows: [['1', '2']] });
  });

  it.each([
    ['semicolons', 'a;b\n1;x,y\n', ['a', 'b'], [['1', 'x,y']], ';'],
    ['tabs', 'a\tb\n1\tx\n', ['a', 'b'], [['1', 'x']], '\t'],
    ['quoted names', '"a, b",c\n1,2\n', ['a, b', 'c'], [['1', '2']], ','],
    ['a name that is missing', 'a,,c\n1,2,3\n', ['a', 'column1', 'c'], [['1', '2', '3']], ','],
    ['a byte order mark', '\ufeffa,b\n1,2\n', ['a', 'b'], [['1', '2']], ','],
    [
      'lines that look like comments',
      'a,b\n#1,2\n3,4\n',
      ['a', 'b'],
      [
        ['#1', '2'],
        ['3', '4'],
      ],
      ',',
    ],
    ['empty lines', 'a,b\n\n1,2\n\n', ['a', 'b'], [['1', '2']], ','],
    ['one column', 'a\n1\n2\n', ['a'], [['1'], ['2']], ','],
  ])('with %s keeps every row', async (_, text, names, rows, delimiter) => {
    expect(await csv(text)).toMatchObject({ names, rows, reading: { delimiter } });
  });

  const GENES = '##gff 3\n#!x\n\nctg1\t.\t1\n###\nctg2\t#b\t2\n';
  it.each([
    ['names behind the mark', '# a\n#id\tname\n1\tx\n# "\n2\t#y\n', {}, ['id', 'name'], 2, 2],
    ['a sentence with a comma', '# by x, y\nid,name\n1,"q\n#z"\n2,#y\n', {}, ['id', 'name'], 1, 2],
    ['no names', GENES, { hasHeader: false }, ['column0', 'column1', 'column2'], 3, 4],
    ['CRLF', '# a\r\n#\r\nid,name\r\n1,x\r\n#\r\n2,#y\r\n', {}, ['id', 'name'], 3, 3],
    ['another mark', '% a\nid,name\n1,x\n%\n2,#y\n', { comment: '%' }, ['id', 'name'], 2, 2],
    ['a single column', '% a\nid\n1\n%\n2\n', { comment: '%' }, ['id'], 2, 1],
  ])('with comments and %s has the other lines', async (_, text, reading, names, lines, header) => {
    const found = await imported({
      files: [file(text.includes('\t') ? 'c.tsv' : 'c.csv', text)],
      reading,
    });
    expect(found).toMatchObject({
      names,
      reading: { comments: { lines }, header: { line: header } },
    });
    const rows = found.rows.map((row) => row.join(' '));
    const last = names.length === 1 ? '2' : names.length === 2 ? '2 #y' : 'ctg2 #b 2';
    expect(rows).toHaveLength(2);
    expect(rows[1]).toBe(last);
  });

  it.each([
    ['names that begin with the mark', '#id,name\n1,x\n', {}, ['#id', 'name']],
    ['comments that are switched off', '#a,b\n#1,2\n', { comment: '' }, ['#a', 'b']],
    ['tags in a single column', '#a\n#b\n', {}, ['#a']],
  ])('with %s has no comments', async (_, text, reading, names) => {
    const found = await imported({ files: [file('n.csv', text)], reading });
    expect(found.names).toEqual(names);
    expect(found.rows).toHaveLength(1);
  });

  it.each([
    ['empty lines above them', '\r\n\r\nid,name\r\n1,x\r\n', {}, 3],
    ['a title', 'Report, of 2024\n\nid,name\n1,x\n', { skipLines: 1 }, 3],
    ['a title in quotes', '"a\nb",,\nid,name\n1,x\n', { skipLines: 2 }, 3],
    ['empty lines and comments', '\n# a\n# b, c\nid,name\n1,x\n', {}, 4],
    ['a single column', 'Report\n\nid\n1\n', { skipLines: 1 }, 1],
  ])('reads names below %s', async (_, text, reading, line) => {
    const found = await imported({ files: [file('n.csv', text)], reading });
    expect(found.reading?.header.line).toBe(line);
    expect(['id,name', 'id']).toContain(found.names.join());
    expect(found.rows).toHaveLength(1);
  });

  it.each([
    ['Report,,\nid,a,b\n1,2,3\n', true],
    [',id,\n1,2,3\n', true],
    ['id,,\n', true],
    [',a\n1,2\n', false],
    ['id,name,\n1,2,\n', false],
  ])('suspects a title in %j: %s', async (text, isTitle) => {
    const { reading } = await imported({ files: [file('t.csv', text)] });
    expect(reading?.header).toEqual({ line: 1, isTitle });
  });

  it('refuses to leave out all of its lines', async () => {
    const all = imported({ files: [file('all.csv', 'a,b\n1,2\n')], reading: { skipLines: 2 } });
    await expect(all).rejects.toThrow(/all\.csv" has no names below its first 2 lines$/);
  });

  it.each([
    ['o.csv', { sheet: 'A' }, /^the name of a worksheet is for xlsx; ".*o\.csv" is read as csv$/],
    ['o.txt', { delimiter: '|' }, /^a delimiter is for csv; ".*o\.txt" is read as lines$/],
    [
      'o.ndjson',
      { skipLines: 1 },
      /^a number of lines above the names is for csv and xlsx; .* is read as json$/,
    ],
    ['o.csv', { rowsAt: { path: ['a'], isGuess: false } }, /^the path of rows is for json; /],
  ])('refuses an option without an effect: %s', async (name, reading, message) => {
    const found = imported({ files: [file(name, '{"a":1}\n')], reading });
    await expect(found).rejects.toThrow(message);
  });

  it('names lines below a title by their numbers, and what is wrong with a footer', async () => {
    const bad = { files: [file('f.csv', 'T\n\nid,name\n1,x\n\nSource: us\n')] };
    const message = /line 6: expected Number of Columns: 2 Found: 1$/;
    await expect(imported({ ...bad, reading: { skipLines: 1 } })).rejects.toThrow(message);
  });

  it('names lines below comments by their numbers', async () => {
    await expect(csv('# a\n# b\n\nid,name\n1,x\n# c\n2\n')).rejects.toThrow(/line 7/);
  });

  it.each([
    ['texts', ['["é, x","b"]', '[]', ''], 'list<string>', ['é, x,b', '', 'null']],
    ['whole numbers', ['[1,2]', '[-3]', '[]'], 'list<long>', ['1,2', '-3', '']],
    ['numbers', ['[1,2.5]', '[3]', ''], 'list<double>', ['1,2.5', '3', 'null']],
    [
      'booleans and NULL',
      ['[true,null]', '[false]', ''],
      'list<boolean>',
      ['true,', 'false', 'null'],
    ],
    ['another value among them', ['[1]', 'x', ''], 'string', ['[1]', 'x', 'null']],
    ['objects in them', ['[{"a":1}]', '[]', ''], 'string', ['[{"a":1}]', '[]', 'null']],
    ['large numbers', ['[99999999999999999999]', '[18446744073709551615]', ''], 'string', null],
    ['empty lists alone', ['[]', '[]', ''], 'string', ['[]', '[]', 'null']],
  ])('reads lists of %s', async (_, values, type, texts) => {
    const cells = values.map((value, id) => `${id},"${value.replaceAll('"', '""')}"`);
    const found = await csv(`id,v\n${cells.join('\n')}\n`.replaceAll('""\n', '\n'));
    expect(found.types[1]).toBe(type);
    if (texts !== null) expect(found.rows.map((row) => row[1])).toEqual(texts);
  });

  it('has as many rows as it has records, or is refused', async () => {
    const cell = fc.constantFrom(
      '',
      'x',
      '"q"',
      '"a""b"',
      '"l\nm"',
      '"c,d"',
      'm"n',
      ' ',
      '"open',
      '#',
    );
    const line = fc.array(cell, { minLength: 1, maxLength: 3 }).map((cells) => cells.join(','));
    const ends = fc.constantFrom('\n', '\r\n', '\n\n', '\r');
    let [read, refused] = [0, 0];
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 6 }), ends, async (lines, end) => {
        const text = ['a,b', ...lines].join(end);
        const wanted = recordsOf(text);
        try {
          expect((await csv(text)).rows).toHaveLength(wanted);
          read++;
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_argument' });
          refused++;
        }
      }),
      { seed: 20_260_101, numRuns: 40 },
    );
    expect([read > 3, refused > 3]).toEqual([true, true]);
  });

  it('may have its columns in another order than the one before it', async () => {
    const files = [file('one.csv', 'a,b\n1,2\n'), file('two.csv', 'b;a\n4;3\n')];
    expect(await imported({ files })).toMatchObject({
      rows: [
        ['1', '2'],
        ['3', '4'],
      ],
    });
  });
});

/** The records after the header by RFC 4180, empty lines left out; by regular expression. */
function recordsOf(text: string): number {
  const records = text.match(/(?:"(?:[^"]|"")*(?:"|$)|[^"\r\n]|(?<=[^,\r\n])")+/g) ?? [];
  return records.length - 1;
}

const CSV = 'id,at\n1,2024-06-01T12:00:00+05:30\n2,2024-06-01T12:00:00Z\n';
const NDJSON = '{"id":1,"at":"2024-06-01T12:00:00+05:30"}\n{"id":2,"at":"2024-06-01T12:00:00Z"}\n';
const ROWS = [
  ['1', '1717223400000000'],
  ['2', '1717243200000000'],
];

describe('compressed text', () => {
  it.each([
    ['p.csv.gz', gzipSync(CSV), 'gzip'],
    ['p.csv.zst', zstdCompressSync(CSV), 'zstd'],
    ['p.ndjson.gz', gzipSync(NDJSON), 'gzip'],
    ['p.jsonl.zst', zstdCompressSync(NDJSON), 'zstd'],
  ])('is read: %s', async (name, bytes, compression) => {
    const { rows, reading } = await imported({ files: [file(name, bytes)] });
    expect([rows, reading?.compression]).toEqual([ROWS, compression]);
  });

  it('is refused where it is damaged, and Parquet where it is compressed', async () => {
    const cut = gzipSync(CSV.repeat(9)).subarray(0, 40);
    const broken = imported({ files: [file('cut.csv.gz', cut)] });
    await expect(broken).rejects.toThrow(/cannot be decompressed/);
    for (const pack of [gzipSync, zstdCompressSync]) {
      const long = Array.from({ length: 5000 }, (_, i) => JSON.stringify({ id: i, v: `${i * i}` }));
      const bytes = pack(long.join('\n'));
      const name = pack === gzipSync ? 'cut.ndjson.gz' : 'cut.ndjson.zst';
      const lost = imported({ files: [file(name, bytes.subarray(0, bytes.length / 2))] });
      await expect(lost).rejects.toMatchObject({ code: 'invalid_argument' });
    }
    const parquet = imported({ files: [file('x.parquet.gz', gzipSync('PAR1'))] });
    await expect(parquet).rejects.toThrow(/decompress it first/);
  });
});

describe('a stream', () => {
  const parts = (bytes: string | Uint8Array) => Readable.from([Buffer.from(bytes)]);

  it.each([
    ['CSV', CSV, 'csv'],
    ['NDJSON', NDJSON, 'json'],
    ['gzipped NDJSON', gzipSync(NDJSON), 'json'],
    ['CSV in zstd', zstdCompressSync(CSV), 'csv'],
  ])('of %s is seen for what it is', async (_, bytes, format) => {
    const { rows, reading } = await imported({ stream: parts(bytes) });
    expect([rows, reading?.format]).toEqual([ROWS, format]);
  });

  it('of Parquet is read, and leaves nothing but the table', async () => {
    const path = join(folder, 'stream.parquet');
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    await connection.run(`COPY (SELECT 7 AS id) TO '${path}' (FORMAT parquet)`);
    const { readFileSync } = await import('node:fs');
    expect((await imported({ stream: parts(readFileSync(path)) })).rows).toEqual([['7']]);
    const left = readdirSync(lake, { recursive: true, encoding: 'utf8' });
    expect(left.filter((name) => name.includes('.lhs-work-'))).toEqual([]);
  });

  it('is refused by name where it is empty or broken, without a table', async () => {
    await expect(imported({ stream: parts('') })).rejects.toThrow(/standard input: it is empty/);
    const ragged = imported({ stream: parts('a,b\n1\n') });
    await expect(ragged).rejects.toThrow(/^cannot read standard input: line 2/);
    await expect(openTable({ catalog, table: `t.n${tables - 1}` })).rejects.toThrow();
  });

  it('has the format that the caller names', async () => {
    const { reading } = await imported({ stream: parts('[a\n1\n'), reading: { kind: 'csv' } });
    expect(reading).toMatchObject({ format: 'csv' });
  });
});

describe('the memory of a writer', () => {
  it('is what the caller says, and at least 128 MiB', async () => {
    const files = [file('m.csv', CSV)];
    await expect(imported({ files, memoryBytes: 2 ** 20 })).rejects.toThrow(/at least 128 MiB/);
    expect((await imported({ files, memoryBytes: 2 ** 28 })).rows).toEqual(ROWS);
  });
});
