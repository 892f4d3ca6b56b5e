import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Data, tables and peers that lie beside the checkout. */
export const SHARED = fileURLToPath(new URL('../../shared', import.meta.url));
/** Where the peers' data and indexes lie (bench/README.md); LHS_BENCH_DIR says otherwise. */
export const WORK = process.env.LHS_BENCH_DIR ?? '/tmp/peers';

/** Says what is missing and ends the program, for a benchmark that needs it. */
export function need(path: string, how: string): string {
  if (existsSync(path)) return path;
  console.log(`skipped: ${path} is not there (${how})`);
  process.exit(0);
}

/**
 * The data folder and the index that a benchmark over git.commits searches: those of commits.ts, or
 * what LHS_BENCH_DATA and LHS_BENCH_INDEX name (an index with the same fields over more rows).
 */
export function commitsIndex(): { readonly data: string; readonly index: string } {
  const data = process.env.LHS_BENCH_DATA ?? join(WORK, 'lhs-data');
  need(join(data, 'registry.db'), 'node bench/commits.ts makes it');
  return { data, index: process.env.LHS_BENCH_INDEX ?? 'commits' };
}

/** The words of the 300 queries over git.commits. */
export function commitQueries(): readonly (readonly string[])[] {
  const file = need(join(SHARED, 'data/commits-queries.json'), 'the shared folder');
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** The query of rows with any of these words in their text. */
export const anyOf = (words: readonly string[]): string => `text:(${words.join(' ')})`;

/** What the figures were measured on. */
export function machine(): string {
  const [cpu] = cpus();
  const load = loadavg()[0].toFixed(1);
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${cpu.model}, ${memory} GiB, Node ${process.version}, load ${load}`;
}

/** What a command of `lhs` took in a process of its own. */
export interface MeasuredCommand {
  readonly stdout: string;
  readonly seconds: number;
  /** Processor time, of all threads. */
  readonly cpuSeconds: number;
  /** Peak resident memory, MB. */
  readonly rss: number;
}

/** Runs a command of `lhs` in a process of its own. Throws what it prints when it fails. */
export const measureLhs = (...args: string[]): MeasuredCommand => measureFed('', ...args);

/** As `measureLhs`, with a text as standard input. */
export function measureFed(input: string, ...args: string[]): MeasuredCommand {
  const lhs = fileURLToPath(new URL('../packages/cli/bin/lhs.js', import.meta.url));
  const script = `process.argv.splice(1, 1, ${JSON.stringify(lhs)});
    process.on('exit', () => {
      const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
      process.stderr.write('USED ' + maxRSS + ' ' + (userCPUTime + systemCPUTime) + '\\n');
    });
    await import(${JSON.stringify(lhs)});`;
  const started = performance.now();
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', script, 'x', ...args],
    { encoding: 'utf8', input, maxBuffer: 2 ** 30 },
  );
  const seconds = (performance.now() - started) / 1000;
  if (status !== 0) throw new Error(stderr);
  const [, rss, micros] = /USED (\d+) (\d+)/.exec(stderr) ?? [];
  return { stdout, seconds, cpuSeconds: Number(micros) / 1e6, rss: Number(rss) / 1024 };
}

/** Sorted copy. */
const sorted = (values: readonly number[]) => [...values].sort((a, b) => a - b);

/** The value below which `share` of the values lie. */
export function percentile(values: readonly number[], share: number): number {
  return sorted(values)[Math.min(values.length - 1, Math.floor(values.length * share))];
}

/** The middle value. */
export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** The geometric mean. */
export const geomean = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, v) => sum + Math.log(v), 0) / values.length);

/** Milliseconds since 1970 with fractions: the same clock in every process of the machine. */
export const clock = (): number => performance.timeOrigin + performance.now();

/** A folder of this run; whoever makes it removes it. */
export const workFolder = (): string => mkdtempSync(join(tmpdir(), 'lhs-bench-'));

/** A copy of git.commits (443,726 rows) in `folder` that can be written to: its path. */
export function copyCommits(folder: string): string {
  const path = join(folder, 'commits');
  cpSync(need(join(SHARED, 'iceberg/git.commits'), 'the shared folder'), path, { recursive: true });
  for (const sub of ['', 'data', 'metadata']) chmodSync(join(path, sub), 0o755);
  for (const sub of ['data', 'metadata']) {
    for (const file of readdirSync(join(path, sub))) chmodSync(join(path, sub, file), 0o644);
  }
  return path;
}

/** Rows of git.commits with keys of their own. */
export const newCommits = (round: number, rows: number): Record<string, unknown>[] =>
  Array.from({ length: rows }, (_, i) => ({
    repo: 'bench',
    sha: String(round).padStart(8, '0') + String(i).padStart(32, '0'),
    subject: `appended ${i}`,
    body: `round ${round} of the benchmark`,
    words: 6,
  }));

/** The definition of an index "commits" over a table with git.commits' columns. */
export const commitsDefinition = (path: string): string => `version: 1
index: commits
source: { path: ${path} }
key: { partition: [repo], identifier: [sha] }
fields:
  - { name: text, type: TEXT, source: [subject, body], analyzer: simple }
  - { name: repo, type: KEYWORD, fast: true }
  - { name: authored_at, type: DATE }
  - { name: words, type: LONG }
`;

/** The definition of an index that builds are measured with; `more`: what stands at its end. */
export const builtDefinition = (index: string, path: string, more = '') => `version: 1
index: ${index}
source: { path: "${path}" }
key: { partition: [repo], identifier: [sha] }
fields:
  - { name: text, type: TEXT, source: [subject, body], analyzer: simple }
  - { name: repo, type: KEYWORD, fast: true }
  - { name: author, type: KEYWORD, fast: true }
  - { name: authored_at, type: DATE, fast: true }
  - { name: words, type: LONG, fast: true }
${more}`;

/** The definition of an index of all columns of git.commits. */
export const wholeDefinition = (index: string, path: string): string => `version: 1
index: ${index}
source: { path: ${path} }
key: { partition: [repo], identifier: [sha] }
fields:
  - { name: text, type: TEXT, source: [subject, body], analyzer: simple }
  - { name: subject, type: TEXT, cached: true, indexed: false }
  - { name: repo, type: KEYWORD, fast: true }
  - { name: author, type: KEYWORD, fast: true }
  - { name: authored_at, type: DATE }
  - { name: committed_at, type: DATE }
  - { name: lines, type: LONG }
  - { name: words, type: LONG }
  - { name: upper_ratio, type: DOUBLE }
  - { name: is_revert, type: BOOL }
  - { name: origin_ip, type: IP }
`;
