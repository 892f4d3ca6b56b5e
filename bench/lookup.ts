/**
 * Point look-ups in ../shared/iceberg/git.commits (443,726 rows, 13 columns, zstd): rows at random
 * locators, and rows by random keys, against DuckDB's `WHERE sha IN (...)` over the same files.
 * Prints one line a measure.
 *
 *   node bench/lookup.ts
 */
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { type Locator, openTable, type SourceTable } from '../packages/lake/src/index.ts';

const TABLE = fileURLToPath(new URL('../../shared/iceberg/git.commits', import.meta.url));
const HITS = 20;
const ROUNDS = 40;
const KEYS = 1000;

function lcg(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
const random = lcg(20261121);

async function locators(table: SourceTable, count: number): Promise<Locator[]> {
  const { files } = await table.files(table.currentSnapshotId);
  return Array.from({ length: count }, () => {
    const { data } = files[random(files.length)];
    return { file: data.path, position: random(data.recordCount) };
  });
}

async function timed<T>(run: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const start = performance.now();
  const value = await run();
  return { ms: performance.now() - start, value };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

function report(what: string, times: readonly number[], bytes?: number): void {
  const ms = `p50 ${median(times).toFixed(1)} ms, max ${Math.max(...times).toFixed(1)} ms`;
  const read = bytes === undefined ? '' : `, ${(bytes / 1e6).toFixed(2)} MB read a call`;
  process.stdout.write(`${what.padEnd(52)} ${ms}${read}\n`);
}

/** 20 random rows a call; every call opens the table's files anew, or all share one cache. */
async function byLocator(columns: readonly string[], warm: boolean): Promise<number> {
  const times: number[] = [];
  let bytes = 0;
  let table = await openTable({ path: TABLE });
  for (let round = 0; round < (warm ? ROUNDS * 2 : ROUNDS / 4); round++) {
    const wanted = await locators(table, HITS);
    const cost = { bytes: 0, requests: 0 };
    const { ms } = await timed(() => table.lookup(wanted, columns, { cost }));
    if (warm && round < ROUNDS) continue;
    times.push(ms);
    bytes += cost.bytes;
    if (warm) continue;
    await table.close();
    table = await openTable({ path: TABLE });
  }
  await table.close();
  const name =
    `${HITS} rows, ${columns.length} columns, ` + `${warm ? 'pages cached' : 'files just opened'}`;
  report(name, times, bytes / times.length);
  return median(times);
}

async function byKey(table: SourceTable, count: number): Promise<readonly string[]> {
  const rows = await table.lookup(await locators(table, count), ['repo', 'sha']);
  const keys = rows.flatMap((row) => (row === null ? [] : [[row.repo, row.sha]]));
  const cost = { bytes: 0, requests: 0 };
  const columns = table.schema.fields.map((field) => field.name);
  const { ms } = await timed(() => table.lookupKeys(['repo', 'sha'], keys, columns, { cost }));
  report(`${keys.length} rows by key, without an index`, [ms], cost.bytes);
  return keys.map(([, sha]) => String(sha));
}

async function duck(table: SourceTable, shas: readonly string[], rounds: number): Promise<number> {
  const { files } = await table.files(table.currentSnapshotId);
  const names = files.map(({ data }) => `'${TABLE}/data/${data.path.split('/').at(-1)}'`);
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const list = shas.map((sha) => `'${sha}'`).join(', ');
  const sql = `SELECT * FROM read_parquet([${names.join(', ')}]) WHERE sha IN (${list})`;
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    times.push((await timed(() => connection.runAndReadAll(sql))).ms);
  }
  report(`${shas.length} rows by key, DuckDB WHERE sha IN (...)`, times);
  return median(times);
}

const table = await openTable({ path: TABLE });
const all = table.schema.fields.map((field) => field.name);
const cold = await byLocator(all, false);
const warm = await byLocator(all, true);
const few = await byKey(table, HITS);
const many = await byKey(table, KEYS);
const duckFew = await duck(table, few, 5);
await duck(table, many, 3);
process.stdout.write(
  `DuckDB / ours for ${HITS} rows: ${(duckFew / warm).toFixed(1)}x cached, ` +
    `${(duckFew / cold).toFixed(1)}x just opened\n`,
);
await table.close();
