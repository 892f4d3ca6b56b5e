/** Reads bodies of queries: objects, options and values, refused as the imitated engine does. */
import type { Json, JsonObject } from '@lakehouse-search/contract';
import { clipped, illegal, malformed } from './refusal.ts';

/** Whether a value is an object and no array. */
export const isObject = (json: Json | undefined): json is JsonObject =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

/** The object that a query has behind its name. Throws RefusedDsl. */
export function objectOf(json: Json, query: string): JsonObject {
  if (isObject(json)) return json;
  throw malformed(`[${query}] query malformed, no start_object after query name`);
}

/** The options of a query by name; throws RefusedDsl for one that it does not have. */
export function optionsOf(json: JsonObject, query: string, known: readonly string[]): JsonObject {
  for (const key of Object.keys(json)) {
    if (!known.includes(key)) {
      throw malformed(`[${query}] query does not support [${clipped(key)}]`);
    }
  }
  return json;
}

/** A query on one field: `{field: value}` or `{field: {option: …}}`. Throws RefusedDsl. */
export function fieldBody(json: Json, query: string): readonly [field: string, value: Json] {
  const entries = Object.entries(objectOf(json, query));
  const [first, second] = entries;
  if (first === undefined) {
    throw malformed(`[${query}] query malformed, no field after query name`);
  }
  if (second !== undefined) {
    const fields = `found [${clipped(first[0])}] and [${clipped(second[0])}]`;
    throw malformed(`[${query}] query doesn't support multiple fields, ${fields}`);
  }
  return first;
}

/** A finite number, which may be written as a text; undefined: the value is none. */
export function finiteNumber(json: Json | undefined): number | undefined {
  const number = typeof json === 'string' && json.trim() !== '' ? Number(json) : json;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** A number, which may be written as a text. Throws RefusedDsl. */
export function numberOf(json: Json, query: string, option: string): number {
  const number = finiteNumber(json);
  if (number !== undefined) return number;
  throw illegal(`[${query}] query option [${option}] is no number: [${shown(json)}]`);
}

/** The factor of `boost`; 1 without it. Throws RefusedDsl. */
export function boostOf(options: JsonObject, query: string): number {
  if (options.boost === undefined) return 1;
  const boost = numberOf(options.boost, query, 'boost');
  if (boost >= 0) return boost;
  throw illegal(`negative [boost] are not allowed in [${query}], use a value between 0 and 1`);
}

/** A text, number or boolean as the query tree takes it. Throws RefusedDsl. */
export function scalarOf(json: Json | undefined, query: string, option: string): string {
  if (typeof json === 'string') return json;
  if (typeof json === 'number' || typeof json === 'boolean') return String(json);
  throw malformed(`[${query}] query needs a text, number or boolean for [${option}]`);
}

/** A value in a message. */
export const shown = (json: Json): string => clipped(JSON.stringify(json));
