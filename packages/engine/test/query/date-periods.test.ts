/** Years, months, days and instants in queries on three types of columns, against DuckDB. */
import { DuckDBInstance } from '@duckdb/node-api';
import type { Schema } from '@lakehouse-search/lake';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const COLUMNS = ['date', 'timestamp', 'timestamptz'] as const;
const SCHEMA: Schema = {
  schemaId: 0,
  identifierFieldIds: [],
  fields: COLUMNS.map((kind, i) => ({ id: i + 1, name: kind, required: false, type: { kind } })),
};
const DEFINITION = `key: row
fields:
${COLUMNS.map((name) => `  - { name: ${name}, type: DATE }`).join('\n')}`;

const DAYS = ['2012-12-31', '2013-01-01', '2013-07-30', '2013-07-31', '2013-08-01', '2014-01-01'];
const CLOCKS = ['00:00:00.000000', '00:00:00.000001', '12:30:00.000000', '23:59:59.999999'];
const INSTANTS = DAYS.flatMap((day) => CLOCKS.map((clock) => `${day}T${clock}`));
/** Dates of queries, with the instants between which DuckDB finds what they cover. */
const DATES: Readonly<Record<string, readonly [from: string, next: string]>> = {
  '2013': ['2013-01-01', '2014-01-01'],
  '2013-07': ['2013-07-01', '2013-08-01'],
  '2013-12': ['2013-12-01', '2014-01-01'],
  '2012-12-31': ['2012-12-31', '2012-12-31 00:00:00.000001'],
  '2013-07-31': ['2013-07-31', '2013-07-31 00:00:00.000001'],
  '2013-07-31/d': ['2013-07-31', '2013-08-01'],
  '2013-07-31T12:30:00Z': ['2013-07-31 12:30:00', '2013-07-31 12:30:00.000001'],
  '2013-07-30T12:30:00||+1d/d': ['2013-07-31', '2013-08-01'],
};

let lake: SmallLake;
let duckdb: DuckDBInstance;
beforeAll(async () => {
  lake = await openSmallLake();
  const rows = INSTANTS.map((at) => ({
    date: at.slice(0, 10),
    timestamp: at,
    timestamptz: `${at}Z`,
  }));
  await lake.create(SCHEMA, { rows });
  await lake.build(DEFINITION);
  duckdb = await DuckDBInstance.create();
});
afterAll(async () => {
  duckdb.closeSync();
  await lake.close();
});

/** Rows of DuckDB whose column, as an instant in UTC, meets the condition on `instant`. */
async function rowsOf(column: string, condition: string): Promise<number> {
  const connection = await duckdb.connect();
  const values = INSTANTS.map((at) => `(TIMESTAMP '${at}')`).join(', ');
  const at = column === 'date' ? 'CAST(CAST(i AS DATE) AS TIMESTAMP)' : 'i';
  const sql = `SELECT count(*)::INT FROM (SELECT ${at} AS instant FROM (VALUES ${values}) v(i))`;
  const found = await connection.runAndReadAll(`${sql} WHERE ${condition}`);
  connection.closeSync();
  return found.getRows()[0]![0] as number;
}

const time = (text: string) => `TIMESTAMP '${text}'`;
const since = (text: string) => `instant >= ${time(text)}`;
const before = (text: string) => `instant < ${time(text)}`;
const OPERATORS = {
  gte: (date: string) => since(DATES[date]![0]),
  gt: (date: string) => since(DATES[date]![1]),
  lte: (date: string) => before(DATES[date]![1]),
  lt: (date: string) => before(DATES[date]![0]),
};

const total = async (request: object) =>
  (await lake.backend.search({ index: 't', ...request })).total;
const covered = (date: string) => `${OPERATORS.gte(date)} AND ${OPERATORS.lte(date)}`;

describe.each(COLUMNS)('dates of queries on a %s', (column) => {
  it.each(Object.keys(DATES))('%s covers all that it names', async (date) => {
    const expected = await rowsOf(column, covered(date));
    const query = `${column}:"${date}"`;
    expect(await total({ query })).toBe(expected);
    expect(await total({ filter: query })).toBe(expected);
    expect(await total({ ast: { term: { field: column, value: date } } })).toBe(expected);
    expect(await total({ ast: { terms: { field: column, values: [date] } } })).toBe(expected);
    expect(await total({ query: `${column}:["${date}" TO "${date}"]` })).toBe(expected);
    expect(await total({ query: `-${query}` })).toBe(INSTANTS.length - expected);
  });

  it('bound a range by their first or last instant', async () => {
    const date = fc.constantFrom(...Object.keys(DATES));
    const [lower, upper] = [
      fc.constantFrom('gte' as const, 'gt'),
      fc.constantFrom('lte' as const, 'lt'),
    ];
    const check = fc.asyncProperty(lower, date, upper, date, async (low, from, high, to) => {
      const condition = `${OPERATORS[low](from)} AND ${OPERATORS[high](to)}`;
      const expected = await rowsOf(column, condition);
      const [open, close] = [low === 'gte' ? '[' : '{', high === 'lte' ? ']' : '}'];
      const query = `${column}:${open}"${from}" TO "${to}"${close}`;
      expect(await total({ query }), query).toBe(expected);
      const ast = { range: { field: column, [low]: from, [high]: to } };
      expect(await total({ ast })).toBe(expected);
    });
    await fc.assert(check, { numRuns: 60 });
  });

  it('bound the ranges of an aggregation by their first instant', async () => {
    const ranges = [{ from: '2013', to: '2013-07-31' }, { from: '2013-08' }];
    const aggs = { a: { range: { field: column, ranges } } };
    const { results } = await lake.backend.aggregate({ index: 't', aggs });
    const conditions = [`${since('2013-01-01')} AND ${before('2013-07-31')}`, since('2013-08-01')];
    const expected = await Promise.all(conditions.map((one) => rowsOf(column, one)));
    expect(results.a).toMatchObject({ buckets: expected.map((doc_count) => ({ doc_count })) });
  });
});
