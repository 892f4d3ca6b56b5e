import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { LakeError } from '../base/errors.ts';
import { formatJson } from '../base/json.ts';
import { createTable as createInCatalog, newTableLocation } from '../catalog/create-table.ts';
import { loadTable } from '../catalog/load-table.ts';
import type { TableHandle } from '../catalog/table-handle.ts';
import type { PartitionSpec } from '../schema/partition-spec.ts';
import type { Schema } from '../schema/type.ts';
import type { CatalogConfig, SourceTable, TableConfig } from '../source-table.ts';
import { openTable } from '../table.ts';
import { commitTable } from './commit.ts';
import { type NewDataFile, removeFiles, writeDataFiles } from './data-files.ts';
import { collectRows, planDeletes, type RowsByFile } from './delete-rows.ts';
import { describeInput } from './infer-schema.ts';
import { stageInput, typedSelect, type WriteInput } from './input.ts';
import { keyReader } from './key-rows.ts';
import { firstMetadata } from './next-metadata.ts';
import { type SnapshotChange, snapshotMetadata } from './snapshot-commit.ts';
import { WriterSession } from './writer-session.ts';

/** What a commit did. `snapshotId` is null where there was nothing to commit. */
export interface WriteResult {
  readonly snapshotId: bigint | null;
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
}

const NOTHING: WriteResult = { snapshotId: null, inserted: 0, updated: 0, deleted: 0 };
const KEEP_ALL = { mayRemove: false, removes: () => false } as const;

/** Creates a table without a snapshot. Throws table_exists, invalid_argument. */
export async function createTable(
  catalog: CatalogConfig,
  table: string,
  definition: {
    readonly schema: Schema;
    readonly spec?: PartitionSpec;
    readonly formatVersion?: 2 | 3;
    readonly properties?: Readonly<Record<string, string>>;
  },
): Promise<void> {
  const json = firstMetadata({
    uuid: randomUUID(),
    location: await newTableLocation(catalog, table),
    schema: definition.schema,
    spec: definition.spec ?? { specId: 0, fields: [] },
    formatVersion: definition.formatVersion ?? 2,
    properties: { 'write.parquet.compression-codec': 'zstd', ...definition.properties },
    nowMs: Date.now(),
  });
  await createInCatalog(catalog, table, formatJson(json));
}

/**
 * Appends rows. Columns that the input lacks are null; columns that the table lacks are refused.
 */
export async function appendRows(
  config: TableConfig,
  input: WriteInput,
  branch = 'main',
): Promise<WriteResult> {
  return withDataFiles(config, input, async (table, added) => {
    const change: SnapshotChange = {
      operation: 'append',
      addedData: added,
      addedDeletes: [],
      ...KEEP_ALL,
    };
    return commitChange(table, async () => change, branch, {
      inserted: records(added),
      updated: 0,
      deleted: 0,
    });
  });
}

/** Replaces all rows of the table by the input's. */
export async function overwriteRows(config: TableConfig, input: WriteInput): Promise<WriteResult> {
  return withDataFiles(config, input, async (table, added) => {
    const change: SnapshotChange = {
      operation: 'overwrite',
      addedData: added,
      addedDeletes: [],
      removes: () => true,
      mayRemove: true,
    };
    return commitChange(table, async () => change, 'main', {
      inserted: records(added),
      updated: 0,
      deleted: 0,
    });
  });
}

/** Deletes the rows that a SQL condition names. Nothing is committed where there are none. */
export async function deleteRows(config: TableConfig, where: string): Promise<WriteResult> {
  const table = await loadTable(config);
  let deleted = 0;
  const result = await commitRows(config, table, 'delete', [], async (source) => {
    const rows: RowsByFile = new Map();
    const columns = source.schema.fields.slice(0, 1).map((f) => f.name);
    for await (const batch of source.scan({ columns, where })) collectRows(rows, batch);
    deleted = countRows(rows);
    return rows;
  });
  return result === null ? NOTHING : { snapshotId: result, inserted: 0, updated: 0, deleted };
}

/**
 * Inserts rows whose key is new and replaces those whose key is there, in one snapshot. `key`:
 * default the table's identifier fields. Throws invalid_argument without a key, duplicate_key where
 * the input has one twice.
 */
export async function upsertRows(
  config: TableConfig,
  input: WriteInput,
  key?: readonly string[],
): Promise<WriteResult> {
  return withDataFiles(config, input, async (table, added, session) => {
    const names = key ?? identifierNames(table.metadata.schema);
    const wanted = await keyReader(session, table.metadata.schema, names);
    let updated = 0;
    const snapshotId = await commitRows(config, table, 'overwrite', added, async (source) => {
      const rows: RowsByFile = new Map();
      for await (const batch of source.scan({ columns: names })) {
        collectRows(rows, batch, (row) => wanted.has(batch, row));
      }
      updated = countRows(rows);
      return rows;
    });
    return { snapshotId, inserted: records(added) - updated, updated, deleted: 0 };
  });
}

function identifierNames(schema: Schema): readonly string[] {
  const names = schema.fields
    .filter((f) => schema.identifierFieldIds.includes(f.id))
    .map((f) => f.name);
  if (names.length > 0) return names;
  throw new LakeError('invalid_argument', 'the table has no identifier fields', {
    details: { expected: 'key columns: --key a,b' },
  });
}

const records = (files: readonly NewDataFile[]) => files.reduce((n, f) => n + f.recordCount, 0);
const countRows = (rows: RowsByFile) => [...rows.values()].reduce((n, r) => n + r.length, 0);

/** Writes the input's data files, lets `commit` use them, and removes them again when it fails. */
async function withDataFiles<T>(
  config: TableConfig,
  input: WriteInput,
  commit: (table: TableHandle, added: readonly NewDataFile[], session: WriterSession) => Promise<T>,
): Promise<T> {
  const table = await loadTable(config);
  const { schema, defaultSpec } = table.metadata;
  const staged = await stageInput(input);
  const output = table.files.resolve(table.files.record('data'));
  await mkdir(output, { recursive: true });
  const session = await WriterSession.open(staged.paths, [output]);
  let added: readonly NewDataFile[] = [];
  try {
    const names = new Set((await describeInput(session, staged)).map((c) => c.name));
    refuseUnknown(schema, names);
    const select = typedSelect(staged, schema, names);
    added = await writeDataFiles(session, select, schema, defaultSpec, table.files);
    return await commit(table, added, session);
  } catch (error) {
    await removeFiles(added.map((f) => f.real));
    throw error;
  } finally {
    session.close();
    await staged.dispose();
  }
}

function refuseUnknown(schema: Schema, names: ReadonlySet<string>): void {
  const known = new Set(schema.fields.map((f) => f.name));
  const unknown = [...names].filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  throw new LakeError(
    'column_not_found',
    `the table has no column "${unknown.join('", "')}" (columns: ${[...known].join(', ')})`,
  );
}

/**
 * Commits added data files together with the deletion of rows that `find` names, found anew at each
 * try.
 */
async function commitRows(
  config: TableConfig,
  table: TableHandle,
  operation: 'delete' | 'overwrite',
  addedData: readonly NewDataFile[],
  find: (source: SourceTable) => Promise<RowsByFile>,
): Promise<bigint | null> {
  let written: readonly string[] = [];
  const prepare = async (handle: TableHandle): Promise<SnapshotChange | null> => {
    await removeFiles(written);
    const source = await openTable(config);
    try {
      const rows = await find(source);
      if (rows.size === 0 && addedData.length === 0) return null;
      const plan = await planDeletes(source, handle, rows);
      written = plan.written;
      const { addedDeletes, removes } = plan;
      return { operation, addedData, addedDeletes, removes, mayRemove: rows.size > 0 };
    } finally {
      await source.close();
    }
  };
  try {
    return (await commitChange(table, prepare, 'main', NOTHING)).snapshotId;
  } catch (error) {
    await removeFiles(written);
    throw error;
  }
}

async function commitChange(
  table: TableHandle,
  prepare: (handle: TableHandle) => Promise<SnapshotChange | null>,
  branch: string,
  counts: Omit<WriteResult, 'snapshotId'>,
): Promise<WriteResult> {
  let snapshotId: bigint | null = null;
  await commitTable(table, async (handle) => {
    const change = await prepare(handle);
    if (change === null) return null;
    const prepared = await snapshotMetadata(handle.metadata, handle.files, change, branch);
    snapshotId = prepared.snapshotId;
    return prepared;
  });
  const { inserted, updated, deleted } = counts;
  return { snapshotId, inserted, updated, deleted };
}
