import { LakeError } from '../base/errors.ts';
import { makeFolder } from '../base/new-files.ts';
import { loadTable } from '../catalog/load-table.ts';
import type { TableHandle } from '../catalog/table-handle.ts';
import type { Schema } from '../schema/type.ts';
import type { TableConfig } from '../source-table.ts';
import { type NewDataFile, removeFiles, writeDataFiles } from './data-files.ts';
import { describeInput } from './infer-schema.ts';
import { stageInput, typedSelect, type WriteInput } from './input.ts';
import { type InputKeys, keyReader, plainKeys } from './key-rows.ts';
import { writePlainFiles } from './plain-files.ts';
import { type PlainRows, plainRows } from './plain-rows.ts';
import { WriterSession } from './writer-session.ts';

/** An input whose data files are written, though no snapshot names them yet. */
export interface WrittenInput {
  readonly table: TableHandle;
  readonly added: readonly NewDataFile[];
  /** The keys of its rows. Throws as `keyReader`. */
  keys(names: readonly string[]): Promise<InputKeys>;
}

/**
 * Writes the input's data files, lets `commit` use them, and removes them again when it fails. Few
 * plain rows are written in this process, all else by DuckDB.
 */
export async function withDataFiles<T>(
  config: TableConfig,
  input: WriteInput,
  commit: (written: WrittenInput) => Promise<T>,
): Promise<T> {
  const table = await loadTable(config);
  const plain = plainRows(input, table.metadata.schema);
  return plain === null ? withDuckDb(table, input, commit) : withPlainFiles(table, plain, commit);
}

async function withPlainFiles<T>(
  table: TableHandle,
  rows: PlainRows,
  commit: (written: WrittenInput) => Promise<T>,
): Promise<T> {
  const { schema, defaultSpec } = table.metadata;
  const added = await writePlainFiles(rows, schema, defaultSpec, table.files);
  try {
    return await commit({ table, added, keys: async (names) => plainKeys(rows, schema, names) });
  } catch (error) {
    await removeFiles(added.map((f) => f.real));
    throw error;
  }
}

async function withDuckDb<T>(
  table: TableHandle,
  input: WriteInput,
  commit: (written: WrittenInput) => Promise<T>,
): Promise<T> {
  const { schema, defaultSpec } = table.metadata;
  const staged = await stageInput(input);
  const output = table.files.resolve(table.files.record('data'));
  await makeFolder(output);
  const session = await WriterSession.open(staged.paths, [output]);
  let added: readonly NewDataFile[] = [];
  try {
    const names = new Set((await describeInput(session, staged)).map((c) => c.name));
    refuseUnknown(schema, names);
    const select = typedSelect(staged, schema, names);
    added = await writeDataFiles(session, select, schema, defaultSpec, table.files);
    return await commit({ table, added, keys: (key) => keyReader(session, schema, key) });
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
