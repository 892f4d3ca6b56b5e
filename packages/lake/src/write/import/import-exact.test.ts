import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it } from 'vitest';
import { importFolder } from '../../../test/import-folder.ts';
import { importIntoTable } from './import-files.ts';

/** Numbers that a column of another type would change. */
const { folder, file, imported } = importFolder('exact');

/** Rows of NDJSON of one column, with numbers as they are written. */
const ndjson = (name: string, ...values: readonly string[]) =>
  file(name, values.map((value) => `{"v": ${value}}\n`).join(''));

let tables = 0;
/** Appends a second file to the table of the first one. */
async function appended(first: string, second: string) {
  const catalog = { type: 'filesystem', warehouse: join(folder, 'appended') } as const;
  const table = `t.a${tables++}`;
  await importIntoTable({ catalog, table, files: [first] });
  await importIntoTable({ catalog, table, files: [second], mode: 'append' });
}

const LARGE = '9007199254740993';

describe('numbers of JSON', () => {
  it('are refused by row if a floating-point column would change them', async () => {
    for (const lost of [LARGE, `-${LARGE}`, '12345678901234567891']) {
      const mixed = imported(ndjson('mixed.ndjson', '1.5', lost));
      await expect(mixed).rejects.toThrow(`row 2: column "v" expects double, not "${lost}"`);
    }
    const float = imported(ndjson('float.ndjson', '1.5', '16777217'), { types: { v: 'float' } });
    await expect(float).rejects.toThrow('row 2: column "v" expects float, not "16777217"');
  });

  it('are refused inside of lists, objects and maps', async () => {
    for (const value of [`[1.5, ${LARGE}]`, `{"a": ${LARGE}}`, `{"a": [{"b": ${LARGE}}]}`]) {
      const path = ndjson('nested.ndjson', value.replace(LARGE, '2.5'), value);
      await expect(imported(path)).rejects.toThrow(/row 2: column "v.*" expects double, not "9007/);
    }
  });

  it('are stored if their value or their shortest text stays', async () => {
    const values = ['1.5', '9007199254740992', '-9007199254740994', '36028797018963970', '1e30'];
    const { types, rows } = await imported(ndjson('kept.ndjson', ...values, 'null'));
    expect(types.v).toBe('double');
    expect(rows.map(([value]) => value)).toEqual([...values.map(Number), null]);
  });

  it.each([
    ['1', '1.5', 'long'],
    ['1', 'true', 'long'],
    ['1', '18446744073709551615', 'long'],
    ['1.5', 'true', 'double'],
    ['1.5', LARGE, 'double'],
    ['true', '2', 'true or false'],
    ['[1]', '[2.5]', 'long'],
    ['{"a": 1}', '{"a": 2.5}', 'long'],
  ])('are refused by a column of %s that would change %s', async (first, value, expected) => {
    const added = appended(ndjson('first.ndjson', first), ndjson('second.ndjson', first, value));
    await expect(added).rejects.toThrow(new RegExp(`row 2: column "v.*" expects ${expected}, not`));
  });

  it.each([
    ['1', '2.0'],
    ['1.5', '2'],
    ['[1.5]', '[2]'],
    ['{"a": 1}', '{"a": 2.0}'],
    ['{"a": [0.5]}', '{"a": [3, "4"]}'],
  ])('are taken by a column of %s that keeps %s', async (first, value) => {
    await appended(ndjson('first.ndjson', first), ndjson('second.ndjson', value));
  });
});

describe('numbers of Parquet', () => {
  const parquet = async (name: string, sql: string) => {
    const path = join(folder, name);
    const connection = await (await DuckDBInstance.create()).connect();
    await connection.run(`COPY (SELECT ${sql} AS v) TO '${path}' (FORMAT parquet)`);
    connection.closeSync();
    return path;
  };

  it.each([
    ['1::BIGINT', '1.5::DOUBLE', '1.5'],
    ['1.5::DOUBLE', `${LARGE}::BIGINT`, LARGE],
    ['1.25::DECIMAL(9, 2)', '1.125::DECIMAL(9, 3)', '1.125'],
    ['[1::BIGINT]', '[1.5::DOUBLE]', '1.5'],
  ])('are refused by a column of %s that would change %s', async (first, second, value) => {
    const added = appended(await parquet('1.parquet', first), await parquet('2.parquet', second));
    await expect(added).rejects.toThrow(new RegExp(`row 1: column "v" expects .*, not "${value}"`));
  });

  it.each([
    ['1::BIGINT', '2.0::DOUBLE'],
    ['1.5::DOUBLE', '2::INTEGER'],
    ['1.5::DOUBLE', '9007199254740992::BIGINT'],
    ['1.25::DECIMAL(9, 2)', '1.120::DECIMAL(9, 3)'],
    ['1::BIGINT', '2::UBIGINT'],
  ])('are taken by a column of %s that keeps %s', async (first, second) => {
    await appended(await parquet('1.parquet', first), await parquet('2.parquet', second));
  });
});
