/**
 * Sort values as they travel: `hit.sort` = one value a sort key, then the document's key as
 * tiebreak; `search_after` takes such an array back. Scores and numbers are numbers (integers
 * beyond 2^53 strings), dates ISO-8601 with microseconds, addresses and keywords text, booleans
 * booleans, a missing value null; a key is its column's text, or an array of texts for several
 * columns.
 *
 * A `search_after` may end before its first key: the page begins behind all documents with these
 * values. A key that is null is before all keys in the order.
 */
import { type Json, LhsError } from '@lakehouse-search/contract';
import { doubleFromOrdered, orderedFromDouble } from '../../base/arrays/ordered-double.ts';
import type { MissingPlace, SearchAfter, SortKey, SortValue } from '../../collect/order.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { decodeKey, encodeKey, type KeySpec, keyColumns } from '../../schema/keys/key.ts';
import { fieldValueToJson, jsonFieldValue, VALUE_SHAPES } from '../../schema/values/values.ts';

/** The `sort` of a hit. */
export function sortToJson(
  order: readonly SortKey[],
  values: readonly SortValue[],
  key: Uint8Array,
): readonly Json[] {
  const parts = order.map((sortKey, i) => valueToJson(sortKey, values[i]!));
  return [...parts, keyToJson(key)];
}

function valueToJson(sortKey: SortKey, value: SortValue): Json {
  if (value === null) return null;
  if (sortKey.kind === 'score') return value as number;
  if (sortKey.kind === 'key') return keyToJson(value as Uint8Array);
  return columnValueToJson(sortKey.field, value);
}

/** A column's value (an ordered integer or bytes) as it travels. */
export function columnValueToJson(field: FieldPlan, value: SortValue): Json {
  if (value === null) return null;
  const double = field.type === 'DOUBLE';
  return fieldValueToJson(field.type, double ? doubleFromOrdered(value as bigint) : value);
}

function keyToJson(key: Uint8Array): Json {
  const texts = decodeKey(key);
  return texts.length === 1 ? texts[0]! : texts;
}

/** Reads a `search_after`. Throws invalid_argument that says which value does not fit. */
export function readSearchAfter(
  given: readonly Json[],
  order: readonly SortKey[],
  key: KeySpec,
): SearchAfter {
  const firstKey = order.findIndex(({ kind }) => kind === 'key');
  const isBehindTies = given.length === (firstKey < 0 ? order.length : firstKey);
  if (given.length !== order.length + 1 && !isBehindTies) {
    const names = [...order.map(sortName), 'the key'].join(', ');
    const expected = order.length + 1;
    const message = `"search_after" has ${given.length} values: expected ${expected} (${names})`;
    throw invalid(message);
  }
  const values = order.map((sortKey, i) => {
    return i < given.length ? readValue(sortKey, given[i]!, i, key) : lastValue(sortKey);
  });
  const own = isBehindTies ? null : given.at(-1)!;
  if (own !== null) return { values, key: readKey(own, given.length - 1, key) };
  if (firstKey >= 0) return { values, key: values[firstKey] as Uint8Array };
  return { values, key: isBehindTies ? BEHIND_KEYS : BEFORE_KEYS };
}

/** Before and behind all encoded keys, of texts and of numbers. */
const BEFORE_KEYS = Uint8Array.of();
const BEHIND_KEYS = Uint8Array.of(0xff);

/** The last value in the order of a sort key; those that follow a key do not matter. */
function lastValue(sortKey: SortKey): SortValue {
  if (sortKey.kind === 'key') return sortKey.desc ? BEFORE_KEYS : BEHIND_KEYS;
  return sortKey.kind === 'score' ? Number.NEGATIVE_INFINITY : null;
}

function sortName(sortKey: SortKey): string {
  return sortKey.kind === 'field' ? sortKey.field.name : `_${sortKey.kind}`;
}

function readValue(sortKey: SortKey, given: Json, at: number, key: KeySpec): SortValue {
  if (sortKey.kind === 'key') {
    if (given !== null) return readKey(given, at, key);
    return sortKey.desc ? BEHIND_KEYS : BEFORE_KEYS;
  }
  if (sortKey.kind === 'score') {
    if (typeof given !== 'number') throw misfit(at, given, 'a score');
    return given;
  }
  if (given === null) return null;
  const value = fieldValue(sortKey.field, given, `search_after[${at}]`);
  if (value === null) throw misfit(at, given, VALUE_SHAPES[sortKey.field.type]);
  return value;
}

function fieldValue(field: FieldPlan, given: Json, path: string): bigint | Uint8Array | null {
  const value = jsonFieldValue(field, given, path);
  if (value === null) return null;
  return value.kind === 'double' ? orderedFromDouble(value.value) : value.value;
}

/** Where `missing` of a sort key puts documents without a value. Throws invalid_argument. */
export function readMissingPlace(field: FieldPlan, given: Json | undefined): MissingPlace | null {
  if (given === undefined || given === '_last') return null;
  if (given === '_first') return 'first';
  const value = fieldValue(field, given, `missing of the sort by ${field.name}`);
  if (value !== null) return value;
  const shape = `"_first", "_last" or ${VALUE_SHAPES[field.type]}`;
  const message = `"missing" of the sort by "${field.name}" is ${JSON.stringify(given)}`;
  throw new LhsError('invalid_argument', `${message}: expected ${shape}`);
}

function readKey(given: Json, at: number, key: KeySpec): Uint8Array {
  const columns = keyColumns(key);
  const texts = columns.length === 1 && typeof given === 'string' ? [given] : given;
  const fits =
    Array.isArray(texts) &&
    texts.length === columns.length &&
    texts.every((text) => typeof text === 'string');
  if (fits) return encodeKey(texts, key.numbers);
  const shape =
    columns.length === 1 ? `the text of ${columns[0]}` : `texts of ${columns.join(', ')}`;
  throw misfit(at, given, `the key: ${shape}`);
}

function misfit(at: number, given: Json, expected: string): LhsError {
  return invalid(`"search_after[${at}]" is ${JSON.stringify(given)}: expected ${expected}`);
}

function invalid(message: string): LhsError {
  return new LhsError('invalid_argument', message, {
    hint: 'take the "sort" of the last hit as it stands, with the same sort',
  });
}
