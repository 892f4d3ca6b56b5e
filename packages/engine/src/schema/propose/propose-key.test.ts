import type { Batch, Field, SourceTable, Type, Value } from '@lakehouse-search/lake';
import { describe, expect, it } from 'vitest';
import { proposeKey } from './propose-key.ts';
import { sampleColumns } from './sample-columns.ts';

type Column = { readonly kind: Type['kind']; readonly of: (i: number) => Value };
const text = (of: (i: number) => Value): Column => ({ kind: 'string', of });
const long = (of: (i: number) => Value): Column => ({ kind: 'long', of });

/** A table of `rows` rows in two data files. */
function tableOf(columns: Readonly<Record<string, Column>>, rows: number, ids: number[] = []) {
  const fields = Object.entries(columns).map(([name, { kind }], i): Field => {
    return { id: i + 1, name, required: false, type: { kind } as Type };
  });
  async function* scan({ columns: names }: { columns: readonly string[] }): AsyncGenerator<Batch> {
    for (let from = 0; from < rows; from += 1500) {
      const count = Math.min(1500, rows - from);
      const numbers = Array.from({ length: count }, (_, i) => from + i);
      yield {
        rows: count,
        file: `f${from}`,
        positions: Int32Array.from(numbers, (n) => n - from),
        columns: names.map((name) => ({ kind: 'values', values: numbers.map(columns[name].of) })),
      };
    }
  }
  const schema = { schemaId: 0, fields, identifierFieldIds: ids };
  return { name: 'a.t', schema, currentSnapshotId: 1n, scan } as unknown as SourceTable;
}

async function proposed(columns: Readonly<Record<string, Column>>, rows = 500, ids?: number[]) {
  const table = tableOf(columns, rows, ids);
  const { columns: names, why } = await proposeKey(table, await sampleColumns(table));
  return [names.join(), why];
}

const own = text((i) => `v${i}`);
const number = long((i) => i);
const same = text(() => 'x');
const part = (n: number) => long((i) => i % n);
const page = (n: number) => long((i) => Math.floor(i / n));
const day: Column = { kind: 'date', of: (i) => i };
const instant: Column = { kind: 'timestamptz', of: (i) => BigInt(i) };
const double: Column = { kind: 'double', of: (i) => i };
const prose = text(
  (i) => `the pool of service ${i} was drained after the certificate rotation again`,
);

describe('the key of tables without identifier fields', () => {
  it.each<[string, Readonly<Record<string, Column>>, string]>([
    ['a commit log', { repo: same, sha: own, subject: prose }, 'sha'],
    ['tickets', { body: prose, note: own, row_id: number }, 'row_id'],
    ['airports', { iata: own, name: own, city: part(9) }, 'iata'],
    ['players of a ball game', { playerID: own, birthYear: part(90), name: own }, 'playerID'],
    ['orders in camel case', { status: same, orderId: number }, 'orderId'],
    ['a code that is no identifier before one that is', { code: own, id: number }, 'id'],
    ['countries', { name: same, cca2: own, cca3: own }, 'cca2'],
    ['a Spark table with a short identifier', { year: part(2), fid: number }, 'fid'],
    ['words that end like identifiers', { kind: same, paid: number, valid: own, monkey: own }, ''],
    ['books', { title: prose, isbn: own }, 'isbn'],
    ['zip codes', { zip_code: own, latitude: own }, 'zip_code'],
    ['a day a row', { date: day, rain: part(7) }, 'date'],
    ['a first column of names', { product: own, price: part(9) }, 'product'],
    ['a first column of first names', { first_name: own, age: part(9) }, ''],
    ['an identifier with NULL', { id: long((i) => (i === 400 ? null : i)) }, ''],
    ['an identifier that repeats late', { id: long((i) => Math.min(i, 498)) }, ''],
    ['strikes of birds', { airport: part(40), airline: part(9), cost: number }, ''],
    ['films', { Title: text((i) => (i > 490 ? null : `film ${i}`)), gross: number }, ''],
    ['cities with names that repeat', { name: part(490), lat: own, lng: own }, ''],
    ['log lines', { at: instant, line: prose }, ''],
    ['measures alone', { a: double }, ''],
    ['seasons', { playerID: page(5), yearID: part(5), stint: part(1) }, 'playerID,yearID'],
    ['stints', { playerID: page(6), yearID: part(3), stint: part(2) }, 'playerID,yearID,stint'],
    ['stocks', { symbol: page(100), date: part(100), price: part(3) }, 'symbol,date'],
    ['verses', { surah_id: page(50), number: part(50), text: prose }, 'surah_id,number'],
    ['years of countries without codes', { country: text((i) => `c${i % 9}`), year: part(50) }, ''],
    [
      'years of countries',
      { country: text((i) => `c${i % 9}`), year: page(9), gdp: number },
      'country,year',
    ],
    [
      'stations',
      { station: text((i) => `s${i % 4}`), date: { ...day, of: (i) => i >> 2 } },
      'station,date',
    ],
    [
      'sensors',
      {
        sensor: text((i) => `s${i % 4}`),
        at: { ...instant, of: (i) => BigInt(i >> 2) },
        v: double,
      },
      'sensor,at',
    ],
    [
      'names of babies',
      {
        name: text((i) => `n${i % 25}`),
        sex: text((i) => 'fm'[i % 2]),
        year: page(50),
        births: number,
      },
      'name,sex,year',
    ],
    [
      'names that differ by chance',
      { first: text((i) => `f${i % 99}`), town: text((i) => `t${(i * 7) % 101}`) },
      '',
    ],
    [
      'years of a country with NULL',
      { country: text((i) => (i === 9 ? null : `c${i % 9}`)), year: page(9) },
      '',
    ],
    [
      'a year of a country that comes twice',
      { country: text((i) => `c${i % 9}`), year: long((i) => Math.min((i / 9) | 0, 54)) },
      '',
    ],
    ['verses without identifiers', { sura: page(50), verse: part(50), text: prose }, 'sura,verse'],
    ['counts that are no verses', { sura: page(50), verse: part(25), text: prose }, ''],
    [
      'emoji on a sheet',
      { k: same, x: page(50), y: part(50), name: prose, unified: own },
      'unified',
    ],
    ['sorted numbers', { total: long((i) => i + (i >> 4)), rank2: part(9), text: prose }, 'total'],
    ['an access log', { client: text((i) => `10.0.${i >> 8}.${i & 255}`), at: instant }, ''],
    ['prose as the first column', { body: prose, x: part(3) }, ''],
  ])('is right: %s', async (_, columns, expected) => {
    expect((await proposed(columns))[0]).toBe(expected);
  });

  it('says in how many rows it was compared, and how sure it is', async () => {
    expect(await proposed({ id: number })).toEqual([
      'id',
      'likely: the values differ in all 500 rows',
    ]);
    const rows = 120_000;
    expect(await proposed({ id: number }, rows)).toEqual([
      'id',
      'likely: the values differ in the first 100,000 rows',
    ]);
    expect(await proposed({ product: own }, 40)).toEqual([
      'product',
      'a guess: the values differ in all 40 rows',
    ]);
    expect(await proposed({ product: own }, rows)).toEqual([
      '',
      'no columns that look like a key differ in the first 100,000 rows',
    ]);
    expect(await proposed({ id: long((i) => Math.min(i, 90_000)) }, rows)).toEqual([
      '',
      'no columns that look like a key differ in the first 100,000 rows',
    ]);
  });

  it('is found in a table that is sorted by a part of it', async () => {
    const columns = { country: page(3000), year: part(3000), gdp: double };
    const station = { ...columns, country: text((i) => `c${Math.floor(i / 3000)}`) };
    expect((await proposed(station, 9000))[0]).toBe('country,year');
  });

  it('has columns that are not named like a key only if all rows were compared', async () => {
    const columns = { country: text((i) => `c${i % 300}`), year: page(300) };
    expect((await proposed(columns, 90_000))[0]).toBe('country,year');
    expect((await proposed(columns, 120_000))[0]).toBe('');
  });

  it('needs a column whose type a key can have', async () => {
    const why = 'no column is a text, a whole number or a date';
    expect(await proposed({ a: double, b: double })).toEqual(['', why]);
  });

  it('is not guessed from a few rows', async () => {
    expect((await proposed({ product: own }, 5))[0]).toBe('');
    expect((await proposed({ id: own }, 5))[0]).toBe('id');
    expect((await proposed({ a_id: page(5), b_id: part(5) }, 50))[0]).toBe('');
  });

  it('is the identifier fields if there are some', async () => {
    expect(await proposed({ id: number, body: same }, 5, [2])).toEqual([
      'body',
      "the table's identifier fields",
    ]);
  });
});
