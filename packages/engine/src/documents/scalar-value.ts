import type { Type, Value } from '@lakehouse-search/lake';
import { LIMITS } from '../base/limits.ts';
import type { FieldDefinition } from '../schema/definition.ts';
import { columnText } from '../schema/values/column-text.ts';
import { parseDate } from '../schema/values/date-value.ts';
import { parseIp } from '../schema/values/ip-value.ts';
import type { BlockValue } from './field-builder.ts';
import { dateScale, toMicros } from './number-fields.ts';
import { cutAtCharacter } from './text-fields.ts';

const encoder = new TextEncoder();

/**
 * What became of a value: a field's value; left out on purpose (`max_bytes`); or not what the field
 * needs.
 */
export type Coerced = BlockValue | 'left out' | 'too long' | 'bad';

/**
 * A column's single value (not NULL, of `type`) as a value of `field`. `columnFault` has allowed
 * the pair of types.
 */
export function coerceScalar(field: FieldDefinition, type: Type, value: Value): Coerced {
  switch (field.type) {
    case 'TEXT':
      return limitText(field, value as string);
    case 'KEYWORD':
      return limitKeyword(field, columnText(type, value));
    case 'LONG':
      return BigInt(value as bigint | number);
    case 'BOOL':
      return value === true ? 1n : 0n;
    case 'DOUBLE':
      return type.kind === 'decimal'
        ? Number(columnText(type, value))
        : Number(value as bigint | number);
    case 'DATE':
      if (typeof value === 'string') return parseDate(value) ?? 'bad';
      return toMicros(BigInt(value as bigint | number), dateScale(type, field.format));
    case 'IP':
      return parseIp(value as string) ?? 'bad';
    case 'VECTOR':
      return 'bad';
  }
}

/** UTF-8 of a TEXT value, cut to `max_bytes` at a character boundary. */
export function limitText(field: { readonly maxBytes?: number }, text: string): Uint8Array {
  const bytes = encoder.encode(text);
  if (field.maxBytes === undefined) return bytes;
  return bytes.subarray(0, cutAtCharacter(bytes, 0, bytes.length, field.maxBytes));
}

/**
 * UTF-8 of a KEYWORD value; beyond `max_bytes` left out, without it too long beyond
 * `LIMITS.keywordBytes`.
 */
export function limitKeyword(field: { readonly maxBytes?: number }, text: string): Coerced {
  const bytes = encoder.encode(text);
  if (bytes.length <= Math.min(field.maxBytes ?? LIMITS.keywordBytes, LIMITS.keywordBytes)) {
    return bytes;
  }
  return field.maxBytes === undefined ? 'too long' : 'left out';
}
