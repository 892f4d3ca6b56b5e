/**
 * `importFiles` of a Parquet file into an Iceberg table beside DuckDB's own COPY of the same file
 * to Parquet (zstd), each in a process of its own, in turns: rows a second and peak RSS. Target: <=
 * 1.5 x DuckDB's time, peak RSS <= 1,024 MiB whatever the number of rows.
 *
 *   node bench/import.ts [--rows 1000000] [--file FILE.parquet] [--rounds 3]
 *
 * Rows are generated (a key, a text of some 200 characters, a category, a time) unless a file is
 * named; 5352180 and 10000000 are the sizes of record. `--format csv|ndjson` imports the generated
 * rows from text. `--python BIN` adds PyIceberg's append: a Python with `pyiceberg[sql-sqlite]` and
 * `pyarrow` installed by pip.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { machine, median, workFolder } from './shared.ts';

const { values: flags } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '3' },
    format: { type: 'string', default: 'parquet' },
    file: { type: 'string' },
    python: { type: 'string' },
  },
});
const folder = workFolder();
const input = flags.file ?? join(folder, `rows.${flags.format}`);
const OPTIONS = {
  parquet: 'FORMAT parquet, COMPRESSION zstd',
  csv: 'FORMAT csv',
  ndjson: 'FORMAT json',
};

async function generate(): Promise<void> {
  const options = OPTIONS[flags.format as keyof typeof OPTIONS];
  const words = Array.from({ length: 6 }, (_, i) => `md5((i * 31 + ${i} * (i % 97))::VARCHAR)`);
  const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
  await connection.run(
    `COPY (SELECT i AS id, ${words.join(" || ' ' || ")} AS body, 'service-' || i % 12 AS service,
       make_timestamptz(1700000000000000 + i * 1000000) AS opened_at
     FROM range(${Number(flags.rows)}) r(i)) TO '${input}' (${options})`,
  );
  connection.closeSync();
}

/** Seconds, rows and peak RSS (MiB) of a script that prints its rows. */
function run(script: string) {
  const whole = `${script}
    console.log(JSON.stringify({ seconds: (performance.now() - started) / 1000,
      rss: process.resourceUsage().maxRSS / 1024, rows: Number(rows) }));`;
  const args = ['--input-type=module', '-e', whole];
  const said = execFileSync(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  return JSON.parse(said) as { seconds: number; rss: number; rows: number };
}

const lake = new URL('../packages/lake/dist/index.js', import.meta.url).href;
const ours = () => {
  const warehouse = join(folder, 'lake');
  rmSync(warehouse, { recursive: true, force: true });
  const options = {
    catalog: { type: 'filesystem', warehouse },
    table: 'bench.rows',
    files: [input],
  };
  return run(`const { importFiles } = await import(${JSON.stringify(lake)});
    const started = performance.now();
    const { inserted: rows } = await importFiles(${JSON.stringify(options)});`);
};
const READERS: Readonly<Record<string, string>> = {
  csv: 'read_csv',
  ndjson: 'read_json',
  parquet: 'read_parquet',
};
const theirs = () => {
  const from = `${READERS[flags.file === undefined ? flags.format : 'parquet']}('${input}')`;
  const sql =
    `COPY (SELECT * FROM ${from}) TO '${join(folder, 'copy.parquet')}' (FORMAT parquet, ` +
    'COMPRESSION zstd)';
  const duckdb = JSON.stringify(import.meta.resolve('@duckdb/node-api'));
  return run(`const { DuckDBInstance } = await import(${duckdb});
    const started = performance.now();
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    const [[rows]] = (await connection.runAndReadAll(${JSON.stringify(sql)})).getRows();`);
};

const pyiceberg = (python: string) => {
  const at = join(folder, 'py');
  rmSync(at, { recursive: true, force: true });
  mkdirSync(at);
  const script = new URL('./pyiceberg_append.py', import.meta.url).pathname;
  return JSON.parse(execFileSync(python, [script, input, at], { encoding: 'utf8' })) as ReturnType<
    typeof run
  >;
};

if (flags.file === undefined) await generate();
const [mine, peer, python]: ReturnType<typeof run>[][] = [[], [], []];
for (let round = 0; round < Number(flags.rounds); round++) {
  mine.push(ours());
  peer.push(theirs());
  if (flags.python !== undefined) python.push(pyiceberg(flags.python));
}
const bytes = (statSync(input).size / 1e6).toFixed(0);
rmSync(folder, { recursive: true });
const line = (name: string, runs: typeof mine, more = '') => {
  const seconds = median(runs.map((r) => r.seconds));
  const rate = Math.round(runs[0].rows / seconds).toLocaleString('en-US');
  const rss = Math.max(...runs.map((r) => r.rss)).toFixed(0);
  console.log(
    `  ${name.padEnd(12)} ${seconds.toFixed(1)} s, ${rate} rows/s, peak RSS ${rss} MiB${more}`,
  );
  return seconds;
};
console.log(
  `import of ${mine[0].rows.toLocaleString('en-US')} rows (${bytes} MB of ` +
    `${flags.format}), ${flags.rounds} rounds in turns (${machine()})`,
);
const seconds = line('lhs', mine, ' (target 1,024)');
const copy = line('DuckDB COPY', peer);
if (python.length > 0) line('PyIceberg', python);
console.log(`  lhs / DuckDB  ${(seconds / copy).toFixed(2)} x (target <= 1.5)`);
