import type { Json } from '../json.ts';
import type { BatchPart, WireBytes, WireColumn } from './change-batch.ts';
import type { RowBatch, RowColumn, TypedPart } from './typed-batch.ts';

/** Writes a value of a `values` column. */
export type WriteValue = (value: unknown) => Json;

/** A part of a change batch as JSON: `decodePart` returns the same part. */
export function encodePart(part: TypedPart, write: WriteValue): BatchPart {
  if (part.kind === 'rows') return encodeRows(part.batch, write);
  const { kind, path, positions } = part;
  return { kind, path, positions: positions === null ? null : [...positions] };
}

function encodeRows({ file, positions, columns }: RowBatch, write: WriteValue): BatchPart {
  const encoded = columns.map((column) => encodeColumn(column, write));
  return { kind: 'rows', file, positions: [...positions], columns: encoded };
}

function encodeColumn(column: RowColumn, write: WriteValue): WireColumn {
  if (column.kind === 'values') return { kind: 'values', values: column.values.map(write) };
  if (column.kind === 'utf8') return { kind: 'utf8', values: encodeTexts(column) };
  const { kind, nulls } = column;
  const each = <T>(encode: (i: number) => T): (T | null)[] =>
    Array.from({ length: column.values.length }, (_, i) => (nulls?.[i] === 1 ? null : encode(i)));
  if (kind === 'int32') return { kind, values: each((i) => column.values[i]) };
  if (kind === 'bool') return { kind, values: each((i) => column.values[i] === 1) };
  if (kind === 'float64') return { kind, values: each((i) => encodeFloat(column.values[i])) };
  return { kind, values: each((i) => encodeWhole(column.values[i])) };
}

/** A number, or its name if JSON has none. */
export function encodeFloat(value: number): number | string {
  if (Object.is(value, -0)) return '-0';
  return Number.isFinite(value) ? value : String(value);
}

/** A number up to 2^53, else its digits. */
function encodeWhole(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

type Texts = RowColumn & { readonly kind: 'utf8' };

function encodeTexts({ nulls, offsets, bytes }: Texts): (string | WireBytes | null)[] {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return Array.from({ length: offsets.length - 1 }, (_, i) => {
    if (nulls?.[i] === 1) return null;
    const text = bytes.subarray(offsets[i], offsets[i + 1]);
    try {
      return decoder.decode(text);
    } catch {
      return encodeBytes(text);
    }
  });
}

/** Bytes as `{"base64": "…"}`. */
export function encodeBytes(bytes: Uint8Array): WireBytes {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return { base64: btoa(binary) };
}
