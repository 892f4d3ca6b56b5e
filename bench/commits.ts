/**
 * Makes the indexes that other benchmarks search, in LHS_BENCH_DIR/lhs-data: `commits` over
 * git.commits of the shared folder, whose keys are hashes, and `numbered` over the same corpus with
 * a key that grows from row to row.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { need, SHARED, WORK } from './shared.ts';

const LHS = fileURLToPath(new URL('../packages/cli/bin/lhs.js', import.meta.url));
const table = need(join(SHARED, 'iceberg/git.commits'), 'the shared folder');
const corpus = need(join(SHARED, 'data/commits.parquet'), 'the shared folder');
const data = join(WORK, 'lhs-data');
const warehouse = join(WORK, 'numbered');

const lhs = (...args: string[]) =>
  execFileSync(process.execPath, [LHS, ...args, '--data-dir', data], { stdio: 'inherit' });

function makeIndex(name: string, source: string, key: string): void {
  const file = join(data, `${name}.yaml`);
  writeFileSync(
    file,
    `version: 1
index: ${name}
source: ${source}
key: ${key}
fields:
  - { name: text, type: TEXT, source: [subject, body], analyzer: simple }
  - { name: subject, type: TEXT, analyzer: english, cached: true }
  - { name: repo, type: KEYWORD, fast: true, cached: true }
  - { name: author, type: KEYWORD, fast: true }
  - { name: authored_at, type: DATE, cached: true }
  - { name: words, type: LONG }
`,
  );
  lhs('index', 'create', '-f', file);
  lhs('index', 'reindex', name);
}

/** The corpus as a table with the number of each row as its key. */
async function importNumbered(): Promise<void> {
  const file = join(WORK, 'numbered.parquet');
  const duckdb = await (await DuckDBInstance.create(':memory:')).connect();
  await duckdb.run(
    `COPY (SELECT row_number() OVER () AS id, * FROM read_parquet('${corpus}')) TO '${file}'`,
  );
  const to = ['--table', 'bench.numbered', '--warehouse', warehouse, '--key', 'id'];
  lhs('source', 'import', file, ...to);
}

mkdirSync(data, { recursive: true });
if (!existsSync(join(data, 'commits.yaml'))) {
  makeIndex('commits', `{ path: ${table} }`, '{ partition: [repo], identifier: [sha] }');
}
if (!existsSync(join(data, 'numbered.yaml'))) {
  await importNumbered();
  const catalog = `{ type: filesystem, warehouse: ${warehouse} }`;
  makeIndex('numbered', `{ catalog: ${catalog}, table: bench.numbered }`, '{ identifier: [id] }');
}
console.log(`indexes "commits" and "numbered" are in ${data}`);
