/** Readers of a request's parts; what does not fit is refused as the imitated engine refuses it. */
import type { Json, JsonObject } from '@lakehouse-search/contract';
import { finiteNumber, isObject } from '../query/body.ts';
import { clipped, illegal, malformed } from '../query/refusal.ts';

/** Parameters of a URL. */
export type UrlParams = Readonly<Record<string, string>>;

/** An object; `what` names it in messages. */
export function objectIn(json: Json | undefined, what: string): JsonObject {
  if (isObject(json)) return json;
  throw malformed(`[${what}] must be an object`);
}

/** A list; a single value is a list of one. */
export const listIn = (json: Json): readonly Json[] => (Array.isArray(json) ? json : [json]);

/** Names and patterns of one list: each part of each hit is compared with each of them. */
const MOST_PATTERNS = 1024;
/** Characters of a text that a response may repeat for each hit, or for each bucket. */
const REPEATED_CHARS = 1000;

/** A list of names and patterns. Throws for too many. */
export function patternsIn(json: Json, what: string): readonly Json[] {
  const list = listIn(json);
  if (list.length <= MOST_PATTERNS) return list;
  throw illegal(`[${what}] has ${list.length} names: at most ${MOST_PATTERNS}`);
}

/** A text that the response repeats. Throws for a long one: the response would be without end. */
export function repeatedIn(text: string, what: string): string {
  if (text.length <= REPEATED_CHARS) return text;
  throw illegal(`[${what}] has ${text.length} characters: at most ${REPEATED_CHARS}`);
}

/** A text. */
export function textIn(json: Json | undefined, what: string): string {
  if (typeof json === 'string') return json;
  throw malformed(`[${what}] must be a string`);
}

/** true or false, also written as a text. */
export function flagIn(json: Json | undefined, what: string): boolean {
  if (json === true || json === 'true' || json === '') return true;
  if (json === false || json === 'false') return false;
  const shown = clipped(JSON.stringify(json));
  throw illegal(
    `Failed to parse value [${shown}] for [${what}] as only [true] or [false] are allowed.`,
  );
}

/** A whole number, also written as a text. */
export function wholeIn(json: Json | undefined, what: string): number {
  const number = typeof json === 'string' && /^-?\d+$/.test(json) ? Number(json) : json;
  if (typeof number === 'number' && Number.isSafeInteger(number)) return number;
  throw illegal(
    `Failed to parse int parameter [${what}] with value [${clipped(JSON.stringify(json))}]`,
  );
}

/** A number, also written as a text. */
export function numberIn(json: Json | undefined, what: string): number {
  const number = finiteNumber(json);
  if (number !== undefined) return number;
  throw illegal(`[${what}] must be a number but was [${clipped(JSON.stringify(json))}]`);
}

/** Throws for a member that `known` does not have. */
export function onlyKnown(json: JsonObject, what: string, known: readonly string[]): JsonObject {
  const unknown = Object.keys(json).find((name) => !known.includes(name));
  if (unknown === undefined) return json;
  throw malformed(`[${what}] unknown field [${clipped(unknown)}]`);
}

const UNITS: Readonly<Record<string, number>> = {
  nanos: 1e-6,
  micros: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Milliseconds of a time such as `30s`. */
export function millisIn(json: Json | undefined, what: string): number {
  const [, digits, unit] = /^(\d{1,15})(nanos|micros|ms|s|m|h|d)$/.exec(String(json)) ?? [];
  if (unit !== undefined) return Number(digits) * UNITS[unit];
  throw illegal(
    `failed to parse setting [${what}] with value [${clipped(String(json))}] as a time value: ` +
      'unit is missing or unrecognized',
  );
}
