/**
 * Searches while generations are exchanged: 4 callers per core search git.commits without a pause
 * while rollbacks, and with `--reindex` one reindex, replace the live generation. The data folder
 * of commits.ts is copied (LHS_BENCH_DATA and LHS_BENCH_INDEX name another); its index gets a
 * second generation by a reindex. Target: no error, and a p99 in the second of a flip of at most 3
 * times the idle one.
 *
 *   node bench/cutover.ts [rollbacks] [--reindex]
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { anyOf, commitQueries, commitsIndex, machine, percentile } from './shared.ts';

const flips = Number(process.argv[2] ?? 20);
const rebuild = process.argv.includes('--reindex');
const { data, index } = commitsIndex();
const queries = commitQueries().map(anyOf);
const folder = mkdtempSync(join(process.env.LHS_BENCH_TMP ?? tmpdir(), 'lhs-cutover-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
cpSync(data, folder, { recursive: true });
const callers = 4 * availableParallelism();
const searcher = await openEngine(folder, { create: true, threads: 0 });
const writer = await openEngine(folder, { create: true, threads: 0 });
console.log(`${machine()}; ${callers} callers`);

/** When each search began and how long it took, in milliseconds. */
const calls: { readonly at: number; readonly ms: number }[] = [];
let errors = 0;
let stopped = false;

async function caller(first: number): Promise<void> {
  for (let i = first; !stopped; i++) {
    const at = performance.now();
    try {
      await searcher.search({ index, query: queries[i % queries.length], limit: 10, fields: [] });
      calls.push({ at, ms: performance.now() - at });
    } catch (error) {
      errors++;
      console.log(String(error));
    }
    // An engine without threads answers within the call: others get their turns here.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function report(name: string, chosen: readonly { readonly ms: number }[]): number {
  const millis = chosen.map(({ ms }) => ms);
  const figure = (part: number) => percentile(millis, part).toFixed(2).padStart(8);
  const line = `p50 ${figure(0.5)} ms   p99 ${figure(0.99)} ms   max ${figure(1)} ms`;
  console.log(`${name.padEnd(22)} ${String(millis.length).padStart(8)} searches   ${line}`);
  return percentile(millis, 0.99);
}

/** Searches within a second of a moment. */
const around = (moments: readonly number[]) =>
  calls.filter(({ at }) => moments.some((moment) => Math.abs(at - moment) < 500));

await writer.reindex({ index });
const running = Array.from({ length: callers }, (_, i) => caller(i * 37));
await pause(2000);
calls.length = 0;
await pause(10_000);
const idle = report('idle', calls);
calls.length = 0;
const moments: number[] = [];
const took: number[] = [];
for (let i = 0; i < flips; i++) {
  const before = performance.now();
  await writer.rollbackIndex({ index });
  moments.push(performance.now());
  took.push(moments[i] - before);
  await pause(1000);
}
const flip = report('at rollbacks', around(moments));
console.log(`a rollback takes p50 ${percentile(took, 0.5).toFixed(1)} ms beside them`);
if (rebuild) {
  calls.length = 0;
  await writer.reindex({ index });
  const ended = performance.now();
  await pause(1000);
  report('during a reindex', calls);
  report('at its cutover', around([ended]));
}
stopped = true;
await Promise.all(running);
console.log(`errors: ${errors} (target 0); p99 ${(flip / idle).toFixed(2)}x of idle (target 3)`);
await searcher.close();
await writer.close();
