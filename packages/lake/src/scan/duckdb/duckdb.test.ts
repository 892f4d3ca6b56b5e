import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processMark } from '../../base/process-mark.ts';
import type { Field, Type, Value } from '../../schema/type.ts';
import { valueAt } from '../vectors.ts';
import { LockedDuckDb } from './instance.ts';
import { scanParquet } from './parquet-scan.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lake-duckdb-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/**
 * Writes a query's rows as Parquet with another DuckDB, and returns them as that DuckDB sees them.
 */
async function writeParquet(path: string, query: string, options = ''): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`COPY (${query}) TO '${path}' (FORMAT parquet${options})`);
  connection.closeSync();
  instance.closeSync();
}

async function read(path: string, columns: readonly (readonly [string, Type])[]) {
  const db = await LockedDuckDb.open([path]);
  const rows: Value[][] = [];
  const wanted = columns.map(([name, type], i): { name: string; field: Field } => ({
    name,
    field: { id: i + 1, name, required: false, type },
  }));
  try {
    for await (const chunk of scanParquet(db, path, wanted)) {
      expect(chunk.firstRow).toBe(rows.length);
      for (let row = 0; row < chunk.rows; row++) {
        rows.push(chunk.columns.map((column) => valueAt(column, row)));
      }
    }
  } finally {
    db.close();
  }
  return rows;
}

const string: Type = { kind: 'string' };

/**
 * Strings of every length around the 12 bytes that DuckDB keeps in place, NULLs, NULs and repeats.
 */
function textOf(i: number): string | null {
  if (i % 7 === 3) return null;
  if (i % 11 === 0) return '';
  if (i % 13 === 0) return `nul\0${'x'.repeat(i % 30)}\0`;
  return `${[...'äß€😀'].slice(0, i % 5).join('')}${String(i).padStart(i % 40, '_')}`;
}

describe('a DuckDB that is closed while it works', () => {
  const LONG = 'SELECT sum(hash(a.range * b.range)) FROM range(100000) a, range(100000) b';
  const works: [string, (db: LockedDuckDb) => Promise<unknown>][] = [
    ['runs', (db) => db.guard(() => db.connection.run(LONG))],
    ['streams', (db) => db.stream(LONG).then((result) => db.guard(() => result.fetchChunk()))],
    ['reads', (db) => db.guard(() => db.connection.runAndReadAll(LONG))],
  ];

  it.each(works)('interrupts the statement that it %s, and frees itself then', async (_, work) => {
    for (let turns = 0; turns < 6; turns++) {
      const db = await LockedDuckDb.open([], { threads: 2 });
      const ended = expect(work(db)).rejects.toThrow(/INTERRUPT|closed/i);
      for (let turn = 0; turn < turns; turn++) await new Promise((next) => setImmediate(next));
      db.close();
      db.close();
      await ended;
      await expect(db.stream('SELECT 1')).rejects.toMatchObject({ code: 'internal' });
    }
  });
});

describe('text out of DuckDB', () => {
  it.each([
    ['plain pages', ', DICTIONARY_SIZE_LIMIT 1'],
    ['many row groups', ', ROW_GROUP_SIZE 2048'],
    ['zstd', ', COMPRESSION zstd'],
  ])('is exact in %s', async (name, options) => {
    const texts = Array.from({ length: 10_000 }, (_, i) => textOf(i));
    const json = join(folder, `${name}.json`);
    writeFileSync(json, JSON.stringify(texts.map((t) => ({ t }))));
    const path = join(folder, `${name}.parquet`);
    await writeParquet(path, `SELECT t FROM read_json('${json}', columns={t:'VARCHAR'})`, options);
    expect((await read(path, [['t', string]])).map(([t]) => t)).toEqual(texts);
  });

  it('is exact where a dictionary repeats long strings in any order', async () => {
    const path = join(folder, 'dictionary.parquet');
    const text =
      "CASE WHEN i % 9 = 4 THEN NULL ELSE 'a long dictionary entry ' || (i * 7919) % 17 END";
    await writeParquet(path, `SELECT ${text} AS t FROM range(20000) r(i)`);
    const expected = Array.from({ length: 20_000 }, (_, i) =>
      i % 9 === 4 ? null : `a long dictionary entry ${(i * 7919) % 17}`,
    );
    expect((await read(path, [['t', string]])).map(([t]) => t)).toEqual(expected);
  });

  it('is exact inside lists and structs', async () => {
    const path = join(folder, 'nested.parquet');
    await writeParquet(
      path,
      `SELECT CASE WHEN i % 5 = 0 THEN NULL ELSE
         [{'s': 'text number ' || i, 'n': i}, NULL, {'s': NULL, 'n': -i}] END AS l
       FROM range(3000) r(i)`,
    );
    const field = (id: number, name: string, type: Type): Field => ({
      id,
      name,
      required: false,
      type,
    });
    const struct: Type = {
      kind: 'struct',
      fields: [field(2, 's', string), field(3, 'n', { kind: 'long' })],
    };
    const list: Type = { kind: 'list', elementId: 4, elementRequired: false, element: struct };
    const rows = await read(path, [['l', list]]);
    expect(rows).toHaveLength(3000);
    rows.forEach(([value], i) => {
      const n = BigInt(i);
      const expected = [{ s: `text number ${i}`, n }, null, { s: null, n: -n }];
      expect(value).toEqual(i % 5 === 0 ? null : expected);
    });
  });
});

describe('values out of DuckDB', () => {
  it('are exact at the ends of their ranges', async () => {
    const path = join(folder, 'edges.parquet');
    await writeParquet(
      path,
      `SELECT * FROM (VALUES
        ((-9223372036854775808)::BIGINT, (-2147483648)::INTEGER, 'NaN'::DOUBLE, '-0.0'::DOUBLE,
         (-9999.9)::DECIMAL(5,1), '99999999999999999999999999999999999.999'::DECIMAL(38,3),
         'ffffffff-ffff-ffff-ffff-ffffffffffff'::UUID, '\\x00\\xFF'::BLOB, true, 1.5::FLOAT),
        (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
        (9223372036854775807, 2147483647, '-Infinity', 0.1, 0.1, -0.001,
         '00000000-0000-0000-0000-00000000000a', '', false, '-Infinity')) t(a,b,c,d,e,f,g,h,i,j)`,
    );
    const types: readonly (readonly [string, Type])[] = [
      ['a', { kind: 'long' }],
      ['b', { kind: 'int' }],
      ['c', { kind: 'double' }],
      ['d', { kind: 'double' }],
      ['e', { kind: 'decimal', precision: 5, scale: 1 }],
      ['f', { kind: 'decimal', precision: 38, scale: 3 }],
      ['g', { kind: 'uuid' }],
      ['h', { kind: 'binary' }],
      ['i', { kind: 'boolean' }],
      ['j', { kind: 'float' }],
    ];
    expect(await read(path, types)).toEqual([
      [
        -(2n ** 63n),
        -(2 ** 31),
        Number.NaN,
        -0,
        -99_999n,
        10n ** 38n - 1n,
        'ffffffff-ffff-ffff-ffff-ffffffffffff',
        Uint8Array.of(0, 255),
        true,
        1.5,
      ],
      new Array(10).fill(null),
      [
        2n ** 63n - 1n,
        2 ** 31 - 1,
        Number.NEGATIVE_INFINITY,
        0.1,
        1n,
        -1n,
        '00000000-0000-0000-0000-00000000000a',
        new Uint8Array(0),
        false,
        Number.NEGATIVE_INFINITY,
      ],
    ]);
  });

  it('do not come from the folder names of a partitioned layout', async () => {
    const path = join(folder, 'region=elsewhere.parquet');
    await writeParquet(path, "SELECT 'here' AS region");
    expect(await read(path, [['region', string]])).toEqual([['here']]);
  });
});

describe('a locked instance', () => {
  it('opens the files it was given, and nothing else', async () => {
    const path = join(folder, "it's allowed.parquet");
    const other = join(folder, 'other.parquet');
    await writeParquet(path.replaceAll("'", "''"), 'SELECT 1 AS x');
    await writeParquet(other, 'SELECT 2 AS x');
    const db = await LockedDuckDb.open([path]);
    const quoted = path.replaceAll("'", "''");
    await db.stream(`SELECT x FROM read_parquet('${quoted}')`);
    for (const sql of [
      `SELECT x FROM read_parquet('${other}')`,
      `SELECT x FROM read_parquet('${quoted}/../other.parquet')`,
      `SELECT * FROM read_text('/etc/passwd')`,
      `SELECT * FROM glob('/*')`,
      `COPY (SELECT 1) TO '${join(folder, 'written.csv')}'`,
      `ATTACH '${join(folder, 'attached.db')}'`,
      "SELECT * FROM read_parquet('https://example.org/x.parquet')",
      'INSTALL httpfs',
      "LOAD 'httpfs'",
      'SET enable_external_access=true',
      "SET allowed_paths=['/etc/passwd']",
      "SET memory_limit='100GB'",
      'SET lock_configuration=false',
    ]) {
      await expect(db.stream(sql), sql).rejects.toThrow();
      expect(db.poisoned, sql).toBe(false);
    }
    db.close();
  });

  it('spills beyond its memory into a folder that goes with it', async () => {
    const others = new Set(readdirSync(tmpdir()));
    const spilled = () =>
      readdirSync(tmpdir())
        .filter((name) => name.startsWith(`.lhs-work-${processMark()}-`) && !others.has(name))
        .flatMap((name) =>
          readdirSync(join(tmpdir(), name), { recursive: true, encoding: 'utf8' }),
        );
    const db = await LockedDuckDb.open([], { memoryBytes: 48 * 2 ** 20, threads: 1 });
    const sql = `SELECT md5(i::VARCHAR) AS x FROM range(2_000_000) r(i) ORDER BY x`;
    const result = await db.stream(sql);
    await result.fetchChunk();
    expect(spilled().some((name) => name.includes('.tmp'))).toBe(true);
    db.close();
    expect(spilled()).toEqual([]);
  });

  it('reports the limits that it was opened with', async () => {
    const db = await LockedDuckDb.open([], { memoryBytes: 100 * 2 ** 20 });
    const names = ['memory_limit', 'max_temp_directory_size', 'temp_directory'];
    const columns = names.map((name) => `current_setting('${name}')`).join(', ');
    const [row] = (await db.connection.runAndReadAll(`SELECT ${columns}`)).getRows();
    expect(row.slice(0, 2)).toEqual(['100.0 MiB', '4.0 GiB']);
    expect(row[2]).toContain(join(tmpdir(), '.lhs-work-'));
    await expect(db.stream(`COPY (SELECT 1) TO '${row[2]}/x.csv'`)).rejects.toThrow();
    db.close();
  });

  it('is poisoned by an internal error, and by that alone', async () => {
    const db = await LockedDuckDb.open([]);
    await expect(db.guard(() => Promise.reject(new Error('Parser Error: x')))).rejects.toThrow();
    expect(db.poisoned).toBe(false);
    await expect(db.guard(() => Promise.reject(new Error('INTERNAL Error: x')))).rejects.toThrow();
    expect(db.poisoned).toBe(true);
    db.close();
  });
});
