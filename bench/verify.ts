/**
 * `verify` of git.commits with every usable column indexed (subject, body and meta as TEXT), the
 * index's check against itself included, beside a plain scan of the same columns and files with
 * DuckDB; in turns. Targets: <= 1.5 x the scan whose chunks are fetched through node-api, peak RSS
 * <= 400 MB.
 */
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { openTable } from '@lakehouse-search/lake';
import { machine, median, need, SHARED, workFolder } from './shared.ts';

const LHS = fileURLToPath(new URL('../packages/cli/bin/lhs.js', import.meta.url));
const path = need(join(SHARED, 'iceberg/git.commits'), 'the shared folder');
const rounds = Number(process.argv[2] ?? 5);
const folder = workFolder();
const data = join(folder, 'data');

const DEFINITION = `version: 1
index: commits
source: { path: ${path} }
key: { identifier: [repo, sha] }
fields:
  - { name: subject, type: TEXT, cached: true }
  - { name: repo, type: KEYWORD, fast: true, cached: true }
  - { name: sha, type: KEYWORD, fast: true }
  - { name: author, type: KEYWORD, fast: true, cached: true }
  - { name: authored_at, type: DATE, cached: true }
  - { name: committed_at, type: DATE, cached: true }
  - { name: body, type: TEXT }
  - { name: lines, type: LONG }
  - { name: words, type: LONG }
  - { name: upper_ratio, type: DOUBLE }
  - { name: is_revert, type: BOOL }
  - { name: origin_ip, type: IP }
  - { name: meta, type: TEXT }
`;

/** One command in a process of its own: its answer, CPU seconds and peak RSS (MB). */
function lhs(...args: string[]) {
  const script = `process.argv.splice(1, 1, ${JSON.stringify(LHS)});
    process.on('exit', () => {
      const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
      const seconds = (userCPUTime + systemCPUTime) / 1e6;
  process.stderr.write('USED ' + seconds + ' ' + maxRSS / 1024 + '\\n');
    });
    await import(${JSON.stringify(LHS)});`;
  const all = ['--input-type=module', '-e', script, 'x', ...args, '--json', '--data-dir', data];
  const { stdout, stderr, status } = spawnSync(process.execPath, all, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stdout + stderr);
  const [, cpu, rss] = /USED (\S+) (\S+)/.exec(stderr) ?? [];
  return { answer: JSON.parse(stdout), cpu: Number(cpu), rss: Number(rss) };
}

/** Seconds of the clock and of the processor. */
async function timed(work: () => Promise<void>) {
  const [started, used] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(used);
  return { seconds: (performance.now() - started) / 1000, cpu: (user + system) / 1e6 };
}

const table = await openTable({ path });
const { files } = await table.files(table.currentSnapshotId);
const names = files.map(({ data: file }) => file.path.split('/').at(-1));
const from = `read_parquet([${names.map((name) => `'${path}/data/${name}'`).join(', ')}])`;
const columns = table.schema.fields.map(({ name }) => `"${name}"`);
await table.close();

const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();

/** All chunks of all columns, fetched; with `values` each value is made a JavaScript value too. */
async function fetchAll(values: boolean): Promise<void> {
  const result = await connection.stream(`SELECT ${columns.join(', ')} FROM ${from}`);
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return;
    if (values) chunk.getColumns();
  }
}

async function sumOfHashes(): Promise<void> {
  const sums = columns.map((column) => `sum(hash(${column}))`);
  const result = await connection.run(`SELECT ${sums.join(', ')} FROM ${from}`);
  await result.fetchAllChunks();
}

writeFileSync(join(folder, 'commits.yaml'), DEFINITION);
lhs('index', 'create', '-f', join(folder, 'commits.yaml'));
lhs('index', 'reindex', 'commits');
const ours: { seconds: number; cpu: number; rss: number }[] = [];
const fetched: Awaited<ReturnType<typeof timed>>[] = [];
const hashed: typeof fetched = [];
const read: typeof fetched = [];
let rows = 0;
for (let round = 0; round < rounds; round++) {
  const { answer, cpu, rss } = lhs('index', 'verify', 'commits');
  if (!answer.equal) throw new Error(JSON.stringify(answer));
  rows = answer.rows_compared;
  ours.push({ seconds: answer.took_ms / 1000, cpu, rss });
  fetched.push(await timed(() => fetchAll(false)));
  hashed.push(await timed(sumOfHashes));
  read.push(await timed(() => fetchAll(true)));
}
connection.closeSync();
instance.closeSync();
rmSync(folder, { recursive: true });

const of = (all: readonly { seconds: number; cpu: number }[], what: 'seconds' | 'cpu') =>
  median(all.map((one) => one[what]));
const line = (name: string, all: readonly { seconds: number; cpu: number }[]) =>
  `  ${name.padEnd(34)}${of(all, 'seconds').toFixed(2)} s, ${of(all, 'cpu').toFixed(2)} s of CPU`;
const ratio = (all: readonly { seconds: number; cpu: number }[]) =>
  (of(ours, 'seconds') / of(all, 'seconds')).toFixed(2);
console.log(`verify of git.commits, ${rows} rows, ${rounds} rounds in turns (${machine()})`);
const peak = Math.max(...ours.map(({ rss }) => rss)).toFixed(0);
console.log(`${line('verify and self check', ours)}, peak RSS ${peak} MB (target 400)`);
console.log(`${line('DuckDB, chunks fetched', fetched)}: ${ratio(fetched)} x (target <= 1.5)`);
console.log(`${line('DuckDB, sum(hash(column))', hashed)}: ${ratio(hashed)} x`);
console.log(`${line('DuckDB, values read in JavaScript', read)}: ${ratio(read)} x`);
