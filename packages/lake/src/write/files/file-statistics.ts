import { quoteName } from '../../scan/duckdb/quoting.ts';
import { parseDate, parseTime, parseTimestamp } from '../../schema/civil-time.ts';
import { compareValues } from '../../schema/compare.ts';
import { parseDecimal } from '../../schema/decimal.ts';
import { encodeSingleValue } from '../../schema/single-value.ts';
import type { Field, Schema, Type, Value } from '../../schema/type.ts';

/**
 * A primitive value from the text that DuckDB casts it to; null for null. Other types keep the
 * text.
 */
export function valueOfText(type: Type, value: unknown): Value {
  if (value === null || value === undefined) return null;
  const text = String(value);
  switch (type.kind) {
    case 'boolean':
      return text === 'true';
    case 'int':
    case 'float':
    case 'double':
      return Number(text);
    case 'long':
      return BigInt(text);
    case 'date':
      return parseDate(text);
    case 'time':
      return parseTime(text);
    case 'timestamp':
    case 'timestamptz':
      return parseTimestamp(text.replace(' ', 'T').replace(/\+00(:00)?$/, ''), 6);
    case 'decimal':
      return parseDecimal(text, type.scale);
    default:
      return text;
  }
}

/** A manifest entry's statistics of a data file's columns, by field id. */
export interface FileStatistics {
  readonly recordCount: number;
  readonly valueCounts: ReadonlyMap<number, bigint>;
  readonly nullCounts: ReadonlyMap<number, bigint>;
  readonly lowerBounds: ReadonlyMap<number, Uint8Array>;
  readonly upperBounds: ReadonlyMap<number, Uint8Array>;
}

const BOUND_CHARS = 16;
const BOUNDED = new Set(
  'boolean int long float double date time timestamp timestamptz decimal string'.split(' '),
);

/** What DuckDB's COPY returns for a column (RETURN_STATS): names and texts. */
export type ColumnStats = ReadonlyMap<string, string>;

/**
 * Counts and bounds of a Parquet file from what its writer returned, by column name. Text bounds
 * are cut to 16 characters, the upper one raised (format/spec.md, "Manifests", note on truncated
 * bounds); columns with NaN have no bounds, nested columns have no count of nulls.
 */
export function writtenStatistics(
  schema: Pick<Schema, 'fields'>,
  rows: number,
  columns: ReadonlyMap<string, ColumnStats>,
): FileStatistics {
  const nullCounts = new Map<number, bigint>();
  const lowerBounds = new Map<number, Uint8Array>();
  const upperBounds = new Map<number, Uint8Array>();
  for (const field of schema.fields) {
    const stats = columns.get(quoteName(field.name));
    const nulls = stats?.get('null_count');
    if (nulls !== undefined) nullCounts.set(field.id, BigInt(nulls));
    if (!BOUNDED.has(field.type.kind) || stats?.get('has_nan') === 'true') continue;
    const [lower, upper] = [stats?.get('min'), stats?.get('max')];
    if (lower === undefined || upper === undefined) continue;
    setBound(lowerBounds, field, cutLower(boundOfText(field, lower)));
    setBound(upperBounds, field, raiseUpper(boundOfText(field, upper)));
  }
  const valueCounts = new Map(schema.fields.map((f) => [f.id, BigInt(rows)]));
  return { recordCount: rows, valueCounts, nullCounts, lowerBounds, upperBounds };
}

/** Parquet's statistics of booleans are 0 and 1. */
function boundOfText({ type }: Field, text: string): Value {
  return type.kind === 'boolean' ? text === '1' || text === 'true' : valueOfText(type, text);
}

/** As `writtenStatistics`, of values that are in memory: `columns` run parallel to the fields. */
export function valueStatistics(
  schema: Schema,
  columns: readonly (readonly Value[])[],
  rows: number,
): FileStatistics {
  const nullCounts = new Map<number, bigint>();
  const lowerBounds = new Map<number, Uint8Array>();
  const upperBounds = new Map<number, Uint8Array>();
  schema.fields.forEach((field, i) => {
    const present = columns[i].filter((value) => value !== null);
    nullCounts.set(field.id, BigInt(rows - present.length));
    const bounded = BOUNDED.has(field.type.kind) && !present.some((v) => Number.isNaN(v));
    if (!bounded || present.length === 0) return;
    const sorted = present.sort(compareValues);
    setBound(lowerBounds, field, cutLower(sorted[0]));
    setBound(upperBounds, field, raiseUpper(sorted[sorted.length - 1]));
  });
  const valueCounts = new Map(schema.fields.map((f) => [f.id, BigInt(rows)]));
  return { recordCount: rows, valueCounts, nullCounts, lowerBounds, upperBounds };
}

function setBound(bounds: Map<number, Uint8Array>, field: Field, value: Value): void {
  const bytes = value === null ? undefined : encodeSingleValue(field.type, value);
  if (bytes !== undefined) bounds.set(field.id, bytes);
}

/** In bounds -0 precedes 0 (format/spec.md, "Manifests"), though a minimum of 0 may be either. */
function cutLower(value: Value): Value {
  if (value === 0) return -0;
  return typeof value === 'string' ? [...value].slice(0, BOUND_CHARS).join('') : value;
}

/** The shortest text above all texts that begin like `value`; null if there is none. */
function raiseUpper(value: Value): Value {
  if (value === 0) return 0;
  if (typeof value !== 'string') return value;
  const chars = [...value];
  if (chars.length <= BOUND_CHARS) return value;
  const head = chars.slice(0, BOUND_CHARS);
  for (let i = head.length - 1; i >= 0; i--) {
    const next = (head[i].codePointAt(0) ?? 0) + 1;
    if (next > 0x10ffff || (next >= 0xd800 && next <= 0xdfff)) continue;
    return [...head.slice(0, i), String.fromCodePoint(next)].join('');
  }
  return null;
}
