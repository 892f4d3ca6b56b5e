/**
 * What aggregations should answer, by SQL in DuckDB over the same documents: a table with one row a
 * document and a list of values a field. Shares nothing with the engine.
 */
import type { DuckDBConnection } from '@duckdb/node-api';

/** A column of the table: how its values look in SQL and on the wire. */
export interface SqlColumn {
  readonly type: 'KEYWORD' | 'LONG' | 'DOUBLE' | 'DATE' | 'BOOL' | 'IP';
  /** The wire form of a value that SQL gave as text. */
  readonly wire: (text: string) => unknown;
}
/** An aggregation of the test: the request's form without its name. */
export type TestAgg =
  | {
      readonly kind: 'terms';
      readonly field: string;
      readonly size: number;
      readonly order: { readonly by: '_count' | '_key'; readonly desc: boolean };
      /** SQL literal and wire value. */
      readonly missing?: { readonly sql: string; readonly wire: unknown };
      readonly subs: readonly TestAgg[];
    }
  | {
      readonly kind: 'fixed';
      readonly field: string;
      readonly text: string;
      readonly micros: bigint;
      readonly subs: readonly TestAgg[];
    }
  | {
      readonly kind: 'calendar';
      readonly field: string;
      readonly unit: string;
      readonly zone: string;
      readonly subs: readonly TestAgg[];
    }
  | {
      readonly kind: 'range';
      readonly field: string;
      readonly ranges: readonly {
        readonly from?: { readonly sql: string; readonly wire: unknown };
        readonly to?: { readonly sql: string; readonly wire: unknown };
      }[];
      readonly subs: readonly TestAgg[];
    }
  | {
      readonly kind: 'filter';
      readonly query: string;
      readonly sql: string;
      readonly subs: readonly TestAgg[];
    }
  | { readonly kind: 'missing'; readonly field: string; readonly subs: readonly TestAgg[] }
  | { readonly kind: 'stats' | 'cardinality'; readonly field: string }
  | { readonly kind: 'percentiles'; readonly field: string; readonly percents: readonly number[] };

/** The specification as the wire has it. */
export function specOf(agg: TestAgg): Record<string, unknown> {
  const subs = 'subs' in agg && agg.subs.length > 0 ? { aggs: namedSpecs(agg.subs) } : {};
  switch (agg.kind) {
    case 'terms': {
      const { field, size, order, missing } = agg;
      const more = missing === undefined ? {} : { missing: missing.wire };
      const by = { [order.by]: order.desc ? 'desc' : 'asc' };
      return { terms: { field, size, order: by, ...more }, ...subs };
    }
    case 'fixed':
      return { date_histogram: { field: agg.field, fixed_interval: agg.text }, ...subs };
    case 'calendar': {
      const { field, unit: calendar_interval, zone: time_zone } = agg;
      return { date_histogram: { field, calendar_interval, time_zone }, ...subs };
    }
    case 'range': {
      const ranges = agg.ranges.map(({ from, to }, i) => ({
        key: `r${i}`,
        ...(from === undefined ? {} : { from: from.wire }),
        ...(to === undefined ? {} : { to: to.wire }),
      }));
      return { range: { field: agg.field, ranges }, ...subs };
    }
    case 'filter':
      return { filter: agg.query, ...subs };
    case 'missing':
      return { missing: { field: agg.field }, ...subs };
    case 'percentiles':
      return { percentiles: { field: agg.field, percents: agg.percents } };
    default:
      return { [agg.kind]: { field: agg.field } };
  }
}

export const namedSpecs = (aggs: readonly TestAgg[]) =>
  Object.fromEntries(aggs.map((agg, i) => [`a${i}`, specOf(agg)]));

/** Up to so many values distinct counts are exact. */
const EXACT_DISTINCT = 65_536;
/** Up to so many different values percentiles are exact; beyond, they may be off by so many percent of ranks. */
const EXACT = 4096;
const RANKS = 1.5;
const EQUALS = 0.01;

/** A field's name in SQL. */
export const col = (field: string): string => `"${field}"`;

/** Answers by SQL over `table`. */
export class SqlOracle {
  readonly #connection: DuckDBConnection;
  readonly #table: string;
  readonly #columns: Readonly<Record<string, SqlColumn>>;

  constructor(
    connection: DuckDBConnection,
    table: string,
    columns: Readonly<Record<string, SqlColumn>>,
  ) {
    this.#connection = connection;
    this.#table = table;
    this.#columns = columns;
  }

  async all(aggs: readonly TestAgg[], where: string): Promise<Record<string, unknown>> {
    const results: Record<string, unknown> = {};
    for (const [i, agg] of aggs.entries()) results[`a${i}`] = await this.#one(agg, where);
    return results;
  }

  async count(where: string): Promise<number> {
    const [[count]] = await this.#rows(`select count(*) from ${this.#table} where ${where}`);
    return Number(count);
  }

  async #one(agg: TestAgg, where: string): Promise<unknown> {
    switch (agg.kind) {
      case 'terms':
        return this.#terms(agg, where);
      case 'fixed':
      case 'calendar':
        return this.#histogram(agg, where);
      case 'range':
        return this.#ranges(agg, where);
      case 'filter':
        return this.#single(agg.subs, `(${where}) and (${agg.sql})`);
      case 'missing':
        return this.#single(agg.subs, `(${where}) and len(${col(agg.field)}) = 0`);
      case 'stats':
        return this.#stats(agg.field, where);
      case 'cardinality': {
        const sql = `select count(distinct v) from ${this.#values(agg.field, where)}`;
        const value = Number((await this.#rows(sql))[0][0]);
        return value <= EXACT_DISTINCT ? { value, exact: true } : { about: value };
      }
      case 'percentiles':
        return this.#percentiles(agg, where);
    }
  }

  /** One row a document and distinct value. */
  #distinct(field: string, where: string, empty?: string): string {
    const own = col(field);
    const list = empty === undefined ? own : `if(len(${own}) = 0, [${empty}], ${own})`;
    // Not by list_distinct, which takes every NaN for another value.
    const rows = `select rowid id, unnest(${list}) v from ${this.#table} where ${where}`;
    return `(select v from (select distinct id, v from (${rows})))`;
  }

  /** One row a value. */
  #values(field: string, where: string): string {
    return `(select unnest(${col(field)}) v from ${this.#table} where ${where})`;
  }

  async #bucket(subs: readonly TestAgg[], where: string, head: object, count: unknown) {
    const aggs = subs.length === 0 ? {} : { aggs: await this.all(subs, where) };
    return { ...head, doc_count: Number(count), ...aggs };
  }

  async #single(subs: readonly TestAgg[], where: string) {
    return this.#bucket(subs, where, {}, await this.count(where));
  }

  async #terms(agg: Extract<TestAgg, { kind: 'terms' }>, where: string) {
    const { field, size, order, missing, subs } = agg;
    const from = this.#distinct(field, where, missing?.sql);
    const direction = order.desc ? 'desc' : 'asc';
    const by = order.by === '_key' ? `v ${direction}` : `n ${direction}, v asc`;
    const sql = `select v::varchar, count(*) n, v from ${from} group by v order by ${by}`;
    const rows = await this.#rows(sql);
    const buckets = [];
    for (const [text, count] of rows.slice(0, size)) {
      const key = this.#columns[field].wire(text as string);
      const own = `list_contains(${col(field)}, ${this.#literal(field, text as string)})`;
      const none =
        missing !== undefined && JSON.stringify(missing.wire) === JSON.stringify(key)
          ? ` or len(${col(field)}) = 0`
          : '';
      buckets.push(await this.#bucket(subs, `(${where}) and (${own}${none})`, { key }, count));
    }
    const others = rows.slice(size).reduce((sum, [, count]) => sum + Number(count), 0);
    return { buckets, sum_other_doc_count: others, doc_count_error_upper_bound: 0 };
  }

  #literal(field: string, text: string): string {
    const { type } = this.#columns[field];
    const quoted = `'${text.replaceAll("'", "''")}'`;
    if (type === 'KEYWORD' || type === 'IP') return quoted;
    return type === 'DOUBLE' ? `${quoted}::double` : `${quoted}::bigint`;
  }

  async #histogram(agg: Extract<TestAgg, { kind: 'fixed' | 'calendar' }>, where: string) {
    const start = (v: string) => {
      if (agg.kind === 'fixed') {
        const w = `${agg.micros}::hugeint`;
        return `(${v}::hugeint - ((${v}::hugeint % ${w}) + ${w}) % ${w})::bigint`;
      }
      const local = `(make_timestamp(${v}) at time zone 'UTC') at time zone '${agg.zone}'`;
      return `epoch_us(date_trunc('${agg.unit}', ${local})::timestamp at time zone '${agg.zone}')`;
    };
    const starts = `list_distinct(list_transform(${col(agg.field)}, v -> ${start('v')}))`;
    const from = `(select unnest(${starts}) v from ${this.#table} where ${where})`;
    const rows = await this.#rows(`select v::varchar, count(*) from ${from} group by v order by v`);
    const buckets = [];
    for (const [text, count] of rows) {
      const own = `list_contains(${starts}, '${text}'::bigint)`;
      const head = { key: longWire(text as string) };
      buckets.push(await this.#bucket(agg.subs, `(${where}) and ${own}`, head, count));
    }
    return { buckets };
  }

  async #ranges(agg: Extract<TestAgg, { kind: 'range' }>, where: string) {
    const buckets = [];
    for (const [i, { from, to }] of agg.ranges.entries()) {
      const low = from === undefined ? 'true' : `v >= ${from.sql}`;
      const high = to === undefined ? 'true' : `v < ${to.sql}`;
      const own = `len(list_filter(${col(agg.field)}, v -> ${low} and ${high})) > 0`;
      const both = `(${where}) and ${own}`;
      const head = {
        key: `r${i}`,
        ...(from === undefined ? {} : { from: from.wire }),
        ...(to === undefined ? {} : { to: to.wire }),
      };
      buckets.push(await this.#bucket(agg.subs, both, head, await this.count(both)));
    }
    return { buckets };
  }

  async #stats(field: string, where: string) {
    const { type } = this.#columns[field];
    const [[count, min, max, sum]] = await this.#rows(
      `select count(*), min(v)::varchar, max(v)::varchar, sum(v)::varchar from ${this.#values(field, where)}`,
    );
    if (Number(count) === 0) return { count: 0, min: null, max: null, sum: 0, avg: null };
    if (type === 'DOUBLE') {
      const wire = (text: unknown) => doubleWire(String(text));
      const avg = wire(String(Number(doubleText(String(sum))) / Number(count)));
      return { count: Number(count), min: wire(min), max: wire(max), sum: wire(sum), avg };
    }
    const avg = Number(BigInt(sum as string)) / Number(count);
    const wire = (text: unknown) => longWire(String(text));
    return { count: Number(count), min: wire(min), max: wire(max), sum: wire(sum), avg };
  }

  async #percentiles(agg: Extract<TestAgg, { kind: 'percentiles' }>, where: string) {
    const list = agg.percents.map((p) => p / 100).join(', ');
    const [[values]] = await this.#rows(
      `select quantile_cont(v::double, [${list}])::varchar[] from ${this.#values(agg.field, where)}
       where not isnan(v::double)`,
    );
    const [[nans]] = await this.#rows(
      `select count(*) from ${this.#values(agg.field, where)} where isnan(v::double)`,
    );
    const items = (values as { items: readonly string[] } | null)?.items;
    const [[count]] = await this.#rows(
      `select count(distinct v::double) from ${this.#values(agg.field, where)} where not isnan(v::double)`,
    );
    const exact = Number(count) <= EXACT;
    return {
      values: exact
        ? agg.percents.map((percent, i) => ({
            percent,
            value: items === undefined ? null : doubleWire(items[i]),
          }))
        : await this.#around(agg, where),
      exact,
      ...(Number(nans) > 0 ? { nan_count: Number(nans) } : {}),
    };
  }

  /** What percentiles of many values may lie between: those some ranks before and after. */
  async #around(agg: Extract<TestAgg, { kind: 'percentiles' }>, where: string) {
    const near = (p: number, by: number) => Math.min(100, Math.max(0, p + by)) / 100;
    const list = agg.percents.flatMap((p) => [near(p, -RANKS), near(p, RANKS)]).join(', ');
    const [[values]] = await this.#rows(
      `select quantile_cont(v::double, [${list}])::varchar[] from ${this.#values(agg.field, where)}
       where not isnan(v::double)`,
    );
    const { items } = values as { items: readonly string[] };
    return agg.percents.map((percent, i) => ({
      percent,
      // Between neighbours among whole numbers an estimate may stand beside a long run of equals.
      low: Number(doubleText(items[2 * i])) * (1 - EQUALS),
      high: Number(doubleText(items[2 * i + 1])) * (1 + EQUALS),
    }));
  }

  async #rows(sql: string): Promise<unknown[][]> {
    return (await this.#connection.runAndReadAll(sql)).getRows() as unknown[][];
  }
}

/** LONG on the wire. */
export function longWire(text: string): number | string {
  const value = BigInt(text);
  return Number.isSafeInteger(Number(value)) ? Number(value) : text;
}

const doubleText = (text: string): string =>
  text.replace(/^(-?)inf$/, '$1Infinity').replace(/^-?nan$/i, 'NaN');

/** DOUBLE on the wire. */
export function doubleWire(text: string): number | string {
  const value = Number(doubleText(text));
  return Number.isFinite(value) ? value : String(value);
}

/** DATE on the wire, of microseconds. */
export function dateWire(text: string): string {
  const micros = BigInt(text);
  const rest = ((micros % 1000n) + 1000n) % 1000n;
  const iso = new Date(Number((micros - rest) / 1000n)).toISOString();
  return iso.replace('Z', `${String(rest).padStart(3, '0')}Z`);
}
