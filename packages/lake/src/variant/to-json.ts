import { dateText, decimalText, timestampText, timeText } from '../base/time-text.ts';
import type { VariantNode } from '../schema/type.ts';

/** What a variant is in JSON. */
export type VariantPlain =
  | null
  | boolean
  | number
  | string
  | readonly VariantPlain[]
  | { readonly [name: string]: VariantPlain };

const DECIMAL_NUMBER_DIGITS = 15;

/**
 * A node as a plain JSON value: integers beyond 2^53 as strings; decimals as numbers up to 15
 * digits, else strings with full scale; dates, times and timestamps as ISO text; binary as base64;
 * NaN and infinities as strings; objects with sorted keys.
 */
export function variantPlain(node: VariantNode): VariantPlain {
  switch (node.kind) {
    case 'null':
      return null;
    case 'array':
      return node.elements.map(variantPlain);
    case 'object': {
      const names = [...node.fields.keys()].sort();
      return Object.fromEntries(names.map((name) => [name, variantPlain(node.fields.get(name)!)]));
    }
    case 'int64':
      return plainInteger(node.value);
    case 'float':
    case 'double':
      return Number.isFinite(node.value) ? node.value : String(node.value);
    case 'decimal':
      return plainDecimal(node.unscaled, node.scale);
    case 'binary':
      return Buffer.from(node.value).toString('base64');
    case 'date':
      return dateText(node.value);
    case 'time':
      return timeText(node.value);
    case 'timestamp':
    case 'timestamptz':
      return timestampText(node.value, 'us', node.kind === 'timestamptz');
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return timestampText(node.value, 'ns', node.kind === 'timestamptz_ns');
    default:
      return node.value;
  }
}

/** The JSON text of a node, by the rules of `variantPlain`; minus zero keeps its sign (`-0.0`). */
export function variantJson(node: VariantNode): string {
  return plainJson(variantPlain(node));
}

function plainJson(value: VariantPlain): string {
  if (typeof value !== 'object' || value === null) {
    return Object.is(value, -0) ? '-0.0' : JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(plainJson).join(',')}]`;
  // Object.entries would put integer-like keys first: harmless in JSON, and the same on every call.
  const fields = Object.entries(value).map(
    ([k, field]) => `${JSON.stringify(k)}:${plainJson(field)}`,
  );
  return `{${fields.join(',')}}`;
}

function plainInteger(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

function plainDecimal(unscaled: bigint, scale: number): number | string {
  const text = decimalText(unscaled, scale);
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().length;
  return digits <= DECIMAL_NUMBER_DIGITS ? Number(text) : text;
}
