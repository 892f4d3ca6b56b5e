import { parseDate, parseTime, parseTimestamp } from '../schema/civil-time.ts';
import { parseDecimal } from '../schema/decimal.ts';
import type { Type, Value } from '../schema/type.ts';

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
