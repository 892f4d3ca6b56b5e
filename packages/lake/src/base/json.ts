/** JSON whose integers are exact: what a 64-bit id needs (JSON.parse rounds beyond 2^53). */
export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly JsonValue[]
  | JsonObject;
/** A JSON object; an absent key reads as undefined. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

interface RawJson {
  rawJSON(text: string): string;
}

const INTEGER = /^-?\d+$/;
/** What an integer beyond ±2^53 has at least. */
const MANY_DIGITS = /\d{16}/;

function exact(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && INTEGER.test(source) ? BigInt(source) : value;
}

/**
 * Parses JSON text. An integer beyond ±2^53 comes back as a bigint, all other numbers as numbers.
 * Throws SyntaxError.
 */
export function parseJson(text: string): JsonValue {
  // A reviver is called for every value: several times the work of parsing.
  return (MANY_DIGITS.test(text) ? JSON.parse(text, exact) : JSON.parse(text)) as JsonValue;
}

function raw(_key: string, value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  return (JSON as unknown as RawJson).rawJSON(value.toString());
}

/** JSON text of a value; bigints are written as integers, whatever their size. */
export function formatJson(value: JsonValue): string {
  return JSON.stringify(value, raw);
}

/** Whether `value` is a JSON object (not null, not an array). */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
