/**
 * Rows by locator against DuckDB's `WHERE key IN (…)` over the same files, in turns: `--hydrate` of
 * 20 hits (target p50 <= 50 ms warm, >= 10 x DuckDB) and `keys get` of 1,000 keys. The index of
 * `bench/commits.ts`. Last, look-ups in the layout of hydrate-layout.ts.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Coordinates } from '@lakehouse-search/engine';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { hydrateLayout } from './hydrate-layout.ts';
import { machine, median, need, SHARED, WORK } from './shared.ts';

const data = need(join(WORK, 'lhs-data'), 'node bench/commits.ts makes it');
const table = need(join(SHARED, 'iceberg/git.commits'), 'the shared folder');
const rounds = Number(process.argv[2] ?? 9);
const QUERIES = [
  'git send email',
  'fix typo',
  'merge branch',
  'segfault',
  'memory leak',
  'unicode utf8',
];

const files = readdirSync(join(table, 'data'), { recursive: true, encoding: 'utf8' })
  .filter((f) => f.endsWith('.parquet') && !f.includes('deletes'))
  .map((f) => `'${join(table, 'data', f)}'`);
const duckdb = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
const backend = await openEngine(data, { create: true, threads: 0 });

const shas = (keys: readonly Coordinates[]) =>
  keys.map((k) => `'${k.identifier[0].value}'`).join(',');
async function byDuckDb(keys: readonly Coordinates[]): Promise<number> {
  const started = performance.now();
  await duckdb.runAndReadAll(
    `SELECT * FROM read_parquet([${files.join(',')}]) WHERE sha IN (${shas(keys)})`,
  );
  return performance.now() - started;
}

const search = { index: 'commits', limit: 20, fields: [] as string[] };
const plain: number[] = [];
const hydrated: number[] = [];
const scanned: number[] = [];
let bytes = 0;
for (let round = 0; round < rounds; round++) {
  for (const query of QUERIES) {
    const without = await backend.search({ ...search, query });
    const answer = await backend.search({ ...search, query, hydrate: true });
    if (answer.hits.some((h) => h.row === undefined)) throw new Error('a row is missing');
    if (round === 0) bytes += answer.hydrate_bytes ?? 0;
    else {
      plain.push(without.took_ms);
      hydrated.push(answer.took_ms - without.took_ms);
      if (round % 3 === 0) scanned.push(await byDuckDb(answer.hits.map((h) => h.coordinates)));
    }
  }
}
const keys: Coordinates[] = [];
for await (const document of backend.exportDocuments({
  index: 'commits',
  query: 'words:[40 TO 60]',
})) {
  if (keys.length < 20_000) keys.push(document.coordinates);
}
const thousand = keys
  .filter((_, i) => i % Math.max(1, Math.floor(keys.length / 1000)) === 0)
  .slice(0, 1000);
const gets: number[] = [];
const scans: number[] = [];
let getBytes = 0;
for (let round = 0; round < 5; round++) {
  const answer = await backend.getKeys({ index: 'commits', keys: thousand });
  if (answer.rows.length !== thousand.length) throw new Error('a key is missing');
  getBytes = Math.max(getBytes, answer.bytes_read ?? 0);
  if (round > 0) gets.push(answer.took_ms);
  if (round > 2) scans.push(await byDuckDb(thousand));
}
await backend.close();
console.log(`hydration, ${rounds} rounds (${machine()})`);
console.log(
  `  20 hits, all columns: p50 ${median(hydrated).toFixed(1)} ms warm (target 50), first ` +
    `time ${(bytes / QUERIES.length / 1e3).toFixed(0)} kB read a page; search alone ` +
    `${median(plain).toFixed(1)} ms`,
);
console.log(
  `  DuckDB WHERE key IN (20 keys): p50 ${median(scanned).toFixed(0)} ms: ` +
    `${(median(scanned) / median(hydrated)).toFixed(0)} x (target >= 10)`,
);
console.log(
  `  keys get of ${thousand.length} keys: p50 ${median(gets).toFixed(0)} ms, ` +
    `${(getBytes / 1e6).toFixed(1)} MB read; DuckDB ${median(scans).toFixed(0)} ms: ` +
    `${(median(scans) / median(gets)).toFixed(1)} x`,
);
await hydrateLayout(rounds);
