// @module-tag campaign
// @module-tag program
// @module-tag slow
/** Builds whose tasks run on a cluster of Spark: LHS_SPARK_PYTHON names a Python with pyspark. */
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runnerOf } from '../../packages/cli/src/sync/run-tasks.ts';
import {
  FIELDS,
  fillLake,
  KEY,
  type Query,
  type RandomRows,
  randomRows,
  seen,
} from '../support/built-tables.ts';
import { byEffort } from '../support/effort.ts';
import { openSmallLake, type SmallLake } from '../support/small-lake.ts';
import { findSpark, type SparkCluster, startSpark, submitTo } from '../support/spark.ts';
import { findVersitygw, startVersitygw, type Versitygw } from '../support/versitygw.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LHS = `'${process.execPath}' '${join(ROOT, 'packages/cli/bin/lhs.js')}'`;
const SPARK = byEffort(null, findSpark());
const BINARY = findVersitygw();
/** The jar of iceberg-spark-runtime. */
const ICEBERG = process.env.LHS_SPARK_ICEBERG ?? '';
/** Seconds that a task waits that never ends by itself; no other process waits as long. */
const FOREVER = 86_417;

let lake: SmallLake;
let random: RandomRows;
let cluster: SparkCluster;
let gateway: Versitygw | undefined;

/** What executors run as `lhs`: the first attempts at some tasks meet a fault, once per `faults`. */
function writeProgram(faults: string): string {
  const folder = join(lake.folder, faults);
  mkdirSync(folder);
  const file = join(folder, 'lhs');
  writeFileSync(
    file,
    `#!/bin/sh
read -r line
task=$(printf '%s' "$line" | sed 's/.*"task":\\([0-9]*\\),"tasks".*/\\1/')
meets() { mkdir "${folder}/$1" 2>/dev/null; }
parent() { ps -o ppid= -p "$1" | tr -d ' '; }
run() { printf '%s\\n' "$line" | ${LHS} "$@"; }
case ${faults}-$task in
faulty-0 | stuck-0) meets slow && exec sleep ${FOREVER} ;;
faulty-1) meets killed && kill -9 $(parent $(parent $PPID)) && exec sleep ${FOREVER} ;;
faulty-2) meets ended && kill -9 $$ ;;
faulty-3) meets twice && run "$@" ;;
esac
run "$@"
`,
  );
  chmodSync(file, 0o755);
  return file;
}

const onSpark = (submit: string) => runnerOf('spark', submit, { processes: 1, tell: () => {} });

/** Builds by tasks on the cluster, with dynamic allocation. */
function build(faults: string, settings: Readonly<Record<string, string>>) {
  const all = {
    'spark.executor.cores': '1',
    'spark.executor.memory': '512m',
    'spark.dynamicAllocation.enabled': 'true',
    'spark.dynamicAllocation.shuffleTracking.enabled': 'true',
    'spark.dynamicAllocation.maxExecutors': '3',
    ...settings,
    ...Object.fromEntries(
      Object.entries(gateway?.env ?? {}).map(([key, value]) => [`spark.executorEnv.${key}`, value]),
    ),
  };
  const conf = Object.entries(all).map(([key, value]) => `--conf ${key}=${value}`);
  const files = `--files ${writeProgram(faults)}`;
  const submit = [submitTo(SPARK!, cluster.address), files, ...conf].join(' ');
  return lake.backend.reindexByTasks({ index: 't', tasks: 8, run: onSpark(submit) });
}

const processesWith = (text: string): readonly number[] =>
  execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(text) && !line.includes('ps -eo'))
    .map((line) => Number.parseInt(line, 10));

/** Texts of the results of tasks in the store, by their names. */
function storedResults(): ReadonlyMap<string, string> {
  const store = gateway === undefined ? join(lake.folder, 'home') : join(gateway.data, 'home');
  const names = readdirSync(store, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\/data\/9[^/]*\.json$/.test(name),
  );
  return new Map(names.map((name) => [name, readFileSync(join(store, name), 'utf8')]));
}

describe.skipIf(SPARK === null)('a build on Spark', () => {
  let queries: readonly Query[];
  let expected: Awaited<ReturnType<typeof seen>>;

  beforeAll(async () => {
    if (BINARY !== null) gateway = await startVersitygw(BINARY, 'home');
    for (const [name, value] of Object.entries(gateway?.env ?? {})) vi.stubEnv(name, value);
    vi.stubEnv('PYSPARK_PYTHON', SPARK!.python);
    lake = await openSmallLake();
    cluster = await startSpark(SPARK!, join(lake.folder, 'spark'));
    random = randomRows(20_261_130);
    const storage = gateway === undefined ? './home' : 's3://home/at';
    await fillLake(lake, random, `${KEY}sharding: { shards: 2 }\n${FIELDS}storage: ${storage}\n`);
    await lake.backend.reindex({ index: 't' });
    queries = Array.from({ length: 300 }, random.query);
    expected = await seen(lake.backend, 't', queries);
  });

  afterAll(async () => {
    await cluster?.stop();
    await lake?.close();
    gateway?.close();
    vi.unstubAllEnvs();
  });

  it('equals one of one process: slow, killed and repeated tasks, a killed executor', async () => {
    await build('faulty', {
      'spark.speculation.quantile': '0.5',
      'spark.speculation.multiplier': '2',
    });
    const met = readdirSync(join(lake.folder, 'faulty')).sort();
    expect(met).toEqual(['ended', 'killed', 'lhs', 'slow', 'twice']);
    expect(await seen(lake.backend, 't', queries)).toEqual(expected);
    await vi.waitFor(() => expect(processesWith(`sleep ${FOREVER}`)).toEqual([]), 60_000);
  });

  it('goes on after its driver was killed, anywhere, with what is missing', async () => {
    const { index_generation } = await lake.backend.describeIndex({ index: 't' });
    const former = new Set(storedResults().keys());
    const failed = build('stuck', { 'spark.speculation': 'false' }).catch((error) => error);
    const begun = () => [...storedResults()].filter(([name]) => !former.has(name));
    await vi.waitFor(() => expect(begun().length).toBeGreaterThan(2), 300_000);
    const texts = begun();
    for (const pid of processesWith(join(lake.folder, 'stuck/lhs'))) process.kill(pid, 'SIGKILL');
    expect((await failed).message).toMatch(/a process that runs tasks (was ended|ended with)/);
    const now = await lake.backend.describeIndex({ index: 't' });
    expect(now.index_generation).toBe(index_generation);
    const run = runnerOf('command', `${LHS} build task`, { processes: 1, tell: () => {} });
    await lake.backend.reindexByTasks({ index: 't', tasks: 8, run });
    for (const [name, text] of texts) expect(storedResults().get(name)).toBe(text);
    expect(await seen(lake.backend, 't', queries)).toEqual(expected);
  });

  it('fails with the fault of a task that another attempt would meet again', async () => {
    const [task] = await lake.backend.planBuild({ index: 't', tasks: 1 });
    const line = JSON.stringify({ ...task, snapshot: '77' });
    const submit = `${submitTo(SPARK!, 'local[1]')} --files ${writeProgram('gone')}`;
    const failed = Array.fromAsync(onSpark(submit)([line], {})).catch((error) => error);
    expect(await failed).toMatchObject({ code: 'source_changed' });
  });

  it.skipIf(ICEBERG === '')('in a session, of a table that Spark wrote, has its rows', async () => {
    const warehouse = join(lake.folder, 'ice');
    const script = fileURLToPath(new URL('spark/iceberg_session.py', import.meta.url));
    const args = [script, warehouse, ICEBERG, join(lake.folder, 'gone/lhs')];
    const session = spawn(SPARK!.python, args, {
      env: { ...process.env, PYTHONPATH: join(ROOT, 'integrations/spark') },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines = createInterface(session.stdout)[Symbol.asyncIterator]();
    const next = async () => JSON.parse((await lines.next()).value ?? 'null') as never;
    const rows: readonly { readonly id: number }[] = await next();
    const definition = `version: 1
index: ice
source: { path: "${join(warehouse, 'db/t')}" }
key: { identifier: [id] }
fields: [{ name: body, type: TEXT, cached: true }]
storage: ./ice-home`;
    await lake.backend.createIndex({ definition, base_dir: lake.folder });
    const tasks = await lake.backend.planBuild({ index: 'ice', tasks: 3 });
    session.stdin.end(JSON.stringify(tasks.map((task) => JSON.stringify(task))));
    await lake.backend.commitBuild({ index: 'ice', results: await next() });
    const documents = await Array.fromAsync(lake.backend.exportDocuments({ index: 'ice' }));
    const built = documents.map(({ coordinates, fields }) => ({
      id: Number(coordinates.identifier[0].value),
      body: fields.body,
    }));
    const byId = (one: { readonly id: number }, other: { readonly id: number }) =>
      one.id - other.id;
    expect(built.sort(byId)).toEqual(rows.toSorted(byId));
  });
});
