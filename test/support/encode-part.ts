/** Parts of a change batch as JSON, which other programs write. */
import type { BatchPart, Json, WireBytes, WireColumn } from '@lakehouse-search/contract';
import type { RowBatch, RowColumn, TypedPart } from '@lakehouse-search/contract/internal';
import { MapValue, type Value, VariantValue } from '@lakehouse-search/lake';
import { encodeVariant } from '@lakehouse-search/lake/variant';

/** A part of a change batch as JSON: `decodePart` returns the same part. */
export function encodePart(part: TypedPart): BatchPart {
  if (part.kind === 'rows') return encodeRows(part.batch);
  const { kind, path, positions } = part;
  return { kind, path, positions: positions === null ? null : [...positions] };
}

function encodeRows({ file, positions, columns }: RowBatch): BatchPart {
  const encoded = columns.map(encodeColumn);
  return { kind: 'rows', file, positions: [...positions], columns: encoded };
}

function encodeColumn(column: RowColumn): WireColumn {
  if (column.kind === 'values')
    return { kind: 'values', values: column.values.map(writeWireValue) };
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
function encodeFloat(value: number): number | string {
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
const encodeBytes = (bytes: Uint8Array): { readonly base64: string } => ({
  base64: Buffer.from(bytes).toString('base64'),
});

/** A value of a `values` column as JSON: `readWireValue` returns the same value. */
export function writeWireValue(value: unknown): Json {
  const own = value as Value;
  if (own === null || typeof own === 'boolean' || typeof own === 'string') return own;
  if (typeof own === 'number') {
    const float = encodeFloat(own);
    return typeof float === 'number' ? float : { float };
  }
  if (typeof own === 'bigint') return { int: String(own) };
  if (own instanceof Uint8Array) return encodeBytes(own);
  if (Array.isArray(own)) return own.map(writeWireValue);
  if (own instanceof MapValue) {
    return { map: own.entries.map(([key, item]) => [writeWireValue(key), writeWireValue(item)]) };
  }
  if (own instanceof VariantValue) {
    const { metadata, value: bytes } = encodeVariant(own.node);
    return {
      variant: { metadata: encodeBytes(metadata), value: encodeBytes(bytes) },
    };
  }
  const fields = Object.entries(own).map(([name, item]) => [name, writeWireValue(item)]);
  return { struct: Object.fromEntries(fields) };
}
