import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Batch, ColumnVector } from '../src/scan/batch.ts';
import { valueAt } from '../src/scan/vectors.ts';
import { compareText } from '../src/schema/compare.ts';
import type {
  Field,
  MapValue,
  Schema,
  StructValue,
  Type,
  Value,
  VariantValue,
} from '../src/schema/type.ts';
import { valueToJson } from '../src/schema/value-json.ts';

/**
 * The tables of ../shared/iceberg and what its truth.json files say of them (see the README
 * there).
 */
export const ICEBERG = fileURLToPath(new URL('../../../../shared/iceberg/', import.meta.url));
export const hasShared = existsSync(ICEBERG);

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [k: string]: Json };
export type JsonRow = Readonly<Record<string, Json>>;

export interface TruthDigest {
  readonly count: number;
  readonly columns: Readonly<Record<string, ColumnDigest>>;
  readonly key_sha256?: string;
}
interface ColumnDigest {
  readonly nulls: number;
  readonly min?: string | null;
  readonly max?: string | null;
  readonly sum?: string;
}
export interface TruthSnapshot {
  readonly snapshot_id: string;
  readonly operation: string;
  readonly row_count: number;
  readonly rows?: readonly JsonRow[];
  readonly rows_current_schema?: readonly JsonRow[];
  readonly sample_rows?: readonly JsonRow[];
  readonly digest?: TruthDigest;
}
export interface TruthChanges {
  readonly from: string;
  readonly to: string;
  readonly counts: { readonly inserts: number; readonly deletes: number; readonly updates: number };
  readonly inserts?: readonly JsonRow[];
  readonly deletes?: readonly JsonRow[];
  readonly updates?: readonly { readonly before: JsonRow; readonly after: JsonRow }[];
  readonly insert_keys?: readonly Json[];
  readonly delete_keys?: readonly Json[];
  readonly update_keys?: readonly Json[];
  readonly key_sha256?: {
    readonly inserts: string;
    readonly deletes: string;
    readonly updates: string;
  };
}
export interface Truth {
  readonly table: string;
  readonly metadata_file: string;
  readonly identifier_columns: readonly string[];
  readonly snapshots: readonly TruthSnapshot[];
  readonly changelog: readonly TruthChanges[];
}

/** Names of the tables that have a truth.json. */
export function truthTables(): readonly string[] {
  return readdirSync(ICEBERG).filter((name) => existsSync(`${ICEBERG}${name}/truth.json`));
}

export function truthOf(table: string): Truth {
  return JSON.parse(readFileSync(`${ICEBERG}${table}/truth.json`, 'utf8')) as Truth;
}

/**
 * A value as truth.json writes it: like our JSON, but maps are sorted pairs and a variant null is
 * an object.
 */
export function truthValue(type: Type, value: Value): Json {
  if (value === null) return null;
  switch (type.kind) {
    case 'list':
      return (value as readonly Value[]).map((item) => truthValue(type.element, item));
    case 'map':
      return (value as MapValue).entries
        .map(([key, item]) => [truthValue(type.key, key), truthValue(type.value, item)])
        .sort((a, b) => (exact(a[0]) < exact(b[0]) ? -1 : 1));
    case 'struct':
      return Object.fromEntries(
        type.fields.map((f) => [f.name, truthValue(f.type, (value as StructValue)[f.name])]),
      );
    case 'variant':
      if ((value as VariantValue).node.kind === 'null') return { $variant_null: true };
      return valueToJson(type, value) as Json;
    default:
      return valueToJson(type, value) as Json;
  }
}

/** JSON text with sorted keys, in which -0 is not 0: rows are compared by it. */
export function exact(json: Json): string {
  if (Object.is(json, -0)) return '-0';
  if (Array.isArray(json)) return `[${json.map(exact).join(',')}]`;
  if (typeof json !== 'object' || json === null) return JSON.stringify(json);
  const object = json as { readonly [k: string]: Json };
  const keys = Object.keys(object).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${exact(object[key])}`).join(',')}}`;
}

/**
 * A row of truth.json in the form that `exact` compares: maps sorted as `truthValue` sorts them.
 */
export function exactRow(row: JsonRow, fields: readonly Field[]): string {
  const kept = Object.fromEntries(
    fields.map((field) => [field.name, sortMaps(field.type, row[field.name])]),
  );
  return exact(kept);
}

function sortMaps(type: Type, json: Json): Json {
  if (json === null) return null;
  if (type.kind === 'map') {
    return (json as readonly (readonly [Json, Json])[])
      .map(([key, item]): Json => [sortMaps(type.key, key), sortMaps(type.value, item)])
      .sort((a, b) =>
        exact((a as readonly Json[])[0]) < exact((b as readonly Json[])[0]) ? -1 : 1,
      );
  }
  if (type.kind === 'list')
    return (json as readonly Json[]).map((item) => sortMaps(type.element, item));
  if (type.kind !== 'struct') return json;
  const object = json as { readonly [k: string]: Json };
  return Object.fromEntries(type.fields.map((f) => [f.name, sortMaps(f.type, object[f.name])]));
}

/** SHA-256 as the README defines it: of the sorted JSON texts of keys, joined by line feeds. */
export function keyHash(keys: readonly string[]): string {
  return createHash('sha256')
    .update([...keys].sort().join('\n'))
    .digest('hex');
}

/** Column digests of rows that come one after another. */
export class Digest {
  readonly #fields: readonly Field[];
  readonly #columns: { nulls: number; min: Value; max: Value; sum: bigint }[];
  count = 0;

  constructor(schema: Schema) {
    this.#fields = schema.fields;
    this.#columns = schema.fields.map(() => ({ nulls: 0, min: null, max: null, sum: 0n }));
  }

  /** Adds the rows of a batch whose columns are the schema's. */
  add(batch: Batch): void {
    this.count += batch.rows;
    for (let i = 0; i < this.#fields.length; i++) {
      const vector = batch.columns[i];
      if (vector.kind === 'utf8') this.#addTexts(i, vector, batch.rows);
      else for (let row = 0; row < batch.rows; row++) this.#addValue(i, valueAt(vector, row));
    }
  }

  #addValue(i: number, value: Value): void {
    const column = this.#columns[i];
    if (value === null) column.nulls++;
    else if (!Number.isNaN(value)) {
      if (column.min === null || less(value, column.min)) column.min = value;
      if (column.max === null || less(column.max, value)) column.max = value;
      const { kind } = this.#fields[i].type;
      if (kind === 'int' || kind === 'long') column.sum += BigInt(value as number | bigint);
    }
  }

  /** The least and the greatest text of a vector are found among its bytes, then decoded. */
  #addTexts(i: number, vector: ColumnVector & { readonly kind: 'utf8' }, rows: number): void {
    const { offsets, bytes } = vector;
    const order = (a: number, b: number) =>
      Buffer.compare(
        bytes.subarray(offsets[a], offsets[a + 1]),
        bytes.subarray(offsets[b], offsets[b + 1]),
      );
    let [least, greatest] = [-1, -1];
    for (let row = 0; row < rows; row++) {
      if (vector.nulls?.[row]) this.#columns[i].nulls++;
      else {
        if (least < 0 || order(row, least) < 0) least = row;
        if (greatest < 0 || order(row, greatest) > 0) greatest = row;
      }
    }
    if (least >= 0) this.#addValue(i, valueAt(vector, least));
    if (greatest >= 0) this.#addValue(i, valueAt(vector, greatest));
  }

  /** What differs from the truth, a line each. */
  differences(truth: TruthDigest): string[] {
    const lines = this.count === truth.count ? [] : [`count ${this.count} != ${truth.count}`];
    for (const [name, expected] of Object.entries(truth.columns)) {
      const at = this.#fields.findIndex((field) => field.name === name);
      const { type } = this.#fields[at] ?? { type: { kind: 'unknown' as const } };
      const found = this.#columns[at];
      const pairs: [string, unknown, unknown][] = [['nulls', found?.nulls, expected.nulls]];
      if (expected.sum !== undefined) pairs.push(['sum', String(found?.sum), expected.sum]);
      for (const bound of ['min', 'max'] as const) {
        const wanted = expected[bound];
        if (wanted === undefined || wanted === null) continue;
        pairs.push([bound, boundText(type, found?.[bound] ?? null), normalBound(type, wanted)]);
      }
      for (const [what, a, b] of pairs) if (a !== b) lines.push(`${name}.${what} ${a} != ${b}`);
    }
    return lines;
  }
}

function less(a: Value, b: Value): boolean {
  if (typeof a === 'string') return compareText(a, b as string) < 0;
  return typeof a !== 'object' && (a as number) < (b as number);
}

function boundText(type: Type, value: Value): string {
  const json = truthValue(type, value);
  return typeof json === 'string' ? json : exact(json);
}

function normalBound(type: Type, text: string): string {
  if (type.kind === 'float' || type.kind === 'double') return exact(Number(text));
  return type.kind === 'boolean' ? text.toLowerCase() : text;
}
