import type { DataFile, FileScan } from '../metadata/file-set.ts';
import { specById, type TableMetadata } from '../metadata/table-metadata.ts';
import { admits, type Bounds, compareToUpper, decodeBounds } from '../schema/bounds.ts';
import { compareValues } from '../schema/compare.ts';
import { fieldsById } from '../schema/field-lookup.ts';
import type { PartitionSpec } from '../schema/partition-spec.ts';
import { applyTransform, storedImages, transformAccepts } from '../schema/transform.ts';
import type { Field, Value } from '../schema/type.ts';
import type { Condition } from './condition.ts';

/**
 * Rules out data files in which no row can meet a condition (format/spec.md, "Scan Planning"): by
 * their partition values, through the spec's transforms, and by their column bounds and null
 * counts. A file stays wherever a fact is missing or doubtful:
 * - a column that is not in the file may have its initial default, so a file without statistics on
 *   it stays;
 * - bounds leave NaN out, and here NaN is greater than all else: `>` and `>=` rule a float column
 *   out only when it has no NaN;
 * - bounds may be truncated: a lower bound only gets smaller by that, and a value that begins with
 *   an upper bound is within it;
 * - a float bound of either zero includes both zeros;
 * - nobody has compared bounds and counts with the rows: those that contradict each other are not
 *   used.
 */
export function pruneFiles(
  files: readonly FileScan[],
  condition: Condition,
  metadata: TableMetadata,
): readonly FileScan[] {
  const context: Context = { fields: new Map(), metadata };
  for (const { field, path } of fieldsById(metadata.schema).values()) {
    if (path.length === 1) context.fields.set(field.id, field);
  }
  return files.filter((scan) => mayMatch(condition, scan.data, context));
}

interface Context {
  readonly fields: Map<number, Field>;
  readonly metadata: TableMetadata;
}

function mayMatch(condition: Condition, file: DataFile, context: Context): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.parts.every((part) => mayMatch(part, file, context));
    case 'or':
      return condition.parts.some((part) => mayMatch(part, file, context));
    default: {
      const field = context.fields.get(condition.fieldId);
      if (field === undefined) return true;
      const spec = specById(context.metadata, file.specId);
      return boundsAdmit(condition, file, field) && partitionAdmits(condition, file, field, spec);
    }
  }
}

type Leaf = Exclude<Condition, { readonly kind: 'and' | 'or' }>;

function isFloating(field: Field): boolean {
  return field.type.kind === 'float' || field.type.kind === 'double';
}

function boundsAdmit(leaf: Leaf, file: DataFile, field: Field): boolean {
  const bounds = boundsOf(file, field);
  const nulls = nullsOf(file, field);
  if (leaf.kind === 'is-null') return nulls !== 'none';
  if (nulls === 'all' && bounds.lower === undefined && bounds.upper === undefined) return false;
  if (leaf.kind === 'not-null') return true;
  const mayHold = (value: Value) =>
    admits(bounds, value) || (Number.isNaN(value) && mayBeNaN(file, field));
  if (leaf.kind === 'in') return leaf.values.some(mayHold);
  const { op, value } = leaf;
  if (op === '=') return mayHold(value);
  return op === '<' || op === '<='
    ? lowerAdmits(op, value, bounds)
    : mayBeNaN(file, field) || upperAdmits(op, value, bounds);
}

function boundsOf(file: DataFile, { id, type }: Field): Bounds {
  return decodeBounds(type, file.lowerBounds.get(id), file.upperBounds.get(id));
}

/** How many values of a column are null, by counts that agree with the record count. */
function nullsOf({ recordCount, valueCounts, nullCounts }: DataFile, { id }: Field) {
  const [values, nulls] = [valueCounts.get(id), nullCounts.get(id)];
  if (values !== BigInt(recordCount) || nulls === undefined) return 'unknown';
  return nulls === 0n ? 'none' : nulls === values ? 'all' : 'some';
}

function lowerAdmits(op: '<' | '<=', value: Value, { lower }: Bounds): boolean {
  if (lower === undefined) return true;
  const order = compareValues(lower, value);
  return op === '<' ? order < 0 : order <= 0;
}

function upperAdmits(op: '>' | '>=', value: Value, { upper }: Bounds): boolean {
  if (upper === undefined) return true;
  const order = compareToUpper(value, upper);
  return op === '>' ? order < 0 : order <= 0;
}

function mayBeNaN(file: DataFile, field: Field): boolean {
  return isFloating(field) && file.nanCounts?.get(field.id) !== 0n;
}

function partitionAdmits(leaf: Leaf, file: DataFile, field: Field, spec: PartitionSpec): boolean {
  return spec.fields.every((part, i) => {
    if (part.sourceIds.length !== 1 || part.sourceIds[0] !== field.id) return true;
    if (!transformAccepts(part.transform, field.type) || part.transform.kind === 'void')
      return true;
    const actual = file.partition[i] ?? null;
    const image = (value: Value) => applyTransform(part.transform, field.type, value);
    const stored = storedImages(part.transform, field.type, actual);
    return stored.some((one) => imageAdmits(leaf, one, image, part.transform.kind));
  });
}

/** All transforms but bucket keep order: f(a) <= f(b) where a <= b. */
function imageAdmits(
  leaf: Leaf,
  actual: Value,
  image: (value: Value) => Value,
  transform: string,
): boolean {
  if (leaf.kind === 'is-null') return actual === null;
  if (actual === null) return false;
  if (leaf.kind === 'not-null') return true;
  if (leaf.kind === 'in') return leaf.values.some((v) => compareValues(actual, image(v)) === 0);
  const order = compareValues(actual, image(leaf.value));
  if (leaf.op === '=') return order === 0;
  if (transform === 'bucket') return true;
  if (leaf.op === '<' && transform === 'identity') return order < 0;
  if (leaf.op === '>' && transform === 'identity') return order > 0;
  return leaf.op === '<' || leaf.op === '<=' ? order <= 0 : order >= 0;
}
