/**
 * Facets, terms, distinct counts, nested aggregations and collapse on fields with another value in
 * each of 5 M documents, beside DuckDB's GROUP BY on one thread over the same values, in turns.
 * Each of our cases runs in a process of its own: processor time of the first and of later answers
 * in ms, and the peak of its resident memory above that of the process with the index open. Targets
 * with one segment: <= 1,500 ms warm and <= 200 MB.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import type { AggSpecs } from '@lakehouse-search/contract';
import {
  checkAggregateRequest,
  checkFacetsRequest,
  checkSearchRequest,
} from '@lakehouse-search/contract/internal';
import { openSnapshot } from '../packages/engine/src/index/index-snapshot.ts';
import type { SearchContext } from '../packages/engine/src/search/context.ts';
import { searchIndex } from '../packages/engine/src/search/search.ts';
import { aggregateIndex, facetIndex } from '../packages/engine/src/search/summarize.ts';
import { openLocalDirectory } from '../packages/engine/src/storage/local-directory.ts';
import { searchContext } from '../test/support/search-context.ts';
import { indexFolder, LOW_VALUES, MAPPING, MULTIPLIERS } from './high-cardinality-index.ts';
import { machine, median } from './shared.ts';

const ROUNDS = 3;

interface Case {
  readonly name: string;
  readonly ask: (context: SearchContext) => Promise<unknown>;
  /** What DuckDB answers to. */
  readonly sql: string;
}

const terms = (field: string, more: object = {}, aggs?: AggSpecs): AggSpecs =>
  ({ a: { terms: { field, ...more }, ...(aggs === undefined ? {} : { aggs }) } }) as AggSpecs;
const distinct = (field: string): AggSpecs => ({ a: { cardinality: { field } } });
const aggregate = (name: string, aggs: AggSpecs, sql: string): Case => ({
  name,
  sql,
  ask: (context) => aggregateIndex(context, checkAggregateRequest({ aggs })),
});
const collapse = (name: string, field: string, sort: string | null, sql: string): Case => ({
  name,
  sql,
  ask: (context) =>
    searchIndex(
      context,
      checkSearchRequest({
        query: '*:*',
        collapse: field,
        limit: 10,
        ...(sort === null ? {} : { sort: [{ field: sort, desc: true }] }),
      }),
    ),
});
const topSql = (field: string, order = 'c desc, k') =>
  `select ${field} k, count(*) c from t group by k order by ${order} limit 10`;
const innerSql = (outer: string, inner: string) =>
  `select * from (select ${outer} o, ${inner} k, count(*) c from t where ${outer} in
  (select k from (${topSql(outer)})) group by o, k) qualify row_number() over
  (partition by o order by c desc, k) <= 10`;

const CASES: readonly Case[] = [
  {
    name: 'facet n',
    ask: (context) => facetIndex(context, checkFacetsRequest({ fields: ['n'], size: 10 })),
    sql: topSql('n'),
  },
  aggregate('terms n', terms('n'), topSql('n')),
  aggregate('terms n, by key', terms('n', { order: { _key: 'asc' } }), topSql('n', 'k')),
  aggregate('terms n, rarest', terms('n', { order: { _count: 'asc' } }), topSql('n', 'c, k')),
  aggregate('terms num', terms('num'), topSql('num')),
  aggregate('cardinality n', distinct('n'), 'select count(distinct n) from t'),
  aggregate('cardinality num', distinct('num'), 'select count(distinct num) from t'),
  aggregate('terms n > terms u', terms('n', {}, terms('u')), innerSql('n', 'u')),
  aggregate('terms low > terms n', terms('low', {}, terms('n')), innerSql('low', 'n')),
  aggregate(
    'terms n > cardinality u',
    terms('n', {}, distinct('u')),
    `select n k, count(*) c, count(distinct u) from t group by k order by c desc, k limit 10`,
  ),
  aggregate(
    'terms low > cardinality n',
    terms('low', { size: LOW_VALUES }, distinct('n')),
    `select low, count(distinct n) from t group by low`,
  ),
  collapse(
    'collapse n',
    'n',
    null,
    'select n, min(id), count(*) from t group by n order by 2 limit 10',
  ),
  collapse(
    'collapse n, by num',
    'n',
    'num',
    'select n, max(num), count(*) from t group by n order by 2 desc limit 10',
  ),
  collapse(
    'collapse num',
    'num',
    null,
    'select num, min(id), count(*) from t group by num order by 2 limit 10',
  ),
  collapse(
    'collapse low',
    'low',
    null,
    'select low, min(id), count(*) from t group by low order by 2 limit 10',
  ),
  aggregate('terms low', terms('low'), topSql('low')),
];

interface Measured {
  readonly first: number;
  readonly warm: number;
  readonly megabytes: number;
}

/** The processor time of all threads of this process that something takes, in ms. */
async function spent(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The most resident memory of this program, bytes; maxRSS would count its parent's before it. */
function peakMemory(): number {
  const [, kilobytes] = readFileSync('/proc/self/status', 'utf8').match(/VmHWM:\s+(\d+)/)!;
  return Number(kilobytes) * 1024;
}

/** One case in this process: printed as JSON. */
async function measure(folder: string, name: string): Promise<void> {
  const snapshot = openSnapshot(openLocalDirectory(folder));
  const context = searchContext(MAPPING, snapshot);
  const { ask } = CASES.find((one) => one.name === name)!;
  await aggregateIndex(
    context,
    checkAggregateRequest({ aggs: { a: { missing: { field: 'low' } } } }),
  );
  const idle = process.memoryUsage().rss;
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    times.push(await spent(() => ask(context)));
  }
  const megabytes = (peakMemory() - idle) / 2 ** 20;
  const measured: Measured = { first: times[0], warm: median(times.slice(1)), megabytes };
  console.log(JSON.stringify(measured));
}

function measureApart(folder: string, name: string): Measured | string {
  const [node, program] = process.argv;
  const run = spawnSync(node, [program, '--case', folder, name], {
    encoding: 'utf8',
    timeout: 300_000,
  });
  if (run.status === 0) return JSON.parse(run.stdout);
  return run.stderr.match(/LhsError: .*|heap out of memory/)?.[0] ?? `ended (${run.signal})`;
}

async function duck(rows: number) {
  const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
  const mixed = (multiplier: number) => `((i * ${multiplier}) % 4294967296)`;
  await connection.run(`create table t as select i as id,
    printf('%08x', ${mixed(MULTIPLIERS.n)}) as n, printf('%08x', ${mixed(MULTIPLIERS.u)}) as u,
    ${mixed(MULTIPLIERS.num)}::bigint as num,
    'low-' || (${mixed(MULTIPLIERS.u)} % ${LOW_VALUES}) as low from range(${rows}) r(i)`);
  return async (sql: string) => {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      times.push(await spent(() => connection.runAndReadAll(sql)));
    }
    return median(times);
  };
}

async function compare(rows: number, segments: number, only: string | undefined): Promise<void> {
  const folder = indexFolder(rows, segments);
  const query = await duck(rows);
  console.log(`${machine()}; ${rows} rows, ${segments} segments`);
  console.log('CPU ms                        first     warm   DuckDB    ratio   peak MB');
  for (const { name, sql } of CASES) {
    if (only !== undefined && !name.includes(only)) continue;
    const ours = measureApart(folder, name);
    if (typeof ours === 'string') {
      console.log(`${name.padEnd(26)} ${ours}`);
      continue;
    }
    const theirs = await query(sql);
    const numbers = [ours.first, ours.warm, theirs].map((ms) => ms.toFixed(0).padStart(8));
    const ratio = `${(theirs / ours.warm).toFixed(1)} x`.padStart(8);
    console.log(
      `${name.padEnd(26)} ${numbers.join(' ')} ${ratio} ${ours.megabytes.toFixed(0).padStart(9)}`,
    );
  }
}

const [, , first, second, third] = process.argv;
if (first === '--case') await measure(second, third);
else await compare(Number(first ?? 5_000_000), Number(second ?? 1), third);
process.exit(0);
