/**
 * What search threads are for, over git.commits (the index of commits.ts; LHS_BENCH_DATA and
 * LHS_BENCH_INDEX name another):
 *   1. p50 and p99 of cheap searches, and the longest pause of the event loop, alone and while
 *      heavy searches run one after the other; without threads, with 1 and with 2
 *   2. searches per second of the 300 queries of ../shared/data/commits-queries.json, sixteen at a
 *      time, with 1 and with 2 threads, and processor time per search. Target: 2 / 1 >= 1.7 x
 *   3. memory (RSS) that a thread adds once it has answered all queries
 *
 *   node bench/workers.ts [seconds]
 */
import { execFileSync } from 'node:child_process';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { anyOf, commitQueries, commitsIndex, machine, percentile } from './shared.ts';

const seconds = Number(process.argv[2] ?? 5);
const { data, index } = commitsIndex();
const queries = commitQueries().map(anyOf);
const CHEAP = queries.slice(0, 20);
const search = (backend: LocalEngine, query: string) =>
  backend.search({ index, query, limit: 10, fields: [] });

/** A search that takes about 300 ms: ten patterns that match most documents, sorted by a column. */
const HEAVY = [...'abcdefghij'].map((letter) => `text:/.*${letter}.*[aeiou].*/`).join(' OR ');
const heavy = (backend: LocalEngine) =>
  backend.search({
    index,
    query: HEAVY,
    limit: 10,
    fields: [],
    sort: [{ field: 'authored_at', desc: true }],
  });

async function cheapBeside(backend: LocalEngine, beside: boolean) {
  let running = true;
  const heavyMillis: number[] = [];
  const other = (async () => {
    while (running && beside) {
      const started = performance.now();
      await heavy(backend);
      heavyMillis.push(performance.now() - started);
      // Without threads a search never waits: the cheap ones would get no turn.
      await new Promise(setImmediate);
    }
  })();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const millis: number[] = [];
  const end = performance.now() + seconds * 1000;
  for (let i = 0; performance.now() < end; i++) {
    const started = performance.now();
    await search(backend, CHEAP[i % CHEAP.length]!);
    millis.push(performance.now() - started);
    await new Promise(setImmediate);
  }
  delay.disable();
  running = false;
  await other;
  return { millis, heavyMillis, pause: delay.max / 1e6 };
}

async function throughput(backend: LocalEngine) {
  const cpu = process.cpuUsage();
  const started = performance.now();
  let next = 0;
  const total = 4 * queries.length;
  const client = async () => {
    while (next < total) await search(backend, queries[next++ % queries.length]!);
  };
  await Promise.all(Array.from({ length: 16 }, client));
  const wall = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: total / wall, cpuMs: (user + system) / 1000 / total };
}

/** Resident memory in MB of a process that has answered all queries with so many threads. */
function memoryOf(threads: number): number {
  const own = fileURLToPath(import.meta.url);
  return Number(execFileSync(process.execPath, [own, 'memory', String(threads)]));
}

async function printMemory(threads: number): Promise<void> {
  const backend = await openEngine(data, { create: true, threads });
  const all = () => Promise.all(queries.map((query) => search(backend, query)));
  for (let round = 0; round < 3; round++) await all();
  console.log(Math.round(process.memoryUsage.rss() / 2 ** 20));
  await backend.close();
}

async function compare(): Promise<void> {
  console.log(machine());
  const rates: number[] = [];
  for (const threads of [0, 1, 2]) {
    const backend = await openEngine(data, { create: true, threads });
    for (const query of queries) await search(backend, query);
    await heavy(backend);
    console.log(`threads ${threads}, RSS ${memoryOf(threads)} MB`);
    for (const beside of [false, true]) {
      const { millis, heavyMillis, pause } = await cheapBeside(backend, beside);
      const [p50, p99] = [percentile(millis, 0.5), percentile(millis, 0.99)];
      const heavyMs = beside ? percentile(heavyMillis, 0.5).toFixed(0) : '';
      console.log(
        `  cheap searches ${beside ? `beside ones of ${heavyMs} ms` : 'alone'}: ` +
          `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, ` +
          `longest pause of the event loop ${pause.toFixed(0)} ms (${millis.length} searches)`,
      );
    }
    const { perSecond, cpuMs } = await throughput(backend);
    rates[threads] = perSecond;
    const each = `${cpuMs.toFixed(3)} ms of processor time each`;
    console.log(`  300 queries: ${perSecond.toFixed(0)} searches/s, ${each}`);
    await backend.close();
  }
  const ratio = (rates[2]! / rates[1]!).toFixed(2);
  console.log(`2 / 1 threads: ${ratio} x (target 1.7 on two quiet cores)`);
}

if (process.argv[2] === 'memory') await printMemory(Number(process.argv[3]));
else await compare();
