import type { Readable } from 'node:stream';
import { LakeError } from '../../base/errors.ts';
import { loadTable } from '../../catalog/load-table.ts';
import type { TableHandle } from '../../catalog/table-handle.ts';
import { tableExists } from '../../catalog/table-name.ts';
import type { TableMetadata } from '../../metadata/table-metadata.ts';
import { quoteName } from '../../scan/duckdb/quoting.ts';
import type { PartitionSpec } from '../../schema/partition-spec.ts';
import { transformText } from '../../schema/transform.ts';
import type { Schema } from '../../schema/type.ts';
import type { CatalogConfig } from '../../source-table.ts';
import { committed, discard } from '../commit/commit.ts';
import { snapshotMetadata } from '../commit/snapshot-commit.ts';
import { newTableFolder, type StagedTable, stageTable } from '../commit/staged-table.ts';
import type { NewDataFile } from '../files/data-files.ts';
import { parsePartitionBy } from '../files/partitions.ts';
import type { WriteInput } from '../input/input.ts';
import { type InputColumn, tableTypes } from '../input/input-columns.ts';
import type { TextNote } from '../input/input-notes.ts';
import type { ReadingOptions } from '../input/reading-options.ts';
import { type OpenInput, withOpenInput } from '../staged-write.ts';
import {
  type AppendOptions,
  appendToTable,
  overwriteRows,
  type WriteResult,
} from '../table-writer.ts';
import { inferSchema } from '../types/infer-schema.ts';
import { readType } from '../types/read-type.ts';
import { replacedSchema } from '../types/replaced-schema.ts';
import type { WriteWatch } from '../write-progress.ts';

/** How files become a table. */
export interface ImportOptions extends WriteWatch, Pick<AppendOptions, 'summary'> {
  readonly catalog: CatalogConfig;
  readonly table: string;
  readonly files: readonly string[];
  /** In place of files: bytes as they come, copied to disk beside the table's data. */
  readonly stream?: Readable;
  /** Its name in messages. */
  readonly streamName?: string;
  /** How the files or the stream are read. */
  readonly reading?: ReadingOptions;
  readonly key?: readonly string[];
  /** `day(opened_at),bucket[16](id)`: see `parsePartitionBy`. */
  readonly partitionBy?: string;
  readonly formatVersion?: 2 | 3;
  /**
   * Whether keys may repeat, in the input or beside the table's rows. Default false: a repeated key
   * is duplicate_key. The key is `key`, else the table's identifier fields.
   */
  readonly allowDuplicateKeys?: boolean;
  /** What to do if the table is there already. Default: refuse. */
  readonly mode?: 'create' | 'append' | 'overwrite';
}

/**
 * Imports files, a stream or rows: the schema is inferred, and the table is created with its
 * rows in one commit. `mode` applies if the table exists: "overwrite" replaces rows and columns. An
 * import that fails leaves no table and no file; one that is killed leaves a work folder, which the
 * next one deletes. Throws table_exists, column_not_found, invalid_argument, input_not_found,
 * limit_exceeded.
 */
export async function importIntoTable(options: ImportOptions): Promise<WriteResult> {
  const { catalog, table, mode = 'create' } = options;
  const input = inputOf(options);
  const existing = await existingTable(options);
  if (existing === null) return createFromFiles(options);
  if (mode === 'create') throw tableExists(table);
  refuseOtherLayout(existing.metadata, options);
  const checked = { ...options, uniqueKey: uniqueKeyOf(options) };
  if (mode === 'overwrite') {
    const schemaFor = schemaForReplacing(options);
    return overwriteRows({ catalog, table }, input, { ...checked, schemaFor });
  }
  return appendToTable({ catalog, table }, input, 'main', checked);
}

const uniqueKeyOf =
  ({ key = [], allowDuplicateKeys }: ImportOptions) =>
  (schema: Schema): readonly string[] | undefined => {
    const identifiers = schema.fields.filter(({ id }) => schema.identifierFieldIds.includes(id));
    const names = key.length > 0 ? key : identifiers.map(({ name }) => name);
    return names.length === 0 || allowDuplicateKeys === true ? undefined : names;
  };

function inputOf({ files, stream, streamName: name, reading }: ImportOptions): WriteInput {
  if (stream !== undefined) return { kind: 'stream', stream, name, options: reading };
  if (files.length > 0) return { kind: 'files', paths: files, options: reading };
  throw new LakeError('invalid_argument', 'there is no file to import');
}

/** The table; null if there is none. Throws what loading it throws. */
export async function existingTable({
  catalog,
  table,
}: Pick<ImportOptions, 'catalog' | 'table'>): Promise<TableHandle | null> {
  return loadTable({ catalog, table }).catch((error: unknown) => {
    const code = error instanceof LakeError ? error.reason : '';
    const isNew = code === 'catalog_unreachable' && isLocal(catalog);
    if (code === 'table_not_found' || isNew) return null;
    throw error;
  });
}

/** Throws invalid_argument for partitions and a format version that the table does not have. */
function refuseOtherLayout(
  { schema, defaultSpec, formatVersion: version }: TableMetadata,
  { table, partitionBy, formatVersion }: ImportOptions,
): void {
  const parts = partitionText(defaultSpec, schema);
  const other = partitionBy && partitionText(parsePartitionBy(partitionBy, schema), schema);
  const has =
    (formatVersion ?? version) !== version
      ? `format version ${version}`
      : (other ?? parts) !== parts && (parts === '' ? 'no partitions' : `partitions by ${parts}`);
  if (!has) return;
  const message = `table "${table}" has ${has}, which an import does not change`;
  throw new LakeError('invalid_argument', message, { details: { option: 'layout' } });
}

const partitionText = (spec: PartitionSpec, schema: Schema): string =>
  spec.fields
    .filter(({ transform }) => transform.kind !== 'void')
    .map(({ sourceIds: [id], transform }) => {
      const name = schema.fields.find((field) => field.id === id)?.name ?? id;
      return transform.kind === 'identity' ? name : `${transformText(transform)}(${name})`;
    })
    .join(',');

/** A catalog whose folder or database file is not there yet is made by its first table. */
const isLocal = (catalog: CatalogConfig) =>
  catalog.type === 'filesystem' || (catalog.type === 'sql' && catalog.uri.startsWith('sqlite:'));

async function createFromFiles(options: ImportOptions): Promise<WriteResult> {
  const { catalog, table, partitionBy = '', formatVersion = 2 } = options;
  const folder = await newTableFolder(catalog, table);
  const isPartitioned = partitionBy.trim() !== '';
  const place = { folder, formatVersion, isPartitioned };
  return withOpenInput(inputOf(options), place, options, async (open) => {
    const { schema: inferred, rows, notes } = await schemaOf(open, options);
    noteColumns(open, notes, inferred, options);
    const spec = parsePartitionBy(partitionBy, inferred);
    const staged = await stageTable(catalog, table, { schema: inferred, spec, formatVersion });
    const { files } = staged;
    const { schema, defaultSpec } = staged.metadata;
    const added = await open.write({ schema, spec: defaultSpec, files }, rows);
    const unique = uniqueKeyOf(options)(schema);
    if (unique !== undefined) await open.refuseRepeated(added, unique);
    return open.publish(added, files.store, async () => {
      const snapshot = await commitFirst(options, staged, added);
      const inserted = added.reduce((n, file) => n + file.recordCount, 0);
      return { snapshot, inserted, updated: 0, deleted: 0, schema };
    });
  });
}

function noteColumns(
  { columns }: OpenInput,
  notes: readonly TextNote[],
  schema: Schema,
  { onNote }: Pick<ImportOptions, 'onNote'>,
): void {
  const stays = (note: TextNote) => {
    const kind = note.note === 'nearly_typed' && note.isWhole === true ? 'long' : 'string';
    return schema.fields.some(({ name, type }) => name === note.column && type.kind === kind);
  };
  for (const note of notes.filter(stays)) onNote?.(note);
  const wide = columns.filter(({ isWide }) => isWide).map(({ name }) => name);
  if (wide.length > 0) onNote?.({ note: 'wide_objects', columns: wide });
}

async function schemaOf(
  { session, staged, columns }: OpenInput,
  { key = [], formatVersion = 2 }: ImportOptions,
) {
  if (columns.length === 0) {
    const message = `${staged.files[0].shown} has no keys or no rows, and so no columns`;
    throw new LakeError('invalid_argument', message, { file: staged.files[0].path });
  }
  const { types, rows, notes } = await tableTypes(session, staged, columns);
  const named = columns.map(({ name }, i) => ({ name, type: types[i] }));
  return { schema: inferSchema(named, key, formatVersion), rows, notes };
}

const schemaForReplacing =
  (options: ImportOptions) =>
  async (open: OpenInput, before: TableMetadata): Promise<Schema> => {
    const { session, staged, columns } = open;
    const { types, notes } = await tableTypes(session, staged, columns);
    const isFound = ({ name }: InputColumn) =>
      staged.format !== 'parquet' && !staged.types.has(name);
    const texts = columns.filter((c, i) => isFound(c) && MAY_BE_EMPTY.has(types[i].kind));
    const empty = await emptyColumns(open, texts);
    const named = columns.map((column, i) => ({
      name: column.name,
      type: types[i],
      isFound: isFound(column),
      isEmpty: empty.includes(column),
    }));
    const schema = replacedSchema(before, named, options.key ?? []);
    noteColumns(open, notes, schema, options);
    return schema;
  };

/** The types that `tableTypes` returns for a column without values. */
const MAY_BE_EMPTY: ReadonlySet<string> = new Set(['string', 'variant']);

/** Those of the columns that have no value. */
async function emptyColumns(
  { session, staged }: OpenInput,
  columns: readonly InputColumn[],
): Promise<readonly InputColumn[]> {
  if (columns.length === 0) return [];
  const counts = columns.map(({ key }) => `count(${quoteName(key)})`).join(', ');
  const read = columns.map(({ key, source }) => [key, readType(source)] as const);
  const [values] = await session.rows(`SELECT ${counts} FROM ${staged.typedRelation(read)}`);
  return columns.filter((_, i) => Number(values[i]) === 0);
}

/** Creates the table with its first snapshot in it. Returns the snapshot's id. */
async function commitFirst(
  { catalog, table, summary }: ImportOptions,
  { metadata, files, create }: StagedTable,
  addedData: readonly NewDataFile[],
): Promise<string> {
  const change = {
    operation: 'append' as const,
    addedData,
    addedDeletes: [],
    mayRemove: false,
    removes: () => false,
    summary: summary?.(null),
  };
  const prepared = await snapshotMetadata(metadata, files, change, 'main');
  try {
    await create(prepared.metadata);
  } catch (error) {
    const made = await committed(error, prepared, () => loadTable({ catalog, table }));
    if (made === null) {
      const written = prepared.written.map((path) => ({ real: files.resolve(path) }));
      await discard(error, files.store, written);
      throw error;
    }
  }
  return String(prepared.snapshotId);
}
