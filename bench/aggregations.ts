/**
 * Aggregations over 10 M generated rows (one segment's columns, encoded as on disk, in an arena)
 * beside DuckDB on one thread over the same rows in memory, in turns; each answer is compared once.
 * Ours is the whole request: parsing, binding, the filter's matches (not from the cache), counting,
 * the answer. Targets on all rows: terms (VARCHAR) >= 15 x, stats >= 6 x, histogram >= 10 x; under
 * filters of 1 % and 30 % >= 2.5 x.
 */
import { DuckDBInstance } from '@duckdb/node-api';
import type { AggBucket, AggSpecs } from '@lakehouse-search/contract';
import { checkAggregateRequest } from '@lakehouse-search/contract/internal';
import { NumericColumn } from '../packages/engine/src/columnar/numeric-column.ts';
import { NumericWriter } from '../packages/engine/src/columnar/numeric-writer.ts';
import { OrdinalColumn } from '../packages/engine/src/columnar/ordinal-column.ts';
import { OrdinalWriter } from '../packages/engine/src/columnar/ordinal-writer.ts';
import type { IndexSnapshot } from '../packages/engine/src/index/index-snapshot.ts';
import type { FieldPlan } from '../packages/engine/src/schema/field-plan.ts';
import type { Mapping } from '../packages/engine/src/schema/mapping.ts';
import type { SearchContext } from '../packages/engine/src/search/context.ts';
import { aggregateIndex } from '../packages/engine/src/search/summarize.ts';
import { plainArena } from '../test/support/plain-arena.ts';
import { searchContext } from '../test/support/search-context.ts';
import { machine, median } from './shared.ts';

const ROWS = Number(process.argv[2] ?? 10_000_000);
const ROUNDS = Number(process.argv[3] ?? 9);
const DAYS = 1096;
const START = 1_577_836_800n;
const CHUNK = 100_000;

/** A multiplicative generator that SQL computes too. */
const mixed = (i: number, multiplier: number, add: number) =>
  (Math.imul(i, multiplier) + add) >>> 0;
const sql = (multiplier: number, add: number) => `((i * ${multiplier} + ${add}) % 4294967296)`;

const FIELDS = {
  cat: { type: 'KEYWORD', at: (i: number) => `category-${(mixed(i, 2654435761, 11) >>> 9) % 100}` },
  many: { type: 'KEYWORD', at: (i: number) => `key-${(mixed(i, 2246822507, 5) >>> 7) % 5000}` },
  weight: { type: 'DOUBLE', at: (i: number) => ((mixed(i, 2246822519, 77) >>> 8) % 1_000_000) / 7 },
  price: { type: 'LONG', at: (i: number) => BigInt((mixed(i, 2246822519, 77) >>> 8) % 1_000_000) },
  ts: {
    type: 'DATE',
    at: (i: number) =>
      (START + BigInt((mixed(i, 3266489917, 3) >>> 1) % (DAYS * 86_400))) * 1_000_000n,
  },
} as const;
type Name = keyof typeof FIELDS;
const NAMES = Object.keys(FIELDS) as Name[];

function columnOf(name: Name, arena: ReturnType<typeof plainArena>) {
  const { type, at } = FIELDS[name];
  const writer = type === 'KEYWORD' ? new OrdinalWriter() : new NumericWriter(type === 'DOUBLE');
  const starts = Int32Array.from({ length: CHUNK + 1 }, (_, i) => i);
  for (let from = 0; from < ROWS; from += CHUNK) {
    const docs = Math.min(CHUNK, ROWS - from);
    const values = Array.from({ length: docs }, (_, i) => at(from + i));
    const starting = starts.subarray(0, docs + 1);
    if (type === 'DOUBLE') {
      const numbers = Float64Array.from(values as number[]);
      writer.add(docs, { kind: 'double', starts: starting, values: numbers });
      continue;
    }
    if (type !== 'KEYWORD') {
      const numbers = BigInt64Array.from(values as bigint[]);
      writer.add(docs, { kind: 'long', starts: starting, values: numbers });
      continue;
    }
    const texts = values as string[];
    const offsets = new Int32Array(docs + 1);
    texts.forEach((text, i) => {
      offsets[i + 1] = offsets[i] + text.length;
    });
    const bytes = Buffer.from(texts.join(''));
    writer.add(docs, { kind: 'bytes', starts: starting, offsets, bytes });
  }
  const parts = writer.finish();
  const region = arena.allocate(parts.reduce((sum, part) => sum + part.length, 0));
  let to = 0;
  for (const part of parts) {
    region.bytes.set(part, to);
    to += part.length;
  }
  return type === 'KEYWORD' ? OrdinalColumn.open(region, name) : NumericColumn.open(region, name);
}

/** A search context over one segment that has nothing but the columns. */
function contextOf(): SearchContext {
  const arena = plainArena(ROWS * 16 + 2 ** 26);
  const columns = NAMES.map((name) => columnOf(name, arena));
  const plans = NAMES.map((name, id): FieldPlan => {
    const { type } = FIELDS[name];
    const column = type === 'KEYWORD' ? 'ordinal' : 'numeric';
    return { id, name, type, inverted: null, column, stored: false };
  });
  const reader = {
    ...{ arena, docs: ROWS, deleted: null, inverted: () => null },
    numeric: (id: number) => (columns[id] instanceof NumericColumn ? columns[id] : null),
    ordinals: (id: number) => (columns[id] instanceof OrdinalColumn ? columns[id] : null),
  };
  const fields = plans.map((plan) => {
    const source = { kind: 'columns', columns: [plan.id] };
    return { plan, definition: { fast: true }, source };
  });
  const mapping = {
    definition: { index: 'bench' },
    defaultField: null,
    columns: plans.map(({ name }) => ({ name, type: { kind: 'string' } })),
    fields,
    key: {},
  };
  const shards = [{ shard: 0, segments: [reader] }];
  const snapshot = { shards, files: [], checkpoint: null, generation: 1 };
  return searchContext(mapping as unknown as Mapping, snapshot as unknown as IndexSnapshot);
}

async function duck() {
  const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
  await connection.run(`create table t as select
    'category-' || ((${sql(2654435761, 11)} // 512) % 100) as cat,
    'key-' || ((${sql(2246822507, 5)} // 128) % 5000) as many,
    ((${sql(2246822519, 77)} // 256) % 1000000)::bigint as price,
    ((${sql(2246822519, 77)} // 256) % 1000000)::bigint / 7 as weight,
    make_timestamp((${START} + (${sql(3266489917, 3)} // 2) % ${DAYS * 86_400}) * 1000000) as ts
    from range(${ROWS}) r(i)`);
  return async (query: string) => (await connection.runAndReadAll(query)).getRows();
}

const bars = (field: Name, size: number): AggSpecs => ({ a: { terms: { field, size } } });
const days: AggSpecs = { a: { date_histogram: { field: 'ts', fixed_interval: '1d' } } };
const stats: AggSpecs = { a: { stats: { field: 'price' } } };
const catSql = (where = '') => `select cat, count(*) from t ${where} group by 1`;
const daySql = (where = '') =>
  `select epoch_us(date_trunc('day', ts)), count(*) from t ${where} group by 1`;
const figures = (field: string) =>
  `count(${field}), min(${field}), max(${field}), sum(${field}), avg(${field})`;
const statsSql = (where = '', field = 'price') => `select ${figures(field)} from t ${where}`;
const LIMITS = [200_000, 400_000, 600_000];
const bands: AggSpecs = {
  a: {
    range: {
      field: 'price',
      ranges: [...LIMITS, undefined].map((to, i) => ({
        ...{ key: `${i}` },
        ...(i === 0 ? {} : { from: LIMITS[i - 1] }),
        ...(to === undefined ? {} : { to }),
      })),
    },
  },
};
const bandSql = `select case ${LIMITS.map((to, i) => `when price < ${to} then '${i}'`).join(' ')}
  else '3' end k, count(*) from t group by k`;
const months: AggSpecs = {
  a: { date_histogram: { field: 'ts', calendar_interval: 'month', time_zone: 'UTC' } },
};
const nested: AggSpecs = { a: { terms: { field: 'cat', size: 100 }, aggs: stats } };
const weights: AggSpecs = { a: { stats: { field: 'weight' } } };
const distinct: AggSpecs = { a: { cardinality: { field: 'many' } } };
const [ONE, THIRTY] = ['price:[0 TO 9999]', 'price:[0 TO 299999]'];
const [WHERE_ONE, WHERE_THIRTY] = ['where price < 10000', 'where price < 300000'];
const CASES: readonly (readonly [string, AggSpecs, string | undefined, string, number?])[] = [
  ['terms, 100 values', bars('cat', 100), undefined, catSql(), 15],
  ['terms, 5,000 values', bars('many', 5000), undefined, catSql().replace('cat', 'many'), 15],
  ['stats', stats, undefined, statsSql(), 6],
  ['day histogram', days, undefined, daySql(), 10],
  ['terms of 1 %', bars('cat', 100), ONE, catSql(WHERE_ONE), 2.5],
  ['terms of 30 %', bars('cat', 100), THIRTY, catSql(WHERE_THIRTY), 2.5],
  ['stats of 1 %', stats, ONE, statsSql(WHERE_ONE), 2.5],
  ['stats of 30 %', stats, THIRTY, statsSql(WHERE_THIRTY), 2.5],
  ['days of 1 %', days, ONE, daySql(WHERE_ONE), 2.5],
  ['days of 30 %', days, THIRTY, daySql(WHERE_THIRTY), 2.5],
  ['stats, doubles', weights, undefined, statsSql('', 'weight')],
  ['month histogram', months, undefined, daySql().replace("'day'", "'month'")],
  ['ranges, 4', bands, undefined, bandSql],
  ['distinct values', distinct, undefined, 'select count(distinct many) from t'],
  [
    'terms with stats',
    nested,
    undefined,
    `select cat, count(*), ${figures('price')} from t group by 1`,
  ],
  [
    'its 30 %',
    nested,
    THIRTY,
    `select cat, count(*), ${figures('price')} from t ${WHERE_THIRTY} group by 1`,
  ],
];

const near = (a: number, b: number) => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b));

function same(result: object, rows: readonly (readonly unknown[])[]): boolean {
  if ('exact' in result)
    return Number(rows[0][0]) === (result as unknown as { value: number }).value;
  if (!('buckets' in result)) {
    return Object.values(result).every((value, i) => near(value, Number(rows[0][i])));
  }
  const buckets = result.buckets as readonly AggBucket[];
  const counts = new Map(rows.map(([key, count]) => [String(key), Number(count)]));
  return (
    buckets.length === counts.size &&
    buckets.every(({ key, doc_count, aggs }) => {
      const row = rows.find(([own]) => String(own) === String(key))!;
      const inner = aggs === undefined || same(aggs.a, [row.slice(2)]);
      return counts.get(String(key)) === doc_count && inner;
    })
  );
}

interface Spent {
  readonly wall: number;
  /** Of all threads of this process. */
  readonly cpu: number;
}

/** An answer and the milliseconds that it took. */
async function spent<T>(ask: () => Promise<T>): Promise<Spent & { readonly result: T }> {
  const [started, before] = [performance.now(), process.cpuUsage()];
  const result = await ask();
  const { user, system } = process.cpuUsage(before);
  return { result, wall: performance.now() - started, cpu: (user + system) / 1000 };
}

const context = contextOf();
const query = await duck();
console.log(machine());
console.log('ms                    wall: lhs   DuckDB    ratio    CPU: lhs   DuckDB  ratio');
for (const [name, aggs, filter, text, target] of CASES) {
  const [ours, theirs]: [Spent[], Spent[]] = [[], []];
  let equal = true;
  for (let round = 0; round < ROUNDS + 3; round++) {
    const own = await spent(() => aggregateIndex(context, checkAggregateRequest({ aggs, filter })));
    const peer = await spent(() => query(text));
    if (round === 0) equal = same(own.result.results.a, peer.result);
    if (round < 3) continue;
    ours.push(own);
    theirs.push(peer);
  }
  const middle = (list: readonly Spent[], what: keyof Spent) => median(list.map((s) => s[what]));
  const [wall, cpu] = (['wall', 'cpu'] as const).map((what) => {
    const [a, b] = [middle(ours, what), middle(theirs, what)];
    return (
      `${a.toFixed(1).padStart(7)} ${b.toFixed(1).padStart(8)} ` +
      `${(b / a).toFixed(1).padStart(6)} x`
    );
  });
  const wanted = target === undefined ? '' : `  (target ${target})`;
  console.log(`${name.padEnd(20)} ${wall} ${cpu}${wanted}${equal ? '' : ' DIFFERENT'}`);
}
process.exit(0);
