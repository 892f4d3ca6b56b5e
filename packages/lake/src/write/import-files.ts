import { randomUUID } from 'node:crypto';
import { rmdir } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { LakeError } from '../base/errors.ts';
import { formatJson } from '../base/json.ts';
import { makeFolder } from '../base/new-files.ts';
import { createTableFiles, type TableFiles } from '../base/table-files.ts';
import { createInCatalog, newTableLocation } from '../catalog/create-table.ts';
import { loadTable } from '../catalog/load-table.ts';
import { tableExists } from '../catalog/table-name.ts';
import { metadataOf } from '../metadata/read-metadata.ts';
import type { PartitionSpec } from '../schema/partition-spec.ts';
import type { Schema } from '../schema/type.ts';
import type { CatalogConfig } from '../source-table.ts';
import type { NewDataFile } from './data-files.ts';
import { inferSchema } from './infer-schema.ts';
import type { WriteInput } from './input.ts';
import { tableTypes } from './input-columns.ts';
import { newTableMetadata } from './next-metadata.ts';
import { parsePartitionBy } from './partitions.ts';
import type { ReadingOptions } from './reading-options.ts';
import { removeFiles } from './remove-files.ts';
import { snapshotMetadata } from './snapshot-commit.ts';
import { type OpenInput, withOpenInput } from './staged-write.ts';
import { appendToTable, overwriteRows, type WriteResult } from './table-writer.ts';
import type { WriteWatch } from './write-progress.ts';

/** How files become a table. */
export interface ImportOptions extends WriteWatch {
  readonly catalog: CatalogConfig;
  readonly table: string;
  readonly files: readonly string[];
  /** In place of files: bytes as they come, copied to disk beside the table's data. */
  readonly stream?: Readable;
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
 * rows in one commit. `mode` applies if the table exists. An import that fails leaves no table and
 * no file; one that is killed leaves a work folder, which the next one deletes. Throws
 * table_exists, column_not_found, invalid_argument, input_not_found, limit_exceeded.
 */
export async function importIntoTable(options: ImportOptions): Promise<WriteResult> {
  const { catalog, table, mode = 'create' } = options;
  const input = inputOf(options);
  if (!(await exists(options))) return createFromFiles(options);
  if (mode === 'create') throw tableExists(table);
  if (Object.keys(options.reading?.types ?? {}).length > 0) {
    const message = `table "${table}" has types already; types are named when it is created`;
    throw new LakeError('invalid_argument', message);
  }
  const checked = { ...options, uniqueKey: uniqueKeyOf(options) };
  if (mode === 'overwrite') return overwriteRows({ catalog, table }, input, checked);
  return appendToTable({ catalog, table }, input, 'main', checked);
}

const uniqueKeyOf =
  ({ key = [], allowDuplicateKeys }: ImportOptions) =>
  (schema: Schema): readonly string[] | undefined => {
    const identifiers = schema.fields.filter(({ id }) => schema.identifierFieldIds.includes(id));
    const names = key.length > 0 ? key : identifiers.map(({ name }) => name);
    return names.length === 0 || allowDuplicateKeys === true ? undefined : names;
  };

function inputOf({ files, stream, reading: options }: ImportOptions): WriteInput {
  if (stream !== undefined) return { kind: 'stream', stream, options };
  if (files.length > 0) return { kind: 'files', paths: files, options };
  throw new LakeError('invalid_argument', 'there is no file to import');
}

async function exists({ catalog, table }: ImportOptions): Promise<boolean> {
  if (catalog.type === 'rest') await newTableLocation(catalog, table);
  return loadTable({ catalog, table }).then(
    () => true,
    (error: unknown) => {
      const code = error instanceof LakeError ? error.code : '';
      const isNew = code === 'catalog_unreachable' && isLocal(catalog);
      if (code === 'table_not_found' || isNew) return false;
      throw error;
    },
  );
}

/** A catalog whose folder or database file is not there yet is made by its first table. */
const isLocal = (catalog: CatalogConfig) =>
  catalog.type === 'filesystem' || (catalog.type === 'sql' && catalog.uri.startsWith('sqlite:'));

async function createFromFiles(options: ImportOptions): Promise<WriteResult> {
  const { catalog, table, partitionBy = '', formatVersion = 2 } = options;
  const input = inputOf(options);
  const location = await newTableLocation(catalog, table);
  const files = createTableFiles({ location, root: location, allowedRoots: [] });
  const isPartitioned = partitionBy.trim() !== '';
  return withOpenInput(input, { files, formatVersion, isPartitioned }, options, async (open) => {
    const { schema, rows, nearly } = await schemaOf(open, options);
    for (const one of nearly) options.onNote?.({ note: 'nearly_typed', ...one });
    const spec = parsePartitionBy(partitionBy, schema);
    const added = await open.write({ schema, spec, files }, rows);
    const unique = uniqueKeyOf(options)(schema);
    if (unique !== undefined) await open.refuseRepeated(added, unique);
    return open.publish(added, async () => {
      const snapshotId = await commitFirst(
        catalog,
        table,
        files,
        { schema, spec, formatVersion },
        added,
      );
      const inserted = added.reduce((n, file) => n + file.recordCount, 0);
      return { snapshotId, inserted, updated: 0, deleted: 0, schema };
    });
  });
}

async function schemaOf(
  { session, staged, columns }: OpenInput,
  { key = [], formatVersion = 2 }: ImportOptions,
) {
  const { types, rows, nearly } = await tableTypes(session, staged, columns);
  const named = columns.map(({ name }, i) => ({ name, type: types[i] }));
  return { schema: inferSchema(named, key, formatVersion), rows, nearly };
}

/** Creates the table with its first snapshot in it. Returns the snapshot's id. */
async function commitFirst(
  catalog: CatalogConfig,
  table: string,
  files: TableFiles,
  definition: {
    readonly schema: Schema;
    readonly spec: PartitionSpec;
    readonly formatVersion: 2 | 3;
  },
  addedData: readonly NewDataFile[],
): Promise<bigint> {
  const first = newTableMetadata(files.location, definition);
  const folder = files.resolve(files.record('metadata'));
  await makeFolder(folder);
  const change = {
    operation: 'append' as const,
    addedData,
    addedDeletes: [],
    mayRemove: false,
    removes: () => false,
  };
  const metadata = metadataOf(first, `${folder}/${randomUUID()}`);
  const prepared = await snapshotMetadata(metadata, files, change, 'main');
  try {
    await createInCatalog(catalog, table, formatJson(prepared.metadata));
    return prepared.snapshotId;
  } catch (error) {
    await removeFiles(prepared.written.map((path) => files.resolve(path)));
    await rmdir(folder).catch(() => undefined);
    throw error;
  }
}
