import type { Json } from '@lakehouse-search/contract';
import { wrong } from '@lakehouse-search/contract/internal';
import { doubleFromOrdered, orderedFromDouble } from '../base/arrays/ordered-double.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import { fieldValueToJson, jsonFieldValue, VALUE_SHAPES } from '../schema/values/values.ts';

/**
 * A bucket's key: bytes of a KEYWORD or IP value as Latin-1 text (its order is the bytes'), ordered
 * integers of all other types, microseconds, or the number of a range.
 */
export type BucketKey = string | bigint;

/** Returns the field value for the key of a bucket. */
export function keyToJson({ type }: FieldPlan, key: BucketKey): Json {
  if (typeof key === 'string') return fieldValueToJson(type, Buffer.from(key, 'latin1'));
  return fieldValueToJson(type, type === 'DOUBLE' ? doubleFromOrdered(key) : key);
}

/** The key of a value of a field. Throws invalid_argument for a value of another type. */
export function keyFromJson(input: Json, path: string, field: FieldPlan): BucketKey {
  const value = jsonFieldValue(field, isYear(field, input) ? `${input}-01` : input, path);
  if (value === null) throw wrong(path, input, VALUE_SHAPES[field.type]);
  if (value.kind === 'bytes') return Buffer.from(value.value).toString('latin1');
  return value.kind === 'double' ? orderedFromDouble(value.value) : value.value;
}

/** True for a year, which `parseDate` reads as epoch microseconds. */
const isYear = (field: FieldPlan, input: Json): boolean =>
  field.type === 'DATE' && typeof input === 'string' && /^\d{4}$/.test(input);
