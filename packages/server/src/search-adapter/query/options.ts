/** Options that several queries share: known values are read, others are refused by name. */
import type { Json, JsonObject } from '@lakehouse-search/contract';
import { numberOf, shown } from './body.ts';
import type { TableField } from './field-table.ts';
import { illegal, RefusedDsl, unserved } from './refusal.ts';

/** Refuses an option unless it has one of the values that change nothing. */
export function requireDefault(
  options: JsonObject,
  query: string,
  name: string,
  values: readonly Json[],
): void {
  const value = options[name];
  if (value === undefined || value === null || values.includes(value)) return;
  throw unserved(`[${query}] query with [${name}] of [${shown(value)}] is not served`);
}

const REWRITES = ['constant_score', 'constant_score_blended', 'constant_score_boolean'];

/**
 * Options that change nothing here: every term that a pattern finds counts, and each scores the
 * same. Throws RefusedDsl for values that would.
 */
export function checkExpansion(options: JsonObject, query: string): void {
  requireDefault(options, query, 'rewrite', REWRITES);
  requireDefault(options, query, 'fuzzy_rewrite', REWRITES);
  requireDefault(options, query, 'fuzzy_transpositions', [true]);
  requireDefault(options, query, 'transpositions', [true]);
  if (options.max_expansions !== undefined) wholeOf(options, query, 'max_expansions', 1, 0);
}

/** `lenient`, which is on if no field is named: then all fields are searched. */
export function isLenient({ lenient, fields, default_field }: JsonObject): boolean {
  if (lenient === true || lenient === 'true') return true;
  return fields === undefined && (default_field === undefined || default_field === '*');
}

/** Refuses an analyzer other than the field's own. */
export function checkAnalyzer(options: JsonObject, query: string, field: TableField): void {
  const { analyzer } = options;
  if (analyzer === undefined || analyzer === field.analyzer) return;
  throw unserved(
    `[${query}] query with [analyzer] of [${shown(analyzer)}] is not served: ` +
      `[${field.name}] is analyzed by [${field.analyzer ?? 'none'}]`,
  );
}

/** A whole number of an option; `fallback` without it. Throws RefusedDsl. */
export function wholeOf(
  options: JsonObject,
  query: string,
  name: string,
  least: number,
  fallback: number,
): number {
  const value = options[name];
  if (value === undefined || value === null) return fallback;
  const number = numberOf(value, query, name);
  if (Number.isInteger(number) && number >= least) return number;
  throw illegal(`[${query}] query option [${name}] must be a whole number from [${least}] on`);
}

/** `and` or `or`. Throws RefusedDsl. */
export function operatorOf(value: Json | undefined, query: string): 'and' | 'or' {
  const name = String(value ?? 'or').toLowerCase();
  if (name === 'and' || name === 'or') return name;
  throw illegal(`[${query}] query: operator needs to be either [or] or [and], but not [${name}]`);
}

const MINIMUM = /^(?:-?\d{1,4}%?|\d{1,4}<-?\d{1,4}%?(?: \d{1,4}<-?\d{1,4}%?)*)$/;

/** `minimum_should_match` as the query tree takes it. Throws RefusedDsl. */
export function minimumOf(value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = String(value)
    .trim()
    .replace(/\s*<\s*/g, '<')
    .replace(/\s+/g, ' ');
  const plain = typeof value === 'number' || typeof value === 'string';
  if (plain && MINIMUM.test(text)) return text;
  throw numberFormat(value);
}

/** The error of a text that should be a number. */
export const numberFormat = (value: Json): RefusedDsl =>
  new RefusedDsl({
    status: 400,
    type: 'number_format_exception',
    reason: `For input string: ${shown(value)}`,
  });

/** Edits of `fuzziness`. Throws RefusedDsl. */
export function editsOf(value: Json, query: string): number | 'auto' {
  const text = String(value).toUpperCase();
  if (text === 'AUTO' || text === 'AUTO:3,6') return 'auto';
  if (/^[012](?:\.0)?$/.test(text)) return Number(text);
  if (text.startsWith('AUTO:')) {
    throw unserved(`[${query}] query with [fuzziness] of [${shown(value)}] is not served`);
  }
  throw illegal(`[${query}] query: invalid fuzziness [${shown(value)}]: expected 0, 1, 2 or AUTO`);
}

/** The edits of a whole value: under `auto` none up to 2 characters, 1 up to 5, else 2. */
export function editsOfValue(edits: number | 'auto', value: string): number {
  if (edits !== 'auto') return edits;
  const { length } = Array.from(value);
  return length < 3 ? 0 : length < 6 ? 1 : 2;
}
