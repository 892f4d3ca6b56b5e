/**
 * Other numbers of shards for git.commits: 1 to 3 to 2 to 7. The data folder of commits.ts is
 * copied by links (LHS_BENCH_DATA and LHS_BENCH_INDEX name another). Prints how long each takes and
 * holds the index's lock, compares answers and scores with those of one shard, and times searches
 * before segments are merged. Targets: 5 s each, of which snapshots wait 2 s.
 *
 *   node bench/reshard.ts [queries] [--compact]
 */
import { cpSync, linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { anyOf, commitQueries, commitsIndex, machine, percentile } from './shared.ts';

const count = Number(process.argv[2] ?? 200);
const { data, index } = commitsIndex();
const queries = commitQueries().map(anyOf).slice(0, count);
const folder = mkdtempSync(`${data}-reshard-`);
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const entry of readdirSync(data, { recursive: true, withFileTypes: true })) {
  const [from, to] = [entry.parentPath, entry.parentPath.replace(data, folder)];
  mkdirSync(to, { recursive: true });
  const isSegment = /^s\d+\./.test(entry.name);
  if (isSegment) linkSync(join(from, entry.name), join(to, entry.name));
  else if (entry.isFile()) cpSync(join(from, entry.name), join(to, entry.name));
}
const engine = await openEngine(folder, { create: true, threads: 0 });
console.log(machine());

async function answers() {
  const millis: number[] = [];
  const found: string[] = [];
  for (const query of queries) {
    const started = performance.now();
    const { total, hits } = await engine.search({ index, query, limit: 20, fields: [] });
    millis.push(performance.now() - started);
    found.push(JSON.stringify([total, hits.map(({ coordinates, score }) => [coordinates, score])]));
  }
  return { millis, found };
}

await answers();
const one = await answers();
const digest = (await engine.verify({ index, sample: 0 }).catch(() => null))?.digest.index;
console.log(`1 shard: searches p50 ${percentile(one.millis, 0.5).toFixed(2)} ms`, digest ?? '');

/** The longest that another writer waited for the lock. */
function waiting() {
  let ended = false;
  let longest = 0;
  const work = (async () => {
    while (!ended) {
      const started = performance.now();
      await engine.sync({ index }).catch(() => undefined);
      longest = Math.max(longest, performance.now() - started);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  return async () => {
    ended = true;
    await work;
    return longest;
  };
}

for (const shards of [3, 2, 7]) {
  const end = waiting();
  const started = performance.now();
  const plan = await engine.applyReshard({ index, shards });
  const took = performance.now() - started;
  const held = await end();
  await answers();
  const { millis, found } = await answers();
  const differ = found.filter((answer, i) => answer !== one.found[i]).length;
  const { shards: described = [], bytes } = await engine.describeIndex({ index });
  console.log(
    `${plan.former_shards} -> ${shards}: ${(took / 1000).toFixed(2)} s, snapshots held back ` +
      `${(held / 1000).toFixed(2)} s, ${plan.moves.length} buckets; ${differ} of ${found.length} ` +
      `answers differ; searches p50 ${percentile(millis, 0.5).toFixed(2)} ms; ` +
      `${described.map(({ num_docs }) => num_docs).join(' + ')} documents, ${bytes} bytes`,
  );
}
if (process.argv.includes('--compact')) {
  const started = performance.now();
  await engine.compact({ index });
  const { millis, found } = await answers();
  const differ = found.filter((answer, i) => answer !== one.found[i]).length;
  console.log(
    `compacted in ${((performance.now() - started) / 1000).toFixed(1)} s; ${differ} answers ` +
      `differ; searches p50 ${percentile(millis, 0.5).toFixed(2)} ms`,
  );
}
await engine.close();
