/**
 * What twelve times the rows cost: the processor time of a search over two indexes with the fields
 * of commits.ts, a page of 10 hits, by kind of query. The first index is what LHS_BENCH_DATA and
 * LHS_BENCH_INDEX name, the second, larger one comes as arguments; filters are not cached. Target:
 * at most 3 x the time for 12 x the rows.
 *
 *   node bench/growth.ts DATA INDEX [rounds] [KIND,…]
 */
import type { SearchRequest } from '@lakehouse-search/contract';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { anyOf, commitQueries, commitsIndex, machine, median, percentile } from './shared.ts';

const [largeData, largeIndex, rounds = '5', only] = process.argv.slice(2);
const small = commitsIndex();
const sides = [small, { data: largeData, index: largeIndex }];

type Query = Omit<SearchRequest, 'index'>;
const words = commitQueries()
  .slice(0, 60)
  .map((query) => query.map((word) => word.toLowerCase()));
const longest = words.map((query) => query.reduce((a, b) => (b.length > a.length ? b : a)));
const years = Array.from({ length: 60 }, (_, i) => 2006 + (i % 18));
const of = (queries: readonly string[], more: Query = {}): readonly Query[] =>
  queries.map((query) => ({ query, fields: [], limit: 10, ...more }));

const KINDS: Readonly<Record<string, readonly Query[]>> = {
  term: of(longest.map((word) => `text:${word}`)),
  or: of(words.map(anyOf)),
  phrase: of(words.map((query) => `text:"${query.slice(0, 2).join(' ')}"`)),
  year: of(years.map((year, i) => `authored_at:[${year}-01-${day(i)} TO ${year}-12-${day(i)}]`)),
  'sorted year': of(
    years.map((year, i) => `authored_at:[${year}-01-${day(i)} TO ${year}-12-${day(i)}]`),
    { sort: [{ field: 'authored_at', desc: true }] },
  ),
  'or in a year': of(words.map(anyOf)).map((query, i) => ({
    ...query,
    filter: `authored_at:[${years[i]}-01-01 TO ${years[i]}-12-31]`,
  })),
  prefix: of(longest.map((word) => `text:${word.slice(0, 4)}*`)),
  fuzzy: of(longest.map((word) => `text:${word}~1`)),
  'collapse of or': of(words.map(anyOf), { collapse: 'author' }),
  'collapse of all': of(
    years.map((_, i) => `words:[${i} TO *]`),
    { collapse: 'author' },
  ),
  hydrate: of(words.map(anyOf), { hydrate: true }),
};

function day(i: number): string {
  return String(1 + (i % 28)).padStart(2, '0');
}

const engines = await Promise.all(
  sides.map(({ data }) => openEngine(data, { create: true, threads: 0, memory: { filters: 0 } })),
);

/** Processor time of each query of a round, ms, and its matches. */
async function round(side: number, queries: readonly Query[]) {
  const millis: number[] = [];
  const totals: number[] = [];
  for (const query of queries) {
    const before = process.cpuUsage();
    const { total } = await engines[side].search({ index: sides[side].index, ...query });
    const { user, system } = process.cpuUsage(before);
    millis.push((user + system) / 1000);
    totals.push(total);
  }
  return { millis, totals };
}

/** Rounds over both sides in turns, after two that warm up. */
async function measured(queries: readonly Query[]) {
  const took = sides.map(() => queries.map((): number[] => []));
  const matches = [0, 0];
  for (let i = -2; i < Number(rounds); i++) {
    for (const side of [0, 1]) {
      const { millis, totals } = await round(side, queries);
      if (i >= 0) for (const [query, ms] of millis.entries()) took[side][query].push(ms);
      matches[side] = totals.reduce((sum, n) => sum + n, 0) / totals.length;
    }
  }
  return took.map((queries, side) => {
    const medians = queries.map(median);
    return { p50: median(medians), p99: percentile(medians, 0.99), matches: matches[side] };
  });
}

console.log(machine());
console.log(`${'ms of processor time'.padEnd(22)}   small   p99    large   p99   ratio   matches`);
for (const [kind, queries] of Object.entries(KINDS)) {
  if (only !== undefined && !only.split(',').includes(kind)) continue;
  const figures = await measured(queries);
  const [a, b] = figures;
  const cells = [a.p50, a.p99, b.p50, b.p99].map((ms) => ms.toFixed(2).padStart(7)).join(' ');
  const grown = `${(b.matches / a.matches).toFixed(1)} x of ${Math.round(a.matches)}`;
  console.log(`${kind.padEnd(22)} ${cells} ${(b.p50 / a.p50).toFixed(1).padStart(6)} x   ${grown}`);
}
await Promise.all(engines.map((engine) => engine.close()));
