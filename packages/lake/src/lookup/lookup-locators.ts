import { setImmediate } from 'node:timers/promises';
import { eachOf } from '../base/each-of.ts';
import { normalizeRecorded } from '../base/files/table-files.ts';
import { isObjectPath } from '../base/object-storage.ts';
import type { FileScan, FileSet } from '../metadata/file-set.ts';
import { orcRefused } from '../plan/refuse-orc.ts';
import { masked, type PermittedColumns, permittedColumns } from '../restrictions/permitted-rows.ts';
import type { Locator } from '../scan/batch.ts';
import { ScanDuckDb } from '../scan/duckdb/pool.ts';
import type { Field, Value } from '../schema/type.ts';
import type { ReadCost, Row } from '../source-table.ts';
import type { LookupTable } from './lookup-files.ts';
import { pointRows } from './point-rows.ts';

const FILES_AT_ONCE = 4;
/** More rows of a file are made in a turn of their own. */
const MANY_ROWS = 1000;
/** On an object store most of the time is waiting. */
const OBJECTS_AT_ONCE = 12;

/**
 * Rows at locators, in the given order; null if the file is not part of the snapshot, the
 * position is not in the file, or the row is deleted or hidden by the catalog. Per file: the dead
 * positions (kept between calls), then the pages that hold the live ones. Throws
 * data_file_missing, data_file_invalid, delete_file_*, and `unsupported` for ORC, each naming the
 * file.
 */
export async function lookupLocators(
  table: LookupTable,
  set: FileSet,
  locators: readonly Locator[],
  fields: readonly Field[],
  cost?: ReadCost,
): Promise<readonly (Row | null)[]> {
  const result: (Row | null)[] = new Array(locators.length).fill(null);
  const permitted = permittedColumns(table.context.restrictions, fields);
  const scans = scansByPath(set);
  const wanted = new Map<FileScan, number[]>();
  locators.forEach((locator, i) => {
    const scan = scans.get(normalizeRecorded(locator.file));
    if (scan === undefined || !isRowOf(scan, locator.position)) return;
    const list = wanted.get(scan);
    if (list === undefined) wanted.set(scan, [i]);
    else list.push(i);
  });
  const atOnce = isObjectPath(table.context.files.root) ? OBJECTS_AT_ONCE : FILES_AT_ONCE;
  await eachOf([...wanted], atOnce, async ([scan, indices]) => {
    const dead = await deadOf(table, scan);
    const live = indices.filter((i) => !dead.has(locators[i].position));
    if (live.length === 0) return;
    const positions = Int32Array.from(live, (i) => locators[i].position);
    const columns = await pointRows(table, scan.data, permitted.fields, positions, cost);
    if (live.length > MANY_ROWS) await setImmediate();
    live.forEach((index, i) => {
      const values = columns.map((column) => column[i]);
      if (permitted.accepts?.(values) ?? true) result[index] = rowOf(fields, permitted, values);
    });
  });
  return result;
}

function isRowOf(scan: FileScan, position: number): boolean {
  return Number.isInteger(position) && position >= 0 && position < scan.data.recordCount;
}

/**
 * The dead positions of a file; DuckDB is opened only if equality deletes make the file be read.
 */
export async function deadOf(table: LookupTable, scan: FileScan) {
  if (scan.data.format === 'orc') throw orcRefused(scan.data.path, 'data');
  const { files } = table.context;
  const duckdb = new ScanDuckDb(files.store, [files.resolve(scan.data.path)]);
  try {
    return await table.dead.of(scan, duckdb);
  } finally {
    duckdb.close();
  }
}

/** The row of stored values, by column name, masked. */
function rowOf(
  fields: readonly Field[],
  { masks }: PermittedColumns,
  values: readonly Value[],
): Row {
  return Object.fromEntries(fields.map(({ name }, i) => [name, masked(masks[i], values[i])]));
}

const INDEXES = new WeakMap<FileSet, ReadonlyMap<string, FileScan>>();

function scansByPath(set: FileSet): ReadonlyMap<string, FileScan> {
  let index = INDEXES.get(set);
  if (index === undefined) {
    index = new Map(set.files.map((scan) => [normalizeRecorded(scan.data.path), scan]));
    INDEXES.set(set, index);
  }
  return index;
}
