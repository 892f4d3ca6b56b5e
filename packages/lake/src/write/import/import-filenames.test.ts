import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { importFolder } from '../../../test/import-folder.ts';
import { followTextFile } from '../follow/follow-file.ts';
import { importIntoTable } from './import-files.ts';

/** Imports with the names of files, compared with what DuckDB reads of the same files. */
const { folder, file, imported } = importFolder('filenames');

let sql: (query: string) => Promise<unknown[][]>;
beforeAll(async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  sql = async (query) => (await connection.runAndReadAll(query)).getRowsJson();
});

const sorted = (rows: readonly unknown[][]) => rows.map((row) => JSON.stringify(row)).toSorted();
const named = { filename: true } as const;

describe('imports of several files', () => {
  it('have a row for each whole text', async () => {
    const speech = 'Fellow citizens:\r\n\r\n"1, 2"\n\tÜber 2024-01-01\n';
    file("speech 1's.txt", speech);
    file('speech 2.txt', '{"a": 1}\n');
    file('speech 3.txt', '');
    const pattern = join(folder, 'speech *.txt');
    const { types, rows } = await imported(pattern, { wholeFiles: true });
    expect(types).toEqual({ filename: 'string', text: 'string' });
    const expected = await sql(`SELECT filename, content FROM read_text('${pattern}')`);
    expect(sorted(rows)).toEqual(sorted(expected));
  });

  it.each([
    ['csv', ['a,b\n1,x\n', 'b,a\ny,2\n'], 'read_csv'],
    ['ndjson', ['{"a":1,"b":"x"}\n', '{"b":"y","a":2}\n{"a":3}\n'], 'read_json'],
    ['json', ['[{"a":1,"b":"x"}]', '[{"a":2}]'], 'read_json'],
  ])('have the name of the file of each row: %s', async (ending, texts, read) => {
    const paths = texts.map((text, i) => file(`part-${i}.${ending}`, text));
    const options = 'union_by_name=true, filename=true';
    const from = `${read}([${paths.map((path) => `'${path}'`).join()}], ${options})`;
    const { rows } = await imported(join(folder, `part-?.${ending}`), named);
    expect(sorted(rows)).toEqual(sorted(await sql(`SELECT filename, a::INT, b FROM ${from}`)));
    const nulls = await imported(join(folder, `part-?.${ending}`), { ...named, nulls: ['x'] });
    const expected = `SELECT count(*)::INT FROM ${from} WHERE b IS NULL OR b = 'x'`;
    expect([[nulls.rows.filter((row) => row[2] === null).length]]).toEqual(await sql(expected));
  });

  it('have the name of the file of each row: Parquet', async () => {
    const paths = [1, 2].map((n) => join(folder, `q-${n}.parquet`));
    for (const path of paths) await sql(`COPY (SELECT 1::INT AS a) TO '${path}' (FORMAT parquet)`);
    const { rows } = await imported(join(folder, 'q-*.parquet'), named);
    expect(sorted(rows)).toEqual(sorted(paths.map((path) => [path, 1])));
  });

  it.each([
    [
      'lines',
      'one\n\ntwo\n',
      [
        ['1', 'one'],
        ['3', 'two'],
      ],
    ],
    [
      'patterns',
      'k=1\nno\n',
      [
        ['1', null],
        [null, 'no'],
      ],
    ],
    ['JSON', 'at {"a":1}\n', [['at', '1']]],
  ])('have the name of the file of each row: %s', async (what, text, values) => {
    const paths = [1, 2].map((n) => file(`${what}-${n}.log`, text));
    const pattern = what === 'patterns' ? { pattern: 'k=(?<k>\\d+)' } : {};
    const { rows } = await imported(join(folder, `${what}-?.log`), { ...named, ...pattern });
    const expected = paths.flatMap((path) => values.map((row) => [path, ...row].map(String)));
    const texts = rows.map((row) => row.map(String));
    expect(sorted(texts.map((row) => row.toSorted()))).toEqual(
      sorted(expected.map((row) => row.toSorted())),
    );
  });

  it('are added to by name, and no file is followed so', async () => {
    const catalog = { type: 'filesystem', warehouse: join(folder, 'named') } as const;
    const options = { catalog, table: 'a.t', reading: named };
    const first = file('first.csv', 'a\n1\n');
    await importIntoTable({ ...options, files: [first] });
    const more = { ...options, files: [file('second.csv', 'a\n2\n')] };
    expect(await importIntoTable({ ...more, mode: 'append' })).toMatchObject({ inserted: 1 });
    appendFileSync(first, '3\n');
    const steps = followTextFile({ ...options, table: 'a.u', file: first, intervalMs: 1 });
    await expect(steps.next()).rejects.toThrow('its rows get no name of a file');
  });
});
