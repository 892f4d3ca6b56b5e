import { quoteName, quoteText } from '../scan/duckdb/instance.ts';
import { compareValues } from '../schema/compare.ts';
import { encodeSingleValue } from '../schema/single-value.ts';
import type { Field, Schema, Value } from '../schema/type.ts';
import { valueOfText } from './value-of-text.ts';
import type { WriterSession } from './writer-session.ts';

/** What a manifest entry says of a data file's columns, by field id. */
export interface FileStatistics {
  readonly recordCount: number;
  readonly valueCounts: ReadonlyMap<number, bigint>;
  readonly nullCounts: ReadonlyMap<number, bigint>;
  readonly lowerBounds: ReadonlyMap<number, Uint8Array>;
  readonly upperBounds: ReadonlyMap<number, Uint8Array>;
}

const BOUND_CHARS = 16;
const BOUNDED = new Set([
  'boolean',
  'int',
  'long',
  'float',
  'double',
  'date',
  'time',
  'timestamp',
  'timestamptz',
  'decimal',
  'string',
]);

/**
 * Counts and bounds of a written Parquet file, read back from it. Text bounds are cut to 16
 * characters, the upper one raised (format/spec.md, "Manifests", note on truncated bounds); columns
 * with NaN have no bounds.
 */
export async function fileStatistics(
  session: WriterSession,
  path: string,
  schema: Schema,
): Promise<FileStatistics> {
  const fields = schema.fields.filter((f) => BOUNDED.has(f.type.kind));
  const parts = ['count(*)', ...schema.fields.map((f) => `count(${quoteName(f.name)})`)];
  for (const field of fields) parts.push(...boundColumns(field));
  const [row] = await session.rows(
    `SELECT ${parts.join(', ')} FROM read_parquet(${quoteText(path)})`,
  );
  const total = Number(row[0]);
  const valueCounts = new Map(schema.fields.map((f) => [f.id, BigInt(total)]));
  const nullCounts = new Map(
    schema.fields.map((f, i) => [f.id, BigInt(total) - BigInt(Number(row[1 + i]))]),
  );
  const lowerBounds = new Map<number, Uint8Array>();
  const upperBounds = new Map<number, Uint8Array>();
  fields.forEach((field, i) => {
    const at = 1 + schema.fields.length + 2 * i;
    const lower = valueOfText(field.type, row[at]);
    const upper = valueOfText(field.type, row[at + 1]);
    if (lower === null || upper === null) return;
    setBound(lowerBounds, field, cutLower(lower));
    setBound(upperBounds, field, raiseUpper(upper));
  });
  return { recordCount: total, valueCounts, nullCounts, lowerBounds, upperBounds };
}

/** As `fileStatistics`, of values that are in memory: `columns` run parallel to the fields. */
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

function boundColumns(field: Field): string[] {
  const name = quoteName(field.name);
  const text = (value: string) => `CAST(${value} AS VARCHAR)`;
  if (field.type.kind !== 'float' && field.type.kind !== 'double') {
    return [text(`min(${name})`), text(`max(${name})`)];
  }
  const clean = `CASE WHEN count_if(isnan(${name})) = 0 THEN`;
  return [text(`${clean} min(${name}) END`), text(`${clean} max(${name}) END`)];
}

function setBound(bounds: Map<number, Uint8Array>, field: Field, value: Value): void {
  const bytes = value === null ? undefined : encodeSingleValue(field.type, value);
  if (bytes !== undefined) bounds.set(field.id, bytes);
}

function cutLower(value: Value): Value {
  return typeof value === 'string' ? [...value].slice(0, BOUND_CHARS).join('') : value;
}

/** The shortest text above all texts that begin like `value`; null where there is none. */
function raiseUpper(value: Value): Value {
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
