import { LakeError } from '../base/errors.ts';
import { loadTable } from '../catalog/load-table.ts';
import type { TableHandle } from '../catalog/table-handle.ts';
import type { TableMetadata } from '../metadata/table-metadata.ts';
import type { Schema } from '../schema/type.ts';
import { valueToJson } from '../schema/value-json.ts';
import type { CatalogConfig, TableConfig } from '../source-table.ts';
import { tableOf } from '../table.ts';
import { commitTable, discard } from './commit/commit.ts';
import type { TableDefinition } from './commit/next-metadata.ts';
import { type SnapshotChange, snapshotMetadata } from './commit/snapshot-commit.ts';
import { stageTable } from './commit/staged-table.ts';
import type { NewDataFile } from './files/data-files.ts';
import type { WriteInput } from './input/input.ts';
import { collectRows, planDeletes, type RowsByFile } from './rows/delete-rows.ts';
import { keyRange, scanNear } from './rows/key-range.ts';
import type { InputKeys } from './rows/key-rows.ts';
import { addRows, type FindRows, type KeyValues, rowsWithKey } from './rows/rows-with-key.ts';
import { type RowWriteOptions, withDataFiles } from './staged-write.ts';
import type { WriteWatch } from './write-progress.ts';

/** What a commit did. `snapshot` is null if there was nothing to commit. */
export interface WriteResult {
  readonly snapshot: string | null;
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
  /** The schema of a table that was made or replaced by this write. */
  readonly schema?: Schema;
  /** Columns of which the table has other ones with the same names now. */
  readonly replaced?: readonly string[];
}

const NOTHING: WriteResult = { snapshot: null, inserted: 0, updated: 0, deleted: 0 };
const KEEP_ALL = { mayRemove: false, removes: () => false } as const;

/** Creates a table without a snapshot. Throws table_exists, invalid_argument. */
export async function writeTable(
  catalog: CatalogConfig,
  table: string,
  definition: TableDefinition,
): Promise<void> {
  const staged = await stageTable(catalog, table, definition);
  await staged.create(staged.metadata.raw);
}

/** How rows are added. */
export interface AppendOptions extends WriteWatch {
  /**
   * Columns whose values must be new: throws duplicate_key if the input has a key twice, or one
   * that the table has. Default: none, as Iceberg does not enforce keys.
   */
  readonly uniqueKey?: (schema: Schema) => readonly string[] | undefined;
  /**
   * More properties of the snapshot's summary, from the table before it (null: there is none). What
   * it throws ends the write.
   */
  readonly summary?: (before: TableMetadata | null) => Readonly<Record<string, string>>;
}

/**
 * Appends rows. Columns that the input lacks are null; columns that the table lacks are refused.
 */
export async function appendToTable(
  config: TableConfig,
  input: WriteInput,
  branch = 'main',
  options: AppendOptions = {},
): Promise<WriteResult> {
  const { uniqueKey: keyOf } = options;
  return withDataFiles(config, input, { keyOf, watch: options }, async (written) => {
    const { added, keys } = written;
    const change: SnapshotChange = {
      operation: 'append',
      addedData: added,
      addedDeletes: [],
      ...KEEP_ALL,
    };
    const checked = async (handle: TableHandle) => {
      const names = keyOf?.(handle.metadata.schema);
      if (keys !== null && names !== undefined) await refuseKnown(handle, added, keys, names);
      return { ...change, summary: options.summary?.(handle.metadata) };
    };
    return commitChange(written.table, checked, branch, {
      inserted: records(added),
      updated: 0,
      deleted: 0,
    });
  });
}

/** Throws duplicate_key if the table has a row with a key of the new files. */
async function refuseKnown(
  handle: TableHandle,
  added: readonly NewDataFile[],
  keys: InputKeys,
  names: readonly string[],
): Promise<void> {
  const source = tableOf(handle);
  try {
    const near = keyRange(added, source.schema, names);
    const rows = await keys.rowsAmong(scanNear({ source, handle }, near, names));
    const [first] = rows;
    if (first === undefined) return;
    const locator = { file: first[0], position: first[1][0] };
    const [row] = await source.lookup([locator], names);
    const known = source.schema.fields.filter(({ name }) => names.includes(name));
    const key = names.map((name) => {
      const type = known.find((field) => field.name === name)?.type;
      return type === undefined ? null : valueToJson(type, row?.[name] ?? null);
    });
    throw new LakeError(
      'duplicate_key',
      `the table has the key ${JSON.stringify(key)} already ` +
        `(${countRows(rows)} of the input's keys)`,
      { details: { option: 'present_key', key, rows: countRows(rows) } },
    );
  } finally {
    await source.close();
  }
}

/**
 * Replaces all rows of the table by the input's, and the table's schema by that of `schemaFor`, in
 * one commit. `uniqueKey`: as for `appendRows`. Throws commit_conflict if another writer changes
 * the schema meanwhile.
 */
export async function overwriteRows(
  config: TableConfig,
  input: WriteInput,
  options: AppendOptions & Pick<RowWriteOptions, 'schemaFor'> = {},
): Promise<WriteResult> {
  const { uniqueKey: keyOf, schemaFor } = options;
  const writing = { keyOf, schemaFor, watch: options };
  return withDataFiles(config, input, writing, async ({ table, schema, added }) => {
    const change: SnapshotChange = {
      schema,
      operation: 'overwrite',
      addedData: added,
      addedDeletes: [],
      removes: () => true,
      mayRemove: true,
    };
    const checked = async ({ metadata }: TableHandle) => {
      if (metadata.schema.schemaId === table.metadata.schema.schemaId) return change;
      const message = `the columns of table "${table.name}" changed while it was written`;
      throw new LakeError('commit_conflict', `${message}; nothing was committed`);
    };
    const counts = { inserted: records(added), updated: 0, deleted: 0 };
    const done = await commitChange(table, checked, 'main', counts);
    const replaced = table.metadata.schema.fields.filter(({ id, name }) =>
      schema.fields.some((field) => field.name === name && field.id !== id),
    );
    return { ...done, schema, replaced: replaced.map(({ name }) => name) };
  });
}

/** Deletes the rows that a SQL condition names. Nothing is committed if there are none. */
export async function deleteFromTable(config: TableConfig, where: string): Promise<WriteResult> {
  return deleteFound(await loadTable(config), async (source) => {
    const rows: RowsByFile = new Map();
    const columns = source.schema.fields.slice(0, 1).map((f) => f.name);
    for await (const batch of source.scan({ columns, where })) collectRows(rows, batch);
    return rows;
  });
}

async function deleteFound(table: TableHandle, find: FindRows): Promise<WriteResult> {
  let deleted = 0;
  const snapshot = await commitRows(table, 'delete', [], async (source, handle) => {
    const rows = await find(source, handle);
    deleted = countRows(rows);
    return rows;
  });
  return snapshot === null ? NOTHING : { ...NOTHING, snapshot, deleted };
}

/**
 * Inserts rows whose key is new and replaces those whose key is there, in one snapshot. `key`:
 * default the table's identifier fields. `deletes`: keys whose rows go in the same snapshot. Throws
 * invalid_argument without a key, duplicate_key if the input has one twice.
 */
export async function upsertIntoTable(
  config: TableConfig,
  input: WriteInput,
  key?: readonly string[],
  watch?: WriteWatch,
  deletes: readonly KeyValues[] = [],
): Promise<WriteResult> {
  const keyOf = (schema: Schema) => key ?? identifierNames(schema);
  return withDataFiles(config, input, { keyOf, watch }, async ({ table, added, keys }) => {
    const { schema } = table.metadata;
    const names = keyOf(schema);
    const near = keyRange(added, schema, names);
    const wanted = keys as InputKeys;
    const unwanted = deletes.length === 0 ? null : rowsWithKey(schema, names, deletes);
    let updated = 0;
    let deleted = 0;
    const snapshot = await commitRows(table, 'overwrite', added, async (source, handle) => {
      const rows = await wanted.rowsAmong(scanNear({ source, handle }, near, names));
      updated = countRows(rows);
      if (unwanted !== null) addRows(rows, await unwanted(source, handle));
      deleted = countRows(rows) - updated;
      return rows;
    });
    return { snapshot, inserted: records(added) - updated, updated, deleted };
  });
}

/** Changes by key: rows by column name, and keys that have a value for each identifier field. */
export interface RowChanges {
  readonly upserts: readonly Readonly<Record<string, unknown>>[];
  readonly deletes: readonly KeyValues[];
}

/**
 * Upserts rows and deletes keys in one snapshot. Keys that the table does not have are no error; a
 * key in both lists is upserted. Throws duplicate_key if a list has a key twice, null_key,
 * invalid_argument.
 */
export async function changeTableRows(
  config: TableConfig,
  { upserts, deletes }: RowChanges,
): Promise<WriteResult> {
  if (upserts.length > 0) {
    const input = { kind: 'rows', rows: upserts } as const;
    return upsertIntoTable(config, input, undefined, undefined, deletes);
  }
  if (deletes.length === 0) return NOTHING;
  const table = await loadTable(config);
  const { schema } = table.metadata;
  return deleteFound(table, rowsWithKey(schema, identifierNames(schema), deletes));
}

/** The names of a table's identifier fields. Throws invalid_argument if it has none. */
export function identifierNames(schema: Schema): readonly string[] {
  const names = schema.fields
    .filter((f) => schema.identifierFieldIds.includes(f.id))
    .map((f) => f.name);
  if (names.length > 0) return names;
  throw new LakeError('invalid_argument', 'the table has no identifier fields', {
    details: { option: 'key', expected: 'the names of the key columns' },
  });
}

const records = (files: readonly NewDataFile[]) => files.reduce((n, f) => n + f.recordCount, 0);
/** How many rows a selection names. */
export const countRows = (rows: RowsByFile) => [...rows.values()].reduce((n, r) => n + r.length, 0);

/** The table property that selects how each operation deletes rows. */
const MODES = { delete: 'write.delete.mode', overwrite: 'write.merge.mode' } as const;

/**
 * Commits added data files together with the deletion of rows that `find` names, found anew at each
 * try.
 */
export async function commitRows(
  table: TableHandle,
  operation: 'delete' | 'overwrite',
  addedData: readonly NewDataFile[],
  find: FindRows,
): Promise<string | null> {
  let written: readonly { readonly real: string }[] = [];
  const { store } = table.files;
  const prepare = async (handle: TableHandle): Promise<SnapshotChange | null> => {
    await store.remove(written.map(({ real }) => real));
    const source = tableOf(handle);
    try {
      const rows = await find(source, handle);
      if (rows.size === 0 && addedData.length === 0) return null;
      const plan = await planDeletes(source, handle, rows, MODES[operation]);
      written = plan.written;
      const { addedDeletes, removes } = plan;
      const added = [...addedData, ...plan.rewritten];
      const made = added.length > 0 ? 'overwrite' : operation;
      const mayRemove = rows.size > 0;
      return { operation: made, addedData: added, addedDeletes, removes, mayRemove };
    } finally {
      await source.close();
    }
  };
  try {
    return (await commitChange(table, prepare, 'main', NOTHING)).snapshot;
  } catch (error) {
    await discard(error, store, written);
    throw error;
  }
}

async function commitChange(
  table: TableHandle,
  prepare: (handle: TableHandle) => Promise<SnapshotChange | null>,
  branch: string,
  counts: Omit<WriteResult, 'snapshot'>,
): Promise<WriteResult> {
  let snapshot: string | null = null;
  await commitTable(table, async (handle) => {
    const change = await prepare(handle);
    if (change === null) return null;
    const prepared = await snapshotMetadata(handle.metadata, handle.files, change, branch);
    snapshot = String(prepared.snapshotId);
    return prepared;
  });
  const { inserted, updated, deleted } = counts;
  return { snapshot, inserted, updated, deleted };
}
