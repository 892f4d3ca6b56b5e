/**
 * `lhs index reindex` by number of threads: git.commits with one and with two, with a VECTOR field,
 * from S3 and beside SQLite FTS5 on the text alone; with `--big FOLDER` also a table of 5,352,180
 * rows within 1 GiB. Each build is a process of its own, in turns. A row that lacks its data is
 * left out. Ratios are medians of the ratios of each round. On a loaded machine trust `busiest`:
 * processor time of the busiest thread, which is what a build takes if each thread has a core.
 *
 *   node bench/build.ts [rounds] [--big /work/scale/big/table]
 *
 * LHS_VERSITYGW names the program versitygw, an S3 server.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { builtDefinition, machine, median, need, SHARED, WORK, workFolder } from './shared.ts';

const LHS = fileURLToPath(new URL('../packages/cli/bin/lhs.js', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { big: { type: 'string' } },
});
const rounds = Number(positionals[0] ?? 3);
const folder = workFolder();
const data = join(folder, 'data');
const table = need(join(SHARED, 'iceberg/git.commits'), 'the shared folder');
const TICKS_PER_SECOND = 100;
const SAMPLE_MS = 100;

/** What one build took. */
interface Build {
  readonly seconds: number;
  /** Processor seconds: of all threads, and of the busiest one. */
  readonly cpu: number;
  readonly busiest: number;
  /** Peak resident memory, MB: all of it, and without mapped files. */
  readonly rss: number;
  readonly anonymous: number;
  readonly rows: number;
}

function create(index: string, path: string, more = '', env = process.env): void {
  const file = join(folder, `${index}.yaml`);
  writeFileSync(file, builtDefinition(index, path, more));
  execFileSync(process.execPath, [LHS, 'index', 'create', '-f', file, '--data-dir', data], { env });
}

/** Processor seconds of each thread of a process; threads that have ended stay. */
function sampleThreads(pid: number, seconds: Map<string, number>): void {
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
      const [user, system] = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11, 13);
      seconds.set(thread, (Number(user) + Number(system)) / TICKS_PER_SECOND);
    }
  } catch {
    // The process or a thread has ended, or the system has no /proc.
  }
}

/** Resident memory that belongs to no file, MB; 0 if the process has ended. */
function anonymousOf(pid: number): number {
  try {
    const [, kilobytes] = /RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!;
    return Number(kilobytes) / 1024;
  } catch {
    return 0;
  }
}

async function build(index: string, flags: readonly string[], env = process.env): Promise<Build> {
  const script = `process.argv.splice(1, 1, ${JSON.stringify(LHS)});
    process.on('exit', () => {
      const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
      process.stderr.write('USED ' + maxRSS + ' ' + (userCPUTime + systemCPUTime) + '\\n');
    });
    await import(${JSON.stringify(LHS)});`;
  const args = ['--input-type=module', '-e', script, 'x', 'index', 'reindex', index, '--json'];
  const started = performance.now();
  const child = spawn(process.execPath, [...args, '--data-dir', data, ...flags], { env });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (bytes) => (stdout += bytes));
  child.stderr.on('data', (bytes) => (stderr += bytes));
  const threads = new Map<string, number>();
  let anonymous = 0;
  const timer = setInterval(() => {
    sampleThreads(child.pid!, threads);
    anonymous = Math.max(anonymous, anonymousOf(child.pid!));
  }, SAMPLE_MS);
  const status = await new Promise((resolve) => child.once('close', resolve));
  clearInterval(timer);
  const seconds = (performance.now() - started) / 1000;
  if (status !== 0) throw new Error(stderr);
  const [, rss, micros] = /USED (\d+) (\d+)/.exec(stderr)!.map(Number);
  const busiest = Math.max(0, ...threads.values());
  const { doc_count: rows } = JSON.parse(stdout.trim().split('\n').at(-1)!);
  return { seconds, cpu: micros / 1e6, busiest, rss: rss / 1024, anonymous, rows };
}

/** FTS5, which has one thread. */
interface Peer {
  readonly seconds: number;
  readonly cpu_seconds: number;
}

function fts5(): Peer {
  const docs = join(WORK, 'docs.jsonl');
  if (!existsSync(docs)) return { seconds: Number.NaN, cpu_seconds: Number.NaN };
  const script = join(SHARED, 'peers/sqlite_peer.py');
  const args = [script, 'index', '--docs', docs, '--out', join(folder, 'fts.db')];
  return JSON.parse(execFileSync('python3', args, { encoding: 'utf8' }));
}

/** Starts versitygw with a copy of the table in the bucket `lake`. */
async function startS3(): Promise<{ env: NodeJS.ProcessEnv; server: ChildProcess } | null> {
  const program = process.env.LHS_VERSITYGW;
  if (program === undefined) return null;
  const buckets = join(folder, 'buckets');
  mkdirSync(join(buckets, 'lake'), { recursive: true });
  cpSync(table, join(buckets, 'lake/commits'), { recursive: true });
  const keys = { ROOT_ACCESS_KEY: 'bench', ROOT_SECRET_KEY: 'bench-secret' };
  const server = spawn(program, ['--port', '127.0.0.1:7471', 'posix', buckets], {
    env: { ...process.env, ...keys },
    stdio: 'ignore',
  });
  await setTimeout(2000);
  const env = {
    ...process.env,
    AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:7471',
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: keys.ROOT_ACCESS_KEY,
    AWS_SECRET_ACCESS_KEY: keys.ROOT_SECRET_KEY,
    LHS_OBJECT_CACHE_DIR: join(folder, 'cache'),
  };
  return { env, server };
}

const most = (runs: readonly Build[], what: keyof Build) =>
  Math.max(...runs.map((run) => run[what])).toFixed(0);

const of = (runs: readonly Build[], what: keyof Build) => median(runs.map((run) => run[what]));

function line(name: string, runs: readonly Build[]): void {
  if (runs.length === 0) return;
  const seconds = of(runs, 'seconds');
  const rate = Math.round(of(runs, 'rows') / seconds).toLocaleString('en-US');
  console.log(
    `  ${name.padEnd(28)} ${seconds.toFixed(1)} s, ${rate} rows/s, processor ` +
      `${of(runs, 'cpu').toFixed(1)} s, busiest ${of(runs, 'busiest').toFixed(1)} s, ` +
      `peak RSS ${most(runs, 'rss')} MB, ${most(runs, 'anonymous')} of them no file's`,
  );
}

function ratio(name: string, above: readonly Build[], below: readonly Build[]): void {
  if (above.length === 0 || below.length === 0) return;
  const parts = (['seconds', 'cpu', 'busiest'] as const).map((what) => {
    const rounds = above.map((run, i) => run[what] / below[i][what]);
    return `${what} ${median(rounds).toFixed(2)}`;
  });
  console.log(`  ${name}: ${parts.join(', ')}`);
}

const one: Build[] = [];
const two: Build[] = [];
const vectors: Build[] = [];
const again: Build[] = [];
const far: Build[] = [];
const peer: Peer[] = [];
const s3 = await startS3();
try {
  create('commits', table);
  if (s3 !== null) create('far', 's3://lake/commits', '', s3.env);
  for (let round = 0; round < rounds; round++) {
    one.push(await build('commits', ['--threads', '1']));
    two.push(await build('commits', ['--threads', '2']));
    const name = `vectors${round}`;
    create(name, table, '  - { name: meaning, type: VECTOR, source: subject }\n');
    vectors.push(await build(name, ['--threads', '2']));
    again.push(await build(name, ['--threads', '2']));
    rmSync(join(folder, 'cache'), { recursive: true, force: true });
    if (s3 !== null) far.push(await build('far', ['--threads', '2'], s3.env));
    peer.push(fts5());
  }
  console.log(`reindex of git.commits, ${rounds} rounds in turns (${machine()})`);
  line('1 thread', one);
  line('2 threads', two);
  line('2, with a VECTOR field', vectors);
  line('2, the same from its cache', again);
  line('2, from S3', far);
  const [clock, processor] = (['seconds', 'cpu_seconds'] as const).map((what) =>
    median(peer.map((run) => run[what])).toFixed(1),
  );
  console.log(`  FTS5, text alone             ${clock} s, processor ${processor} s`);
  ratio('1 thread over 2 (target >= 1.7)', one, two);
  ratio('with VECTOR over without (target <= 1.5)', vectors, two);
  ratio('from S3 over local (target <= 1.3)', far, two);
  const beside = median(two.map(({ seconds }, i) => seconds / peer[i].seconds)).toFixed(2);
  const busy = median(two.map(({ busiest }, i) => busiest / peer[i].cpu_seconds)).toFixed(2);
  console.log(`  2 threads over FTS5 (target <= 1.0): seconds ${beside}, busiest ${busy}`);
  if (values.big !== undefined) {
    create('big', values.big);
    const flags = ['--memory', '1GiB', '--threads'];
    const single = [await build('big', [...flags, '1'])];
    const both = [await build('big', [...flags, '2'])];
    console.log(`reindex of ${values.big} within 1 GiB (${machine()})`);
    line('1 thread', single);
    line('2 threads (80,000 rows/s)', both);
    ratio('1 thread over 2 (target >= 1.7)', single, both);
  }
} finally {
  s3?.server.kill();
  rmSync(folder, { recursive: true, force: true });
}
