import type { DuckDBConnection } from '@duckdb/node-api';
import type { ParquetNode } from '../src/parquet/schema-tree.ts';
import { parseDate, parseTime, parseTimestamp } from '../src/schema/civil-time.ts';
import { parseDecimal } from '../src/schema/decimal.ts';
import type { Field, MapValue, StructValue, Type, Value } from '../src/schema/type.ts';

/**
 * An Iceberg type under which a file's column can be read as it is, or null where there is none
 * (variants aside).
 */
export function typeOf(node: ParquetNode): Type | null {
  if (node.kind === 'leaf') return leafType(node);
  if (node.logical.kind === 'variant') return { kind: 'variant' };
  if (node.logical.kind === 'list') return listType(node.children[0]);
  if (node.logical.kind === 'map') return mapType(node.children[0]);
  const fields = node.children.map((child, i) => fieldOf(child, i));
  return fields.every((field) => field !== null) ? { kind: 'struct', fields } : null;
}

/** A column as an optional field of the type that it has in the file. */
export function fieldOf(node: ParquetNode, index: number): Field | null {
  const type = typeOf(node);
  return type && { id: node.fieldId ?? -1 - index, name: node.name, required: false, type };
}

function listType(repeated: ParquetNode): Type | null {
  const element = repeated.kind === 'group' ? typeOf(repeated.children[0]) : typeOf(repeated);
  return element && { kind: 'list', elementId: 0, elementRequired: false, element };
}

function mapType(repeated: ParquetNode): Type | null {
  if (repeated.kind !== 'group') return null;
  const [key, value] = repeated.children.map(typeOf);
  return key && value && { kind: 'map', keyId: 0, key, valueId: 0, valueRequired: false, value };
}

function leafType(leaf: ParquetNode & { kind: 'leaf' }): Type | null {
  const { logical } = leaf;
  if (logical.kind === 'decimal') return { kind: 'decimal', precision: 38, scale: logical.scale };
  if (logical.kind === 'date' || logical.kind === 'time') return { kind: logical.kind };
  if (logical.kind === 'timestamp') {
    const base = logical.utc ? 'timestamptz' : 'timestamp';
    return { kind: logical.unit === 'ns' ? `${base}_ns` : base };
  }
  switch (leaf.physical) {
    case 'int32':
      return { kind: 'int' };
    case 'int64':
      return { kind: 'long' };
    case 'int96':
      return { kind: 'timestamp' };
    case 'byte_array':
      return { kind: logical.kind === 'string' ? 'string' : 'binary' };
    case 'fixed':
      return logical.kind === 'uuid' ? { kind: 'uuid' } : { kind: 'fixed', length: leaf.length };
    default:
      return { kind: leaf.physical };
  }
}

/** A column of a file as DuckDB reads it: JSON text by row, in file order. */
export async function duckColumn(
  duck: DuckDBConnection,
  path: string,
  column: string,
): Promise<readonly unknown[]> {
  const name = `"${column.replaceAll('"', '""')}"`;
  const from = `read_parquet('${path.replaceAll("'", "''")}', hive_partitioning = false)`;
  const reader = await duck.runAndReadAll(`SELECT to_json({v: ${name}})::VARCHAR FROM ${from}`);
  return reader.getRows().map(([text]) => {
    // DuckDB writes bare NaN and Infinity
    const json = String(text).replace(/(?<=[:[,])-?(NaN|Infinity)(?=[,}\]])/g, '"$&"');
    return (JSON.parse(json, exact) as { v: unknown }).v;
  });
}

/** Integers beyond 2^53 and long decimals stay text. */
function exact(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value;
  return String(value) === context.source ? value : context.source;
}

/** Whether our value says the same as DuckDB's JSON. */
export function sameAsDuck(type: Type, value: Value, json: unknown): boolean {
  if (value === null || json === null) return value === json;
  switch (type.kind) {
    case 'list': {
      const items = json as readonly unknown[];
      const ours = value as readonly Value[];
      return (
        ours.length === items.length &&
        ours.every((item, i) => sameAsDuck(type.element, item, items[i]))
      );
    }
    case 'map': {
      const items = Object.entries(json as object);
      const { entries } = value as MapValue;
      return (
        entries.length === items.length &&
        entries.every(([k, v]) => {
          const found = items.find(([name]) => sameAsDuck(type.key, k, name));
          return found !== undefined && sameAsDuck(type.value, v, found[1]);
        })
      );
    }
    case 'struct':
      return type.fields.every((field) =>
        sameAsDuck(field.type, (value as StructValue)[field.name], (json as never)[field.name]),
      );
    default:
      return sameScalar(type, value, json);
  }
}

function sameScalar(type: Type, value: Value, json: unknown): boolean {
  switch (type.kind) {
    case 'long':
      return String(value) === String(json);
    case 'float':
    case 'double':
      return sameNumber(type.kind, value as number, json);
    case 'decimal':
      return value === parseDecimal(String(json), type.scale);
    case 'date':
      return value === parseDate(String(json));
    case 'time':
      return value === parseTime(String(json));
    case 'timestamp':
    case 'timestamptz':
      return value === parseTimestamp(zoneWithMinutes(String(json)), 6);
    case 'timestamp_ns':
      if (json === 'infinity') return value === 2n ** 63n - 1n;
      return value === parseTimestamp(zoneWithMinutes(String(json)), 9);
    case 'timestamptz_ns':
      if (json === 'infinity') return value === 2n ** 63n - 1n;
      // DuckDB keeps microseconds of zoned nanoseconds
      return (
        (value as bigint) / 1000n ===
        (parseTimestamp(zoneWithMinutes(String(json)), 9) ?? 0n) / 1000n
      );
    case 'binary':
    case 'fixed':
      return duckBlob(value as Uint8Array) === json;
    default:
      return String(value) === String(json);
  }
}

function sameNumber(kind: 'float' | 'double', value: number, json: unknown): boolean {
  const other = Number(String(json).replace('inf', 'Infinity').replace('nan', 'NaN'));
  return Object.is(value, kind === 'float' ? Math.fround(other) : other) || value === other;
}

function zoneWithMinutes(text: string): string {
  return text.replace(/([+-]\d\d)$/, '$100');
}

function duckBlob(bytes: Uint8Array): string {
  const plain = (byte: number) =>
    byte >= 32 && byte < 127 && !'\\\'"'.includes(String.fromCharCode(byte));
  return [...bytes]
    .map((b) =>
      plain(b) ? String.fromCharCode(b) : `\\x${b.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');
}
