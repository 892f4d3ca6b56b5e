/**
 * Builds by tasks of git.commits: processor time of 8 tasks over one process that reindexes, all in
 * a process as those of a runner, and in a process each (target 1.15); bytes that they read of the
 * table in an S3 server over its data files (target 1.05); peak memory of a task. Two local
 * processes over one (target 1.8) by wall time, which needs two idle cores, and by the longest way
 * of the processor: plan, larger task, commit. Spark over these two processes (target 1.25), each
 * beyond the time that it takes for a small table, if LHS_SPARK_PYTHON names a Python with pyspark.
 *
 *   node bench/builds.ts [rounds] [table]
 */
import { execFile } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { S3Server } from '../packages/lake/test/s3-server.ts';
import { findSpark, type Spark, submitTo } from '../test/support/spark.ts';
import {
  builtDefinition,
  machine,
  measureFed,
  measureLhs,
  median,
  need,
  SHARED,
  workFolder,
} from './shared.ts';

const LHS = fileURLToPath(new URL('../packages/cli/bin/lhs.js', import.meta.url));
const rounds = Number(process.argv[2] ?? 1);
const table = process.argv[3] ?? need(join(SHARED, 'iceberg/git.commits'), 'the shared folder');
const folder = workFolder();
const data = ['--data-dir', join(folder, 'data')];
const TASKS = ['--tasks', '8'];
const SMALL = fileURLToPath(new URL('../fixtures/tables/own_vectors', import.meta.url));

function define(index: string, path: string, storage: string): string {
  const file = join(folder, `${index}.yaml`);
  const more = `storage: ${storage}\nkeep_previous: 0\n`;
  writeFileSync(file, builtDefinition(index, path, more));
  return file;
}

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '');
const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
const reindexOf = (index: string, ...flags: string[]) =>
  measureLhs('reindex', index, '--json', ...flags, ...data);
const reindex = (...flags: string[]) => reindexOf('commits', ...flags);

/** Processor seconds of a plan, its tasks in a process each, and its commit; the peak memory. */
function byTasks(count: string) {
  const plan = measureLhs('build', 'plan', 'commits', '--tasks', count, ...data);
  const tasks = linesOf(plan.stdout).map((line) => measureFed(`${line}\n`, 'build', 'task'));
  const results = tasks.map(({ stdout }) => stdout).join('');
  const commit = measureFed(results, 'build', 'commit', 'commits', ...data);
  return {
    tasks: tasks.map(({ cpuSeconds }) => cpuSeconds),
    others: plan.cpuSeconds + commit.cpuSeconds,
    rss: Math.max(...tasks.map(({ rss }) => rss)),
  };
}

/** Processor seconds of 8 tasks that one process runs. */
function inOneProcess(): number {
  const plan = measureLhs('build', 'plan', 'commits', '--tasks', '8', ...data);
  return measureFed(plan.stdout, 'build', 'task').cpuSeconds;
}

/** Bytes of data files that tasks read from an S3 server, over the bytes of these files. */
async function bytesRead(): Promise<number> {
  const s3 = await S3Server.start('lake');
  try {
    for (const name of readdirSync(table, { recursive: true, encoding: 'utf8' })) {
      if (/\.(parquet|avro|json|text|puffin)$/.test(name))
        s3.put('lake', `commits/${name}`, readFileSync(join(table, name)));
    }
    const file = define('far', 's3://lake/commits', 's3://lake/home');
    const run = async (input: string, ...args: string[]) => {
      const env = { ...process.env, ...s3.env, LHS_OBJECT_CACHE_DIR: join(folder, `c${args[1]}`) };
      const running = promisify(execFile)(process.execPath, [LHS, ...args], {
        env,
        maxBuffer: 2 ** 30,
      });
      running.child.stdin?.end(input);
      return (await running).stdout;
    };
    await run('', 'index', 'create', '-f', file, ...data);
    const plan = await run('', 'build', 'plan', 'far', ...TASKS, ...data);
    s3.seen.length = 0;
    const objects = s3.buckets.get('lake');
    for (const line of linesOf(plan)) {
      await run(`${line}\n`, 'build', 'task');
      rmSync(join(folder, 'ctask'), { recursive: true, force: true });
    }
    const named = s3.seen.filter(({ method, key }) => method === 'GET' && key.includes('/data/'));
    const read = named.filter(({ key }) => key.startsWith('commits/'));
    const bytes = read.map(({ key, headers }) => {
      const size = objects?.get(key)?.bytes.length ?? 0;
      const [, from, to] = /bytes=(\d*)-(\d*)/.exec(headers.range ?? '') ?? [];
      if (from === undefined) return size;
      return from === '' ? Number(to) : Math.min(size, Number(to) + 1) - Number(from);
    });
    const files = new Set(read.map(({ key }) => key));
    return sum(bytes) / sum([...files].map((key) => objects?.get(key)?.bytes.length ?? 0));
  } finally {
    await s3.close();
  }
}

/** Seconds of two processes of Spark over two of the local runner, without those of a small table. */
function onSpark(spark: Spark): readonly number[] {
  process.env.PYSPARK_PYTHON = spark.python;
  const program = join(folder, 'lhs');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${LHS}' "$@"\n`);
  chmodSync(program, 0o755);
  const small = join(folder, 'small.yaml');
  const { stdout } = measureLhs('index', 'init', '--path', SMALL, '--name', 'small');
  writeFileSync(small, `${stdout.replace(/^next: .*$/m, '')}\nstorage: ./home\n`);
  measureLhs('index', 'create', '-f', small, ...data);
  const submit = `${submitTo(spark, 'local-cluster[2,1,1024]')} --files ${program}`;
  const runners = [
    ['--runner', 'spark', '--command', submit],
    ['--runner', 'local'],
  ];
  return Array.from({ length: rounds }, () => {
    const [bySpark, byProcesses] = runners.map((runner) => {
      const seconds = (index: string) => reindexOf(index, '--tasks', '2', ...runner).seconds;
      return seconds('commits') - seconds('small');
    });
    return bySpark / byProcesses;
  });
}

try {
  measureLhs('index', 'create', '-f', define('commits', table, './home'), ...data);
  const one: ReturnType<typeof reindex>[] = [];
  const local: ReturnType<typeof reindex>[] = [];
  const eight: ReturnType<typeof byTasks>[] = [];
  const two: ReturnType<typeof byTasks>[] = [];
  const together: number[] = [];
  for (let round = 0; round < rounds; round++) {
    one.push(reindex('--threads', '1'));
    eight.push(byTasks('8'));
    together.push(inOneProcess());
    two.push(byTasks('2'));
    local.push(reindex('--runner', 'local', '--tasks', '2'));
  }
  const over = (figures: readonly number[]) =>
    median(figures.map((figure, i) => figure / one[i].cpuSeconds)).toFixed(2);
  const longest = two.map(
    ({ tasks, others }, i) => one[i].cpuSeconds / (others + Math.max(...tasks)),
  );
  const wall = one.map(({ seconds }, i) => seconds / local[i].seconds);
  const rss = Math.max(...eight.map((run) => run.rss));
  const cpu = median(one.map(({ cpuSeconds }) => cpuSeconds));
  console.log(`builds by tasks, ${rounds} rounds in turns (${machine()})`);
  console.log(`  one process: ${cpu.toFixed(1)} s of the processor`);
  console.log(`  8 tasks in one process over it: ${over(together)} (target 1.15)`);
  console.log(`  in a process each: ${over(eight.map(({ tasks }) => sum(tasks)))}`);
  console.log(
    `  plan and commit: ${over(eight.map(({ others }) => others))}; task ${rss.toFixed(0)} MB`,
  );
  console.log(`  one over two processes: ${median(wall).toFixed(2)} by wall time (target 1.8),`);
  console.log(`    ${median(longest).toFixed(2)} by processor time of the longest way`);
  const spark = findSpark();
  if (spark !== null)
    console.log(`  Spark over two processes: ${median(onSpark(spark)).toFixed(2)} (target 1.25)`);
  console.log(`  table bytes read: ${(await bytesRead()).toFixed(3)} of the table (target 1.05)`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
