/**
 * Explanations of rows that do not match, over git.commits (the index of commits.ts; LHS_BENCH_DATA
 * and LHS_BENCH_INDEX name another): each query of ../shared/data/commits-queries.json, all words
 * required, on a row that has the words of the next query. The text field has no cached text, so
 * the row's words are read from the postings. Target: p50 <= 100 ms in an index of 5 million rows.
 *
 *   node bench/explain.ts [queries]
 */
import type { ExplainRequest } from '@lakehouse-search/engine';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { commitQueries, commitsIndex, machine, median, percentile } from './shared.ts';

const wanted = Number(process.argv[2] ?? 100);
const { data, index } = commitsIndex();
const queries = commitQueries();
const backend = await openEngine(data, { create: true, threads: 0 });
console.log(machine());

const required = (words: readonly string[]) => words.map((word) => `text:${word}`).join(' AND ');
const requests: ExplainRequest[] = [];
for (const [i, words] of queries.entries()) {
  if (requests.length === wanted) break;
  const next = required(queries[(i + 1) % queries.length]!);
  const query = required(words);
  const found = await backend.search({ index, query: `(${next}) AND NOT (${query})`, limit: 1 });
  const [hit] = found.hits;
  if (hit !== undefined) requests.push({ index, query, coordinates: hit.coordinates });
}

const millis: number[] = [];
let unknown = 0;
for (const round of ['first', 'warm']) {
  millis.length = 0;
  unknown = 0;
  const before = process.cpuUsage();
  for (const request of requests) {
    const started = performance.now();
    const { matched, why_not } = await backend.explain(request);
    millis.push(performance.now() - started);
    if (matched) throw new Error(`${request.query} matches`);
    if (why_not?.tokens === undefined) unknown++;
  }
  const { user, system } = process.cpuUsage(before);
  const cpu = ((user + system) / 1000 / millis.length).toFixed(1);
  const [p50, p99] = [median(millis), percentile(millis, 0.99)].map((ms) => ms.toFixed(1));
  const count = `${requests.length} rows, ${unknown} without their words`;
  console.log(
    `${round.padEnd(6)} p50 ${p50} ms   p99 ${p99} ms   processor ${cpu} ms   (${count})`,
  );
}
await backend.close();
