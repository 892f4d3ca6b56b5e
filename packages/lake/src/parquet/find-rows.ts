import { usableBounds } from '../schema/bounds.ts';
import type { Value } from '../schema/type.ts';
import { isPlainText } from './convert.ts';
import { decodePlain } from './encodings/encodings.ts';
import type { PageBounds } from './page-directory.ts';
import type { ByteCost, LoadedPage, ParquetFile } from './parquet-file.ts';
import type { ReadPlan } from './read-plan.ts';

/** A column of plain values, at the top of the schema. */
export type LeafPlan = ReadPlan & { readonly kind: 'leaf' };

/** What is looked for in a column. */
export interface ValueTest {
  /** Whether a page with values from `min` to `max` can hold a wanted one. */
  mayHold(min: Value, max: Value): boolean;
  /** Whether a value, null among them, is wanted. */
  accepts(value: Value): boolean;
}

/**
 * The ordinals of the rows whose value in the column passes the test, ascending. Pages that the
 * column index rules out are not read (unless null is wanted: then all are).
 */
export async function findRows(
  file: ParquetFile,
  plan: LeafPlan,
  test: ValueTest,
  cost?: ByteCost,
): Promise<Int32Array> {
  const found: number[] = [];
  const wantsNull = test.accepts(null);
  for (let group = 0; group < file.footer.rowGroups.length; group++) {
    const { pages } = await file.directory(group, plan.leaf.column, cost);
    const bounds = wantsNull ? null : await file.bounds(group, plan.leaf.column, cost);
    for (let index = 0; index < pages.length; index++) {
      if (bounds !== null && !mayHold(plan, bounds[index], test)) continue;
      const loaded = await file.page(group, plan.leaf.column, index, cost);
      collect(plan, loaded, test, found);
    }
  }
  return Int32Array.from(found);
}

function mayHold(plan: LeafPlan, bounds: PageBounds[number], test: ValueTest): boolean {
  if (bounds === null) return false;
  const { lower, upper } = usableBounds(boundValue(plan, bounds.min), boundValue(plan, bounds.max));
  return lower === undefined || upper === undefined || test.mayHold(lower, upper);
}

/**
 * The value of a bound, or undefined if it is not usable: wrong size, floats (NaN), text cut within
 * a character.
 */
function boundValue({ leaf, convert }: LeafPlan, bytes: Uint8Array): Value | undefined {
  switch (leaf.physical) {
    case 'int32':
    case 'int64':
    case 'fixed': {
      const value = decodePlain(leaf, bytes, 1);
      return value === null ? undefined : convert(value.get(0));
    }
    case 'byte_array': {
      const value = convert(bytes);
      return typeof value === 'string' && value.includes('\uFFFD') ? undefined : value;
    }
    default:
      return undefined;
  }
}

function collect(plan: LeafPlan, loaded: LoadedPage, test: ValueTest, found: number[]): void {
  const { page, firstRow, rows } = loaded;
  const { values, valueIndex } = page;
  const texts = isPlainText(plan.convert) ? values.texts : undefined;
  const read =
    texts === undefined
      ? (index: number) => plan.convert(values.get(index))
      : (index: number) => texts.text(index);
  for (let i = 0; i < rows; i++) {
    const index = valueIndex === null ? i : valueIndex[i];
    if (test.accepts(index < 0 ? null : read(index))) found.push(firstRow + i);
  }
}
