/** Parts of dates, orders and bounds by figures, ratios and changes, against SQL in DuckDB. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { JsonObject } from '@lakehouse-search/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededBelow } from '../../../../test/support/random.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const below = seededBelow(20_261_128);
const DAYS = 600;
const rowOf = (id: number) => ({
  id,
  team: `team ${below(30)}`,
  region: ['north', 'south', 'west'][below(3)],
  size: below(7) === 0 ? null : below(1000),
  price: below(9) === 0 ? null : below(10_000) / 64,
  // one month of the two years has no row
  seen: new Date(Date.UTC(2024, 0, 1 + (below(DAYS) % 575), below(24), below(60))).toISOString(),
});
const ROWS = Array.from({ length: 1200 }, (_, id) => rowOf(id)).filter(
  ({ seen }) => !seen.startsWith('2024-07'),
);

const schema = schemaOf({
  ...{ id: 'long', team: 'string', region: 'string', size: 'long', price: 'double' },
  seen: 'timestamptz',
});

let sql: DuckDBConnection;
beforeAll(async () => {
  sql = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
});
afterAll(() => sql.closeSync());

async function rowsOf(query: string): Promise<readonly (readonly unknown[])[]> {
  const rows = (await sql.runAndReadAll(query)).getRows();
  return rows.map((row) => row.map((value) => (typeof value === 'bigint' ? Number(value) : value)));
}

describe.each([1, 3])('figures of groups, in %i shards', (shards) => {
  let lake: SmallLake;
  beforeAll(async () => {
    lake = await openSmallLake();
    await lake.create(schema);
    for (let from = 0; from < ROWS.length; from += 400) {
      await lake.append(ROWS.slice(from, from + 400));
      if (from > 0) continue;
      await lake.define(`key: { identifier: [id] }
sharding: { shards: ${shards} }
fields:
  - { name: team, type: KEYWORD, fast: true }
  - { name: region, type: KEYWORD, fast: true }
  - { name: size, type: LONG, fast: true }
  - { name: price, type: DOUBLE, fast: true }
  - { name: seen, type: DATE, fast: true }`);
    }
    await lake.backend.reindex({});
    const file = join(lake.folder, 'rows.json');
    writeFileSync(file, JSON.stringify(ROWS));
    await sql.run(`create or replace table t as select * from read_json('${file}',
        columns = {id: 'bigint', team: 'varchar', region: 'varchar', size: 'bigint',
          price: 'double', seen: 'timestamptz'})`);
  });
  afterAll(() => lake.close());

  type Bucket = { key: unknown; doc_count: number; aggs?: Record<string, JsonObject> };
  async function groups(spec: JsonObject): Promise<readonly Bucket[]> {
    const { results } = await lake.backend.aggregate({ aggs: { g: spec } as never });
    return (results.g as unknown as { readonly buckets: readonly Bucket[] }).buckets;
  }
  const rowsIn = (buckets: readonly Bucket[], ...figures: readonly [string, string][]) =>
    buckets.map(({ key, doc_count, aggs }) => [
      ...[key, doc_count],
      ...figures.map(([name, figure]) => aggs?.[name][figure]),
    ]);

  it.each([
    ['hour_of_day', 'hour'],
    ['day_of_week', 'isodow'],
    ['day_of_month', 'day'],
    ['month_of_year', 'month'],
  ])("%s is DuckDB's", async (part, own) => {
    for (const zone of ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata']) {
      const spec = { field: 'seen', part, time_zone: zone };
      const found = await groups({ date_part: spec, aggs: { s: { sum: { field: 'size' } } } });
      const local = `date_part('${own}', seen at time zone '${zone}')`;
      const query = `select ${local} k, count(*), coalesce(sum(size), 0)::double from t
        group by k order by k`;
      expect(rowsIn(found, ['s', 'value'])).toEqual(await rowsOf(query));
    }
  });

  it.each([
    ['s.max', { s: { stats: { field: 'size' } } }, 'max(size)', ['s', 'max']],
    ['m', { m: { avg: { field: 'price' } } }, 'avg(price)', ['m', 'value']],
    ['c', { c: { cardinality: { field: 'size' } } }, 'count(distinct size)', ['c', 'value']],
    [
      'n',
      { n: { filter: 'region:north' } },
      `count(*) filter (region = 'north')`,
      ['n', 'doc_count'],
    ],
    [
      'share',
      { n: { filter: 'region:north' }, share: { ratio: { of: 'n', to: '_count' } } },
      `count(*) filter (region = 'north') / count(*)`,
      ['share', 'value'],
    ],
  ] as const)('groups are ordered by %s and bounded', async (name, aggs, figure, shown) => {
    for (const direction of ['asc', 'desc'] as const) {
      const order = { [name]: direction };
      const having: JsonObject = { _count: { gte: 30 }, [name]: { gt: 0.2 } };
      const terms = { field: 'team', size: 7, order, having };
      const found = await groups({ terms, aggs: { ...aggs } });
      const query = `select team, count(*) n, (${figure})::double f from t group by team
        having n >= 30 and f > 0.2 order by f ${direction} nulls last, team limit 7`;
      const wanted = await rowsOf(query);
      expect(found.map(({ key }) => key)).toEqual(wanted.map(([key]) => key));
      for (const [i, [, count, value]] of rowsIn(found, [shown[0], shown[1]]).entries()) {
        expect(count).toBe(wanted[i][1]);
        expect(value).toBeCloseTo(wanted[i][2] as number, 9);
      }
    }
  });

  it('a percentile orders groups within groups', async () => {
    const inner = {
      terms: { field: 'team', size: 2, order: { 'p.95': 'desc' } },
      aggs: { p: { percentiles: { field: 'price', percents: [50, 95] } } },
    };
    const found = await groups({ terms: { field: 'region', size: 3 }, aggs: { inner } });
    for (const { key, aggs } of found) {
      const query = `select team, count(*) from t where region = '${key}' group by team
        order by quantile_cont(price, 0.95) desc nulls last, team limit 2`;
      const own = (aggs as unknown as Record<string, { buckets: readonly Bucket[] }>).inner;
      expect(rowsIn(own.buckets)).toEqual(await rowsOf(query));
    }
  });

  it('a size of periods says how many there are', async () => {
    const months = { field: 'seen', calendar_interval: 'month', order: { n: 'desc' } };
    const ofSize = async (size: object, aggs = { n: { avg: { field: 'size' } } }) => {
      const g = { date_histogram: { ...months, ...size }, aggs };
      return (await lake.backend.aggregate({ aggs: { g } as never })).results.g;
    };
    const [[all]] = await rowsOf(`select count(distinct date_trunc('month', seen)) from t
      where date_part('year', seen) > 0`);
    expect(await ofSize({ size: 3 })).toMatchObject({ total_buckets: all });
    const [[large]] = await rowsOf(`select count(*) from (
      select 1 from t group by date_trunc('month', seen) having count(*) > 60)`);
    const having = { _count: { gt: 60 } };
    const bounded = await ofSize({ size: 1, having });
    expect(bounded).toMatchObject({ total_buckets: large });
    for (const size of [{}, { size: all }]) {
      const whole = await ofSize(size);
      expect(whole).toHaveProperty('buckets.length', all);
      expect(whole).not.toHaveProperty('total_buckets');
    }
  });

  it('changes are between neighbours, months without rows too', async () => {
    const aggs = {
      sold: { sum: { field: 'size' } },
      more: { change: { of: 'sold' } },
      growth: { change: { of: '_count', relative: true } },
    };
    const months = { field: 'seen', calendar_interval: 'month' };
    const found = await groups({ date_histogram: months, aggs });
    const query = `with m as (select unnest(generate_series(
          (select date_trunc('month', min(seen at time zone 'UTC')) from t),
          (select max(seen at time zone 'UTC') from t), interval 1 month)) k),
        g as (select epoch_us(k) k, count(id) n, coalesce(sum(size), 0)::double s
          from m left join t on date_trunc('month', seen at time zone 'UTC') = k group by 1)
      select k, n, s, s - lag(s) over w, (n - lag(n) over w) / nullif(lag(n) over w, 0)
      from g window w as (order by k) order by k`;
    const wanted = await rowsOf(query);
    expect(wanted.some(([, count]) => count === 0)).toBe(true);
    const figures = ['sold', 'more', 'growth'].map((name): [string, string] => [name, 'value']);
    expect(rowsIn(found, ...figures)).toEqual(wanted);
    const grown = { ...months, order: { growth: 'desc' }, size: 3 };
    const best = wanted.toSorted((a, b) => Number(b[4] ?? -9) - Number(a[4] ?? -9)).slice(0, 3);
    expect(rowsIn(await groups({ date_histogram: grown, aggs }), ...figures)).toEqual(best);
  });

  it.each([
    [
      { terms: { field: 'team', order: { s: 'desc' } }, aggs: { s: { stats: { field: 'size' } } } },
      /names the figure "s"$/,
    ],
    [
      { terms: { field: 'team' }, aggs: { x: { change: { of: '_count' } } } },
      /needs groups that follow each other/,
    ],
    [{ ratio: { of: '_count', to: '_count' } }, /is computed of the figures of groups/],
    [{ date_part: { field: 'seen', part: 'hour' } }, /expected hour_of_day, day_of_week/],
    [{ date_part: { field: 'size', part: 'hour_of_day' } }, /date_part needs a field of DATE/],
    [{ terms: { field: 'team', having: { _count: { over: 3 } } } }, /unknown option "over"/],
    [{ terms: { field: 'team', having: { _count: {} } } }, /an object with gt, gte, lt, lte/],
    [
      {
        histogram: { field: 'size', interval: 10 },
        aggs: { r: { ratio: { of: 'later', to: '_count' } }, later: { change: { of: '_count' } } },
      },
      /names the figure "later"/,
    ],
  ])('refuses %j', async (spec, message) => {
    await expect(groups(spec)).rejects.toThrow(message);
  });
});
