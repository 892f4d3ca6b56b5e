/**
 * Rows by key, without an index:
 *
 * 1. Files come newest data sequence first; once every key is found, files of older sequences are
 *    not opened. Iceberg does not enforce unique keys: of several live rows the one of the newest
 *    file, then the last one in it, is taken.
 * 2. A file is skipped when its partition and column bounds rule out every key that is wanted.
 * 3. The key column with the most wanted values is searched page by page; the others are read only
 *    at the rows found.
 * 4. Dead rows leave; the whole key is compared; the wanted columns of the winners are read at the
 *    end, file by file.
 */
import { LakeError } from '../base/errors.ts';
import type { DataFile, FileScan, FileSet } from '../metadata/file-set.ts';
import { specById } from '../metadata/table-metadata.ts';
import { findRows, type LeafPlan, type ValueTest } from '../parquet/find-rows.ts';
import { hasColumn, planColumns } from '../parquet/read-plan.ts';
import { permittedColumns } from '../restrictions/permitted-rows.ts';
import { isMasked } from '../restrictions/read-restrictions.ts';
import type { Locator } from '../scan/batch.ts';
import { openTableFile } from '../scan/data-file.ts';
import { planProjection } from '../scan/projection.ts';
import { rowKeyPositions } from '../scan/row-key.ts';
import { scanParts } from '../scan/scan.ts';
import { valueAt } from '../scan/vectors.ts';
import { ROW_ID, ROW_KEY } from '../schema/row-fields.ts';
import type { Field, Value } from '../schema/type.ts';
import type { ReadCost, Row } from '../source-table.ts';
import { candidateKeys, checkKeys, keyText, valueTest } from './key-set.ts';
import type { LookupTable } from './lookup-files.ts';
import { deadOf, lookupLocators } from './lookup-locators.ts';
import { pointRows } from './point-rows.ts';

/** A row that was found by key, and its location. */
export interface FoundRow {
  readonly row: Row;
  readonly locator: Locator;
}

const NESTED = new Set(['struct', 'list', 'map', 'variant', 'unknown']);

/**
 * Rows by key values, one array a key in the order of `key`, in the given order; null if no live
 * row has the key. Throws invalid_argument for a key column that cannot be compared, and what
 * lookupLocators throws.
 */
export async function lookupKeys(
  table: LookupTable,
  set: FileSet,
  key: readonly Field[],
  keys: readonly (readonly Value[])[],
  fields: readonly Field[],
  cost?: ReadCost,
): Promise<readonly (FoundRow | null)[]> {
  checkKeyColumns(key);
  const wanted = checkKeys(key, keys);
  const texts = wanted.map((values) => keyText(key, values));
  const byText = new Map(texts.map((t, i) => [t, wanted[i]]));
  const { actions } = table.context.restrictions ?? {};
  const isHidden = actions !== undefined && key.some((field) => isMasked(field, actions));
  const found = isHidden
    ? await scanForKeys(table, set, key, byText)
    : await findKeys({ table, key, cost }, set, byText);
  const locators = [...found.values()];
  const rows = await lookupLocators(table, set, locators, fields, cost);
  const rowOf = new Map(locators.map((locator, i) => [locator, rows[i]]));
  return texts.map((text) => {
    const locator = found.get(text);
    const row = locator === undefined ? null : rowOf.get(locator);
    return locator === undefined || !row ? null : { row, locator };
  });
}

function checkKeyColumns(key: readonly Field[]): void {
  const nested = key.find((field) => NESTED.has(field.type.kind));
  if (key.length > 0 && nested === undefined) return;
  throw new LakeError(
    'invalid_argument',
    nested === undefined
      ? 'a look-up by key needs at least one key column'
      : `column "${nested.name}" is ${nested.type.kind}, which cannot be a key`,
  );
}

interface KeySearch {
  readonly table: LookupTable;
  readonly key: readonly Field[];
  readonly cost: ReadCost | undefined;
}

type KeysByText = Map<string, readonly Value[]>;

async function findKeys(
  search: KeySearch,
  set: FileSet,
  wanted: KeysByText,
): Promise<ReadonlyMap<string, Locator>> {
  const found = new Map<string, Locator>();
  for (const scan of newestFirst(set)) {
    if (wanted.size === 0) break;
    for (const [text, position] of await findInFile(search, scan, wanted)) {
      found.set(text, { file: scan.data.path, position });
      wanted.delete(text);
    }
  }
  return found;
}

/** A stable sort: within a sequence number the last file of the set is the newest. */
const newestFirst = ({ files }: FileSet): readonly FileScan[] =>
  files.toReversed().sort((a, b) => Number(b.data.dataSequence - a.data.dataSequence));

/** The last live position of each wanted key in one file. */
async function findInFile(
  search: KeySearch,
  scan: FileScan,
  wanted: KeysByText,
): Promise<ReadonlyMap<string, number>> {
  const { table, key, cost } = search;
  const { data } = scan;
  const spec = specById(table.context.metadata, data.specId);
  const candidates = candidateKeys(data, spec, key, [...wanted.values()]);
  if (candidates.length === 0) return new Map();
  const dead = await deadOf(table, scan);
  const matches = (await matchingRows(search, data, candidates)).filter((p) => !dead.has(p));
  if (matches.length === 0) return new Map();
  const { fields, accepts } = permittedColumns(table.context.restrictions, key);
  const columns = await pointRows(table, data, fields, matches, cost);
  const last = new Map<string, number>();
  matches.forEach((position, i) => {
    const values = columns.map((column) => column[i]);
    const text = keyText(key, values);
    if (wanted.has(text) && (accepts?.(values) ?? true)) last.set(text, position);
  });
  return last;
}

/**
 * The locators of keys whose columns the catalog masks: every row is read, because bounds,
 * partitions and pages hold the stored values.
 */
async function scanForKeys(
  { context, dead }: LookupTable,
  set: FileSet,
  key: readonly Field[],
  wanted: KeysByText,
): Promise<ReadonlyMap<string, Locator>> {
  const oldestFirst = newestFirst(set).toReversed();
  const parts = oldestFirst.map((scan) => ({ scan, only: null }));
  const found = new Map<string, Locator>();
  for await (const batch of scanParts(context, dead, { parts, fields: key })) {
    for (let row = 0; row < batch.rows; row++) {
      const values = batch.columns.map((column) => valueAt(column, row));
      const text = keyText(key, values);
      if (wanted.has(text)) found.set(text, { file: batch.file, position: batch.positions[row] });
    }
  }
  return found;
}

/** Positions, ascending, of rows that have a wanted value in the most telling key column. */
async function matchingRows(
  search: KeySearch,
  data: DataFile,
  candidates: readonly (readonly Value[])[],
): Promise<Int32Array> {
  const { table, key, cost } = search;
  const [first] = key
    .map((field, c) => ({ field, values: [...new Set(candidates.map((values) => values[c]))] }))
    .sort((a, b) => b.values.length - a.values.length);
  if (first.field.id === ROW_KEY.id) return rowKeyPositions(data, first.values);
  const test = valueTest(first.field.type, first.values);
  if (data.format !== 'parquet') return scanRows(table, data, first.field, test);
  const { nameMapping } = table.context;
  return table.files.use(table.context.files, data, cost, async (file) => {
    const column = hasColumn(file.schema, first.field.id, nameMapping);
    const lookup = { by: 'id', nameMapping } as const;
    if (!column && first.field.id === ROW_ID.id) return rowIdPositions(data, first.values);
    if (!column) return scanRows(table, data, first.field, test);
    const [plan] = planColumns(file.schema, [first.field], lookup, file.place);
    return findRows(file, plan as LeafPlan, test, cost);
  });
}

/** The positions of row ids in a file that stores none: they count on from its first one. */
function rowIdPositions(data: DataFile, values: readonly Value[]): Int32Array {
  const { firstRowId, recordCount } = data;
  if (firstRowId === null) return new Int32Array();
  const positions = values.map((id) => Number(BigInt(id as bigint) - firstRowId));
  return Int32Array.from(positions.filter((at) => at >= 0 && at < recordCount)).sort();
}

/**
 * All rows of a file whose column is not stored in Parquet pages: Avro, or one value for the whole
 * file.
 */
async function scanRows(
  table: LookupTable,
  data: DataFile,
  field: Field,
  test: ValueTest,
): Promise<Int32Array> {
  const file = await openTableFile(table.context, data, 'data', null);
  const projection = planProjection(table.context, data, file, [field]);
  const found: number[] = [];
  for await (const rows of file.read(projection.stored)) {
    const [column] = projection.complete(rows);
    for (let row = 0; row < rows.rows; row++) {
      if (test.accepts(valueAt(column, row))) found.push(rows.firstRow + row);
    }
  }
  return Int32Array.from(found);
}
