/**
 * What a whole search costs beside the engine's part of it: `backend.search` for the 300 queries of
 * ../shared/data/commits-queries.json, a page of 10 keys, over both indexes of commits.ts: keys
 * that are hashes, and keys that grow (LHS_BENCH_DATA and LHS_BENCH_INDEX name another). The core
 * is what `lhs index bench` measures: the query bound, searched and collected. Target: p50 of the
 * call at most 0.10 ms over that of the core.
 *
 *   node bench/whole-call.ts [rounds]
 */
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { anyOf, commitQueries, commitsIndex, machine, percentile } from './shared.ts';

const rounds = Number(process.argv[2] ?? 5);
const { data, index: commits } = commitsIndex();
const indexes = process.env.LHS_BENCH_INDEX === undefined ? [commits, 'numbered'] : [commits];
const queries = commitQueries().map(anyOf);
const backend = await openEngine(data, { create: true, threads: 0 });
console.log(machine());

async function wholeCalls(index: string): Promise<number[]> {
  const millis: number[] = [];
  for (const query of queries) {
    const started = performance.now();
    await backend.search({ index, query, limit: 10, fields: [] });
    millis.push(performance.now() - started);
  }
  return millis;
}

const line = (name: string, figures: readonly number[]) => {
  const [a, b, c] = figures.map((ms) => ms.toFixed(3).padStart(7));
  console.log(`${name.padEnd(11)} mean ${a} ms   p50 ${b} ms   p99 ${c} ms`);
};

for (const index of indexes) {
  await wholeCalls(index);
  const whole: number[] = [];
  for (let round = 0; round < rounds; round++) whole.push(...(await wholeCalls(index)));
  const core = await backend.bench({
    index,
    queries,
    operator: 'query',
    limit: 10,
    warm: 1,
    repeat: rounds,
  });
  const mean = whole.reduce((sum, ms) => sum + ms, 0) / whole.length;
  console.log(index);
  line('whole call', [mean, percentile(whole, 0.5), percentile(whole, 0.99)]);
  line('core', [core.mean_us / 1000, core.p50_us / 1000, core.p99_us / 1000]);
  const over = percentile(whole, 0.5) - core.p50_us / 1000;
  console.log(`p50 over the core: ${over.toFixed(3)} ms (target 0.100)`);
}
await backend.close();
