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
  /** Buckets of a LONG field, or of a DOUBLE one whose width is a power of two. */
  | {
      readonly kind: 'numbers';
      readonly field: string;
      readonly width: number;
      readonly subs: readonly TestAgg[];
    }
  | {
      readonly kind: 'figure';
      readonly field: string;
      readonly figure: 'min' | 'max' | 'sum' | 'avg';
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
    case 'numbers':
      return { histogram: { field: agg.field, interval: agg.width }, ...subs };
    case 'figure':
      return { [agg.figure]: { field: agg.field } };
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
/**
 * Up to so many different values percentiles are exact; beyond, they may be off by so many percent
 * of ranks.
 */
const EXACT = 4096;
const RANKS = 1.5;
const EQUALS = 0.01;

/** What the tests ask for. */
const PERCENTS = [0, 1, 25, 50, 75, 99, 100];
const near = (percent: number, by: number) => Math.min(100, Math.max(0, percent + by)) / 100;

/** A field's name in SQL. */
export const col = (field: string): string => `"${field}"`;

/** Rows of the documents' table that a question is about. */
class Part {
  /** Says which rows, however often they are put into a table. */
  readonly path: string;
  readonly #make: () => Promise<string>;
  #table: Promise<string> | null = null;

  constructor(path: string, make: () => Promise<string>) {
    this.path = path;
    this.#make = make;
  }

  /** The name of a table of these rows, made when first asked for. */
  table(): Promise<string> {
    return (this.#table ??= this.#make());
  }

  get made(): Promise<string> | null {
    return this.#table;
  }
}

/**
 * Answers by SQL over `table`, which stays as it is as long as it is asked. Questions have `$T` for
 * the table of their part; the same one is asked once.
 */
export class SqlOracle {
  readonly #connection: DuckDBConnection;
  readonly #columns: Readonly<Record<string, SqlColumn>>;
  readonly #whole: Part;
  readonly #wheres = new Map<string, Part>();
  readonly #asked = new Map<string, Promise<unknown[][]>>();
  #tables = 0;

  constructor(
    connection: DuckDBConnection,
    table: string,
    columns: Readonly<Record<string, SqlColumn>>,
  ) {
    this.#connection = connection;
    this.#columns = columns;
    this.#whole = new Part('', async () => table);
  }

  /** The answers by name, over the rows for which `where` holds. */
  async all(aggs: readonly TestAgg[], where: string): Promise<Record<string, unknown>> {
    return this.#all(aggs, this.#where(where));
  }

  async count(where: string): Promise<number> {
    return this.#count(this.#where(where), 'true');
  }

  #where(where: string): Part {
    if (where === 'true') return this.#whole;
    const known = this.#wheres.get(where) ?? this.#part(this.#whole, '*', where);
    this.#wheres.set(where, known);
    return known;
  }

  #part(of: Part, columns: string, where: string): Part {
    return new Part(`${of.path} | ${columns} ${where}`, async () => {
      const name = `part${this.#tables++}`;
      const from = await of.table();
      const rows = `select ${columns} from ${from} where ${where}`;
      await this.#connection.run(`create or replace temp table ${name} as ${rows}`);
      return name;
    });
  }

  /** A part for the time of some questions. */
  async #within<T>(
    of: Part,
    columns: string,
    where: string,
    ask: (part: Part) => Promise<T>,
  ): Promise<T> {
    const part = this.#part(of, columns, where);
    const answer = await ask(part);
    if (part.made !== null) await this.#connection.run(`drop table ${await part.made}`);
    return answer;
  }

  async #all(aggs: readonly TestAgg[], part: Part): Promise<Record<string, unknown>> {
    const results: Record<string, unknown> = {};
    for (const [i, agg] of aggs.entries()) results[`a${i}`] = await this.#one(agg, part);
    return results;
  }

  async #count(part: Part, where: string): Promise<number> {
    const [[count]] = await this.#rows(part, `select count(*) from $T where ${where}`);
    return Number(count);
  }

  async #one(agg: TestAgg, part: Part): Promise<unknown> {
    switch (agg.kind) {
      case 'terms':
        return this.#terms(agg, part);
      case 'fixed':
      case 'numbers':
      case 'calendar':
        return this.#histogram(agg, part);
      case 'figure':
        return { value: (await this.#stats(agg.field, part))[agg.figure] };
      case 'range':
        return this.#ranges(agg, part);
      case 'filter':
        return this.#single(agg.subs, part, agg.sql);
      case 'missing':
        return this.#single(agg.subs, part, `len(${col(agg.field)}) = 0`);
      case 'stats':
        return this.#stats(agg.field, part);
      case 'cardinality': {
        const sql = `select count(distinct v) from ${valuesOf(agg.field)}`;
        const value = Number((await this.#rows(part, sql))[0][0]);
        return value <= EXACT_DISTINCT ? { value, exact: true } : { about: value };
      }
      case 'percentiles':
        return this.#percentiles(agg, part);
    }
  }

  /** The bucket of a part's rows for which `own` holds. */
  async #bucket(subs: readonly TestAgg[], part: Part, own: string, head: object, count: unknown) {
    if (subs.length === 0) return { ...head, doc_count: Number(count) };
    const aggs = await this.#within(part, '*', own, (bucket) => this.#all(subs, bucket));
    return { ...head, doc_count: Number(count), aggs };
  }

  async #single(subs: readonly TestAgg[], part: Part, own: string, head: object = {}) {
    return this.#bucket(subs, part, own, head, await this.#count(part, own));
  }

  async #terms(agg: Extract<TestAgg, { kind: 'terms' }>, part: Part) {
    const { field, size, order, missing, subs } = agg;
    const direction = order.desc ? 'desc' : 'asc';
    const by = order.by === '_key' ? `v ${direction}` : `n ${direction}, v asc`;
    const from = distinct(field, missing?.sql);
    const sql = `select v::varchar, count(*) n, v from ${from} group by v order by ${by}`;
    const rows = await this.#rows(part, sql);
    const buckets = [];
    for (const [text, count] of rows.slice(0, size)) {
      const key = this.#columns[field].wire(text as string);
      const own = `list_contains(${col(field)}, ${this.#literal(field, text as string)})`;
      const none =
        missing !== undefined && JSON.stringify(missing.wire) === JSON.stringify(key)
          ? ` or len(${col(field)}) = 0`
          : '';
      buckets.push(await this.#bucket(subs, part, `(${own}${none})`, { key }, count));
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

  async #histogram(agg: Histogram, part: Part) {
    const isDouble = this.#columns[agg.field].type === 'DOUBLE';
    const starts = startsOf(agg, isDouble);
    const width = isDouble && agg.kind === 'numbers' ? agg.width : null;
    const from = `(select unnest(${starts}) v from $T)`;
    const sql = `select v::varchar, count(*) from ${from} group by v order by v`;
    const rows = await this.#rows(part, sql);
    const heads = rows.map(([text]) => ({
      key: width === null ? longWire(text as string) : Number(text) * width,
    }));
    const { subs } = agg;
    if (subs.length === 0) {
      const plain = heads.map((head, i) => ({ ...head, doc_count: Number(rows[i][1]) }));
      return { buckets: plain };
    }
    // Every bucket asks for the starts: they are computed once.
    const name = col(`starts${part.path.split(' | ').length}`);
    const buckets = await this.#within(part, `*, ${starts} as ${name}`, 'true', async (started) => {
      const all = [];
      for (const [i, [text, count]] of rows.entries()) {
        const own = `list_contains(${name}, '${text}'::bigint)`;
        all.push(await this.#bucket(subs, started, own, heads[i], count));
      }
      return all;
    });
    return { buckets };
  }

  async #ranges(agg: Extract<TestAgg, { kind: 'range' }>, part: Part) {
    const buckets = [];
    for (const [i, { from, to }] of agg.ranges.entries()) {
      const low = from === undefined ? 'true' : `v >= ${from.sql}`;
      const high = to === undefined ? 'true' : `v < ${to.sql}`;
      const own = `len(list_filter(${col(agg.field)}, v -> ${low} and ${high})) > 0`;
      const head = {
        key: `r${i}`,
        ...(from === undefined ? {} : { from: from.wire }),
        ...(to === undefined ? {} : { to: to.wire }),
      };
      buckets.push(await this.#single(agg.subs, part, own, head));
    }
    return { buckets };
  }

  async #stats(field: string, part: Part) {
    const { type } = this.#columns[field];
    const figures = 'count(*), min(v)::varchar, max(v)::varchar, sum(v)::varchar';
    const [[count, min, max, sum]] = await this.#rows(
      part,
      `select ${figures} from ${valuesOf(field)}`,
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

  async #percentiles(agg: Extract<TestAgg, { kind: 'percentiles' }>, part: Part) {
    // One question for all percents: it is asked once.
    const all = [...new Set([...PERCENTS, ...agg.percents])];
    const list = all.flatMap((p) => [near(p, -RANKS), p / 100, near(p, RANKS)]).join(', ');
    const [[values, nans, count]] = await this.#rows(
      part,
      `select quantile_cont(n, [${list}]) filter (not isnan(n))::varchar[],
         count(*) filter (isnan(n)), count(distinct n) filter (not isnan(n))
       from (select v::double n from ${valuesOf(agg.field)})`,
    );
    const items = (values as { items: readonly string[] } | null)?.items;
    const exact = Number(count) <= EXACT;
    return {
      values: agg.percents.map((percent) => {
        const at = 3 * all.indexOf(percent);
        if (items === undefined) return { percent, value: null };
        if (exact) return { percent, value: doubleWire(items[at + 1]) };
        // Between neighbours among whole numbers an estimate may stand beside a run of equals.
        const low = Number(doubleText(items[at])) * (1 - EQUALS);
        return { percent, low, high: Number(doubleText(items[at + 2])) * (1 + EQUALS) };
      }),
      exact,
      ...(Number(nans) > 0 ? { nan_count: Number(nans) } : {}),
    };
  }

  #rows(part: Part, sql: string): Promise<unknown[][]> {
    const name = `${part.path} | ${sql}`;
    let rows = this.#asked.get(name);
    if (rows === undefined) this.#asked.set(name, (rows = this.#ask(part, sql)));
    return rows;
  }

  async #ask(part: Part, sql: string): Promise<unknown[][]> {
    const text = sql.replaceAll('$T', await part.table());
    return (await this.#connection.runAndReadAll(text)).getRows() as unknown[][];
  }
}

/** One row a document and distinct value. */
function distinct(field: string, empty?: string): string {
  const own = col(field);
  const list = empty === undefined ? own : `if(len(${own}) = 0, [${empty}], ${own})`;
  // Not by list_distinct, which takes every NaN for another value.
  const each = `select rowid id, unnest(${list}) v from $T`;
  return `(select v from (select distinct id, v from (${each})))`;
}

/** One row a value. */
const valuesOf = (field: string): string => `(select unnest(${col(field)}) v from $T)`;

/** The starts of a document's buckets, each once. */
type Histogram = Extract<TestAgg, { kind: 'fixed' | 'calendar' | 'numbers' }>;

/** The buckets of each row: their beginnings, or their numbers for doubles. */
function startsOf(agg: Histogram, isDouble: boolean): string {
  if (isDouble && agg.kind === 'numbers') {
    const finite = `list_filter(${col(agg.field)}, v -> isfinite(v))`;
    // the quotient of a tiny negative value is -0
    const bucket = `if(v < 0 and v > -${agg.width}, -1, floor(v / ${agg.width})::bigint)`;
    return `list_distinct(list_transform(${finite}, v -> ${bucket}))`;
  }
  const start = (v: string) => {
    if (agg.kind !== 'calendar') {
      const w = `${agg.kind === 'fixed' ? agg.micros : agg.width}::hugeint`;
      return `(${v}::hugeint - ((${v}::hugeint % ${w}) + ${w}) % ${w})::bigint`;
    }
    const local = `(make_timestamp(${v}) at time zone 'UTC') at time zone '${agg.zone}'`;
    return `epoch_us(date_trunc('${agg.unit}', ${local})::timestamp at time zone '${agg.zone}')`;
  };
  return `list_distinct(list_transform(${col(agg.field)}, v -> ${start('v')}))`;
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
