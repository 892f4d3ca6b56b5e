/**
 * Pages and filters over git.commits (the index of commits.ts; LHS_BENCH_DATA and LHS_BENCH_INDEX
 * name another), inside the engine: pages 1,000 to 1,199 by `search_after`, on average and page
 * 1,000 asked alone, beside page 1 of the same order; scrolls of 400 pages of 100 and of 1,000; and
 * filters asked for the first time beside the same ones repeated, rounds in turn. Targets: page
 * 1,000 <= 1.5x of page 1; a page of a scroll through 5 million documents <= 2x of one through
 * git.commits; a repeated filter >= 3x faster.
 *
 *   node bench/paging.ts [rounds]
 */
import type { SearchRequest } from '@lakehouse-search/engine';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { commitsIndex, geomean, machine, median, percentile } from './shared.ts';

const rounds = Number(process.argv[2] ?? 15);
const SCROLLED_PAGES = 400;
const { data, index } = commitsIndex();
const backend = await openEngine(data, { create: true, threads: 0 });
console.log(machine());

const took = async (request: SearchRequest): Promise<number> =>
  (await backend.search({ index, fields: [], ...request })).took_ms;

const ORDERS: readonly (readonly [string, SearchRequest])[] = [
  ['everything by date, falling', { sort: [{ field: 'authored_at', desc: true }] }],
  ['everything by words, rising (ties)', { sort: [{ field: 'words' }] }],
  [
    'everything by repo, words, date',
    {
      sort: [{ field: 'repo' }, { field: 'words', desc: true }, { field: 'authored_at' }],
    },
  ],
  ['everything by key', { sort: [{ field: '_key' }] }],
  ['everything by relevance', { sort: [{ field: '_score' }] }],
  ['"fix" by date', { query: 'fix', sort: [{ field: 'authored_at', desc: true }] }],
  ['"fix" by relevance', { query: 'fix', sort: [{ field: '_score' }] }],
  ['"fix the bug" by relevance', { query: 'fix the bug', sort: [{ field: '_score' }] }],
];

/** Mean time of pages 1,000 to 1,199 of a program that goes through everything. */
async function scroll(order: SearchRequest): Promise<number> {
  let sum = 0;
  let { hits } = await backend.search({ index, fields: [], ...order, limit: 10 });
  for (let page = 2; page < 1200; page++) {
    const search_after = hits.at(-1)!.sort;
    const answer = await backend.search({ index, fields: [], ...order, limit: 10, search_after });
    if (page >= 1000) sum += answer.took_ms;
    hits = answer.hits;
  }
  return sum / 200;
}

console.log(
  '\nms a page of 10                        page 1   page 1,000   ratio   asked alone   ratio',
);
for (const [name, order] of ORDERS) {
  const { hits } = await backend.search({ index, fields: [], ...order, limit: 9990 });
  const search_after = hits.at(-1)!.sort;
  const [first, deep, alone]: number[][] = [[], [], []];
  for (let round = 0; round < rounds; round++) {
    // Spaces make it another question, of which no page has been found before.
    const asked = { ...order, query: `${order.query ?? '*:*'}${' '.repeat(round)}` };
    first.push(await took({ ...asked, limit: 10 }));
    alone.push(await took({ ...asked, limit: 10, search_after }));
    if (round === 0) deep.push(await scroll({ ...asked, query: `${asked.query}\t` }));
  }
  const [one, thousand, cold] = [median(first), median(deep), median(alone)];
  const figure = (ms: number, width: number) => ms.toFixed(3).padStart(width);
  const ratio = (ms: number) => `${(ms / one).toFixed(2)}x`.padStart(8);
  const figures = `${figure(one, 8)} ${figure(thousand, 12)}${ratio(thousand)} ${figure(cold, 13)}`;
  console.log(`${name.padEnd(36)} ${figures}${ratio(cold)}`);
}

/** Wall time of each page of a scroll, in ms, and processor time of all. */
async function pagesOf(order: SearchRequest, limit: number) {
  const millis: number[] = [];
  const before = process.cpuUsage();
  let search_after: SearchRequest['search_after'];
  for (let page = 0; page < SCROLLED_PAGES; page++) {
    const started = performance.now();
    const { hits } = await backend.search({ index, fields: [], ...order, limit, search_after });
    millis.push(performance.now() - started);
    if (hits.length < limit) break;
    search_after = hits.at(-1)!.sort;
  }
  const { user, system } = process.cpuUsage(before);
  return { millis, cpu: (user + system) / 1000 / millis.length };
}

const SCROLLS: readonly (readonly [string, SearchRequest])[] = [
  ['date, falling', { sort: [{ field: 'authored_at', desc: true }] }],
  ['date, rising', { sort: [{ field: 'authored_at' }] }],
  ['words, rising (ties)', { sort: [{ field: 'words' }] }],
  ['author, falling', { sort: [{ field: 'author', desc: true }] }],
  ['repo, words, date', ORDERS[2]![1]],
  ['key', { sort: [{ field: '_key' }] }],
  ['"fix" by date', { query: 'fix', sort: [{ field: 'authored_at', desc: true }] }],
];
console.log('\nms a page of a scroll by      of     mean      p50      p99      max   processor');
for (const [name, order] of SCROLLS) {
  for (const limit of [100, 1000]) {
    const { millis, cpu } = await pagesOf(order, limit);
    const mean = millis.reduce((sum, ms) => sum + ms, 0) / millis.length;
    const spread = [0.5, 0.99, 1].map((share) => percentile(millis, share));
    const figures = [mean, ...spread, cpu].map((ms) => ms.toFixed(2).padStart(8));
    console.log(`${name.padEnd(24)} ${String(limit).padStart(7)} ${figures.join(' ')}`);
  }
}

const FILTERS = [
  'authored_at:[2015-01-01 TO 2018-01-01]',
  'words:[20 TO 100]',
  'text:re*',
  'text:refactr~2',
  'text:/[a-m].*ing/',
  'text:"memory leak" OR text:race',
  'repo:git AND NOT text:merge',
];
console.log('\nms, "fix" narrowed by                     first   repeated   ratio');
const gains: number[] = [];
for (const filter of FILTERS) {
  const [first, again]: number[][] = [[], []];
  for (let round = 0; round < rounds; round++) {
    backend.filters.clear();
    first.push(await took({ query: 'fix', filter }));
    again.push(await took({ query: 'fix', filter }));
  }
  gains.push(median(first) / median(again));
  const figures = [median(first).toFixed(3).padStart(8), median(again).toFixed(3).padStart(10)];
  console.log(`${filter.padEnd(38)} ${figures.join(' ')}   ${gains.at(-1)!.toFixed(1)}x`);
}
console.log(`geometric mean ${geomean(gains).toFixed(1)}x`);
await backend.close();
