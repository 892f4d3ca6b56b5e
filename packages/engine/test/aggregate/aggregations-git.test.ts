// @module-tag campaign
/**
 * Random aggregations over git.commits, synced to its head from its first snapshot, against DuckDB
 * over the table's rows. LHS_AGG_GIT_CASES sets how many (campaigns: 50; long tests: 2,000).
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { openTable, valueAt, valueToJson } from '@lakehouse-search/lake';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { hasShared, tablePath } from '../../../../test/support/shared-tables.ts';
import {
  dateWire,
  doubleWire,
  longWire,
  namedSpecs,
  type SqlColumn,
  SqlOracle,
} from './aggregation-sql.ts';
import { expectEqual, type RandomFields, randomAggs } from './random-aggregations.ts';

const CASES = Number(process.env.LHS_AGG_GIT_CASES ?? byEffort(0, 50, 2000));
const SEED = Number(process.env.LHS_SEED ?? 20_261_121);

const COLUMNS: Readonly<Record<string, SqlColumn>> = {
  repo: { type: 'KEYWORD', wire: (text) => text },
  author: { type: 'KEYWORD', wire: (text) => text },
  authored_at: { type: 'DATE', wire: dateWire },
  lines: { type: 'LONG', wire: longWire },
  words: { type: 'LONG', wire: longWire },
  upper_ratio: { type: 'DOUBLE', wire: doubleWire },
  is_revert: { type: 'BOOL', wire: (text) => text === '1' },
};
const micros = (iso: string) => String(BigInt(Date.parse(iso)) * 1000n);
const FIELDS: RandomFields = {
  columns: COLUMNS,
  terms: ['repo', 'lines', 'words', 'is_revert'],
  numbers: ['lines', 'words', 'upper_ratio'],
  date: 'authored_at',
  // Few buckets: the oracle asks DuckDB once a bucket and nested aggregation.
  fixed: [
    ['3650d', 315_360_000_000_000n],
    ['1000d', 86_400_000_000_000n],
  ],
  widths: [
    ['lines', 1000],
    ['upper_ratio', 0.25],
  ],
  units: ['year'],
  zones: ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'America/Sao_Paulo'],
  bounds: {
    lines: ['0', '1', '5', '50'],
    words: ['3', '10', '100'],
    upper_ratio: ['0', '0.01', '0.1', '0.5'],
    authored_at: ['2005-01-01T00:00:00Z', '2015-06-01T12:00:00Z'].map(micros),
  },
  missing: {
    lines: { sql: `'7'::bigint`, wire: 7 },
    is_revert: { sql: '0::bigint', wire: false },
  },
  filters: ['git', 'vim', 'none'].map((repo) => ({
    query: `repo:${repo}`,
    sql: `list_contains(repo, '${repo}')`,
  })),
};
const depths = fc.oneof(
  { weight: 9, arbitrary: randomAggs(FIELDS, 0) },
  { weight: 1, arbitrary: randomAggs(FIELDS, 1) },
);
const QUERIES = [
  [undefined, 'true'],
  ['repo:vim', `list_contains(repo, 'vim')`],
  ['words:[10 TO 20]', 'len(list_filter(words, v -> v between 10 and 20)) > 0'],
  ['is_revert:true AND lines:[2 TO *]', 'list_contains(is_revert, 1) and lines[1] >= 2'],
] as const;

async function load(folder: string) {
  const table = await openTable({ path: tablePath('git.commits') });
  const names = Object.keys(COLUMNS);
  const fields = names.map((name) => table.schema.fields.find((f) => f.name === name)!);
  const file = join(folder, 'rows.ndjson');
  writeFileSync(file, '');
  for await (const { rows, columns } of table.scan({ columns: names })) {
    const lines = Array.from({ length: rows }, (_, i) =>
      JSON.stringify(
        Object.fromEntries(
          fields.map((f, c) => [f.name, valueToJson(f.type, valueAt(columns[c], i))]),
        ),
      ),
    );
    await appendFile(file, `${lines.join('\n')}\n`);
  }
  await table.close();
  const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
  const list = (name: string) => {
    const { type } = COLUMNS[name];
    const casts = { DATE: `epoch_us(${name}::timestamptz)`, BOOL: `${name}::boolean::bigint` };
    const plain = type === 'DOUBLE' ? `${name}::double` : `${name}::bigint`;
    const value = type === 'KEYWORD' ? name : ((casts as Record<string, string>)[type] ?? plain);
    return `if(${name} is null, [], [${value}]) as ${name}`;
  };
  const types = names.map((name) => `${name}: 'varchar'`).join(', ');
  await connection.run(
    `create table docs as select ${names.map(list).join(', ')}
     from read_json('${file}', format = 'newline_delimited', columns = {${types}})`,
  );
  return { connection, oracle: new SqlOracle(connection, 'docs', COLUMNS) };
}

describe.skipIf(!hasShared || CASES === 0)('aggregations over git.commits', () => {
  it(`${CASES} random aggregations equal DuckDB's (seed ${SEED})`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lhs-aggregations-git-'));
    const backend = await openEngine(join(folder, 'data'), { create: true, threads: 0 });
    const fields = Object.entries(COLUMNS).map(
      ([name, { type }]) => `  - { name: ${name}, type: ${type}, fast: true }`,
    );
    const path = tablePath('git.commits');
    const source = `source: { path: ${path} }\nkey: { identifier: [repo, sha] }`;
    const definition = `version: 1\nindex: t\n${source}\nfields:\n${fields.join('\n')}\n`;
    const { connection, oracle } = await load(folder);
    try {
      await backend.createIndex({ definition });
      const table = await openTable({ path: tablePath('git.commits') });
      const first = table.snapshots.toSorted((a, b) => Number(a.timestampMs - b.timestampMs))[0];
      await table.close();
      await backend.reindex({ as_of: String(first.id) });
      await backend.sync({});
      const { segments, deleted_docs } = await backend.describeIndex({});
      expect(segments).toBeGreaterThan(1);
      expect(deleted_docs).toBeGreaterThan(0);
      const cases = fc.sample(fc.tuple(fc.constantFrom(...QUERIES), depths), {
        seed: SEED,
        numRuns: CASES,
      });
      for (const [[query, where], list] of cases) {
        const aggs = namedSpecs(list) as never;
        const answer = await backend.aggregate({ aggs, ...(query === undefined ? {} : { query }) });
        expect(answer.total).toBe(await oracle.count(where));
        const path = `${query} ${JSON.stringify(aggs)}`;
        expectEqual(answer.results, await oracle.all(list, where), path);
      }
    } finally {
      connection.closeSync();
      await backend.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
