import type { DuckDBDataChunk, DuckDBType } from '@duckdb/node-api';
import type duckdb from '@duckdb/node-bindings';
import { formatJson } from '../../base/json.ts';
import type { Type } from '../../schema/type.ts';
import { valueToJson } from '../../schema/value-json.ts';
import type { ColumnVector } from '../batch.ts';
import { isNullAt, valueAt } from '../vectors.ts';
import { bindings, nodeApi } from './library.ts';
import { duckType } from './sql-types.ts';

/**
 * Rows into DuckDB: each column has a staging type into which its vector is copied unchanged
 * (values without a fixed width as text), and an expression that converts it to its DuckDB type.
 */

/** Rows of a chunk, at most: DuckDB's vector size. */
export const CHUNK_ROWS = 2048;

/** The type of the staging column for values of `type`. */
export function stagingType(type: Type): DuckDBType {
  const types = nodeApi();
  switch (type.kind) {
    case 'boolean':
      return types.BOOLEAN;
    case 'int':
      return types.INTEGER;
    case 'long':
    case 'timestamptz_ns':
      return types.BIGINT;
    case 'float':
    case 'double':
      return types.DOUBLE;
    case 'date':
      return types.DATE;
    case 'time':
      return types.TIME;
    case 'timestamp':
      return types.TIMESTAMP;
    case 'timestamptz':
      return types.TIMESTAMPTZ;
    case 'timestamp_ns':
      return types.TIMESTAMP_NS;
    default:
      return types.VARCHAR;
  }
}

/**
 * SQL for the value of staging column `column`. Zoned nanoseconds become microseconds and variants
 * JSON, which is what DuckDB has; binary inside lists, maps and structs is base64 text, and a map
 * below the top level a list of {key, value}.
 */
export function stagedExpression(type: Type, column: string): string {
  switch (type.kind) {
    case 'float':
      return `${column}::FLOAT`;
    case 'uuid':
      return `${column}::UUID`;
    case 'decimal':
      return `${column}::${duckType(type)}`;
    case 'binary':
    case 'fixed':
      return `from_base64(${column})`;
    case 'timestamptz_ns':
      return `make_timestamptz(${column} // 1000)`;
    case 'variant':
      return `${column}::JSON`;
    case 'unknown':
      return `${column}::INTEGER`;
    case 'map':
      return (
        `map_from_entries(${column}::JSON::STRUCT("key" ${jsonType(type.key)}, "value" ` +
        `${jsonType(type.value)})[])`
      );
    case 'list':
    case 'struct':
      return `${column}::JSON::${jsonType(type)}`;
    default:
      return column;
  }
}

function jsonType(type: Type): string {
  switch (type.kind) {
    case 'list':
      return `${jsonType(type.element)}[]`;
    case 'map':
      return `STRUCT("key" ${jsonType(type.key)}, "value" ${jsonType(type.value)})[]`;
    case 'struct': {
      const fields = type.fields.map(
        (f) => `"${f.name.replaceAll('"', '""')}" ${jsonType(f.type)}`,
      );
      return `STRUCT(${fields.join(', ')})`;
    }
    case 'binary':
    case 'fixed':
      return 'VARCHAR';
    case 'timestamptz_ns':
      return 'TIMESTAMPTZ';
    default:
      return duckType(type) ?? 'JSON';
  }
}

/**
 * A chunk of the rows `from` to `to` (at most `CHUNK_ROWS`), its first column the row's number in
 * the batch.
 */
export function stageRows(
  columns: readonly ColumnVector[],
  types: readonly Type[],
  from: number,
  to: number,
): DuckDBDataChunk {
  const { DuckDBDataChunk, INTEGER } = nodeApi();
  const chunk = DuckDBDataChunk.create([INTEGER, ...types.map(stagingType)], to - from);
  const numbers = Int32Array.from({ length: to - from }, (_, i) => from + i);
  copyInto(rawVector(chunk, 0), numbers);
  columns.forEach((column, i) => {
    stageColumn(rawVector(chunk, i + 1), column, types[i], from, to);
  });
  return chunk;
}

const rawVector = (chunk: DuckDBDataChunk, index: number): duckdb.Vector =>
  bindings().data_chunk_get_vector(chunk.chunk, index);

function copyInto(vector: duckdb.Vector, data: NodeJS.TypedArray): void {
  const buffer = data.buffer as ArrayBuffer;
  bindings().copy_data_to_vector(vector, 0, buffer, data.byteOffset, data.byteLength);
}

function stageColumn(
  vector: duckdb.Vector,
  column: ColumnVector,
  type: Type,
  from: number,
  to: number,
): void {
  stageNulls(vector, column, from, to);
  if (column.kind !== 'utf8' && column.kind !== 'values') {
    copyInto(vector, column.values.subarray(from, to));
    return;
  }
  for (let row = from; row < to; row++) {
    if (isNullAt(column, row)) continue;
    if (column.kind === 'utf8') {
      const bytes = column.bytes.subarray(column.offsets[row], column.offsets[row + 1]);
      bindings().vector_assign_string_element_len(vector, row - from, bytes);
    } else {
      bindings().vector_assign_string_element(vector, row - from, stagedText(type, column, row));
    }
  }
}

function stagedText(type: Type, column: ColumnVector, row: number): string {
  const json = valueToJson(type, valueAt(column, row));
  return typeof json === 'string' && type.kind !== 'variant' ? json : formatJson(json);
}

function stageNulls(vector: duckdb.Vector, column: ColumnVector, from: number, to: number): void {
  const words = new Uint8Array(Math.ceil((to - from) / 64) * 8).fill(0xff);
  let any = false;
  for (let row = from; row < to; row++) {
    if (!isNullAt(column, row)) continue;
    words[(row - from) >>> 3] &= ~(1 << ((row - from) & 7));
    any = true;
  }
  if (!any) return;
  bindings().vector_ensure_validity_writable(vector);
  bindings().copy_data_to_vector_validity(vector, 0, words.buffer, 0, words.byteLength);
}
