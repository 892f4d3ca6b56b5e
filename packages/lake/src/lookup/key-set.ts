import { LakeError } from '../base/errors.ts';
import type { DataFile } from '../metadata/file-set.ts';
import type { ValueTest } from '../parquet/find-rows.ts';
import { canonicalText } from '../scan/canonical-text.ts';
import { rowKeyPrefix } from '../scan/row-key.ts';
import { admits, compareToUpper, decodeBounds, NO_BOUNDS } from '../schema/bounds.ts';
import { compareValues, equalValues } from '../schema/compare.ts';
import type { PartitionSpec } from '../schema/partition-spec.ts';
import { ROW_KEY } from '../schema/row-fields.ts';
import { applyTransform, storedImages } from '../schema/transform.ts';
import type { Field, Type, Value } from '../schema/type.ts';

/** The text by which keys are compared: equal keys have equal texts, and no others. */
export function keyText(fields: readonly Field[], key: readonly Value[]): string {
  return JSON.stringify(fields.map((field, i) => canonicalText(field.type, key[i])));
}

/**
 * Wanted keys as values of the key columns' types: whole numbers for long columns become bigints.
 */
export function checkKeys(
  fields: readonly Field[],
  keys: readonly (readonly Value[])[],
): readonly (readonly Value[])[] {
  return keys.map((key, i) => {
    if (key.length !== fields.length) {
      throw new LakeError(
        'invalid_argument',
        `key ${i} has ${key.length} values, the key columns are ` +
          fields.map((field) => `"${field.name}"`).join(', '),
      );
    }
    return fields.map((field, c) => wholeNumber(field.type, key[c]));
  });
}

function wholeNumber(type: Type, value: Value): Value {
  const isWide = type.kind === 'long' || type.kind.startsWith('timestamp');
  return isWide && Number.isSafeInteger(value) ? BigInt(value as number) : value;
}

/** The keys, of those wanted, that a data file can hold by its partition and its column bounds. */
export function candidateKeys(
  data: DataFile,
  spec: PartitionSpec,
  fields: readonly Field[],
  keys: readonly (readonly Value[])[],
): readonly (readonly Value[])[] {
  const tests = fields.map((field) => columnTest(data, spec, field));
  return keys.filter((key) => key.every((value, c) => value === null || tests[c](value)));
}

/** Bounds of floats leave out NaN, so they are not used. */
function columnTest(data: DataFile, spec: PartitionSpec, field: Field): (value: Value) => boolean {
  const { id, type } = field;
  if (id === ROW_KEY.id) {
    const prefix = rowKeyPrefix(data);
    return (value) => typeof value === 'string' && value.startsWith(prefix);
  }
  const isFloating = type.kind === 'float' || type.kind === 'double';
  const bounds = isFloating
    ? NO_BOUNDS
    : decodeBounds(type, data.lowerBounds.get(id), data.upperBounds.get(id));
  const partition = partitionTest(data, spec, field);
  return (value) => admits(bounds, value) && partition(value);
}

/** Only transforms whose results do not change when the column's type is promoted. */
const PRUNING = new Set(['bucket', 'truncate']);

function partitionTest(
  data: DataFile,
  spec: PartitionSpec,
  field: Field,
): (value: Value) => boolean {
  const tests = spec.fields.flatMap(({ sourceIds, transform }, i) => {
    if (sourceIds.length !== 1 || sourceIds[0] !== field.id) return [];
    if (!PRUNING.has(transform.kind) || i >= data.partition.length) return [];
    const stored = storedImages(transform, field.type, data.partition[i]);
    return [
      (value: Value) => {
        const image = applyTransform(transform, field.type, value);
        return stored.some((one) => equalValues(image, one));
      },
    ];
  });
  return (value) => tests.every((test) => test(value));
}

/** The test of one key column: its wanted values, as texts for equality and in order for bounds. */
export function valueTest(type: Type, values: readonly Value[]): ValueTest {
  const wanted = new Set(values.map((value) => canonicalText(type, value)));
  const sorted = values.filter((value) => value !== null).sort(compareValues);
  return {
    accepts:
      type.kind === 'string'
        ? (value) => wanted.has(value as string | null)
        : (value) => wanted.has(canonicalText(type, value)),
    mayHold(min, max) {
      let low = 0;
      let high = sorted.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (compareValues(sorted[middle], min) < 0) low = middle + 1;
        else high = middle;
      }
      return low < sorted.length && compareToUpper(sorted[low], max) <= 0;
    },
  };
}
