import { LakeError } from '../base/errors.ts';
import type { FileStore } from '../base/files/file-store.ts';
import { loadTable } from '../catalog/load-table.ts';
import type { TableHandle } from '../catalog/table-handle.ts';
import type { TableMetadata } from '../metadata/table-metadata.ts';
import { isUnpartitioned } from '../schema/partition-spec.ts';
import type { Schema } from '../schema/type.ts';
import type { TableConfig } from '../source-table.ts';
import { discard } from './commit/commit.ts';
import {
  type NewDataFile,
  publishFiles,
  type StagedDataFile,
  type WriteTarget,
  writeDataFiles,
} from './files/data-files.ts';
import { writePlainFiles } from './files/plain-files.ts';
import { refuseOtherCount } from './input/csv-records.ts';
import { type StagedInput, stageInput, type WriteInput } from './input/input.ts';
import { type InputColumn, inputColumns } from './input/input-columns.ts';
import { checkedFiles } from './input/input-files.ts';
import { locatedFault } from './input/located-fault.ts';
import { jsonTextPaths, kindFor, type ReadingOptions } from './input/reading-options.ts';
import { noteSkipped } from './input/skipped-lines.ts';
import { type InputKeys, keyReader, plainKeys, refuseRepeatedKeys } from './rows/key-rows.ts';
import { type PlainRows, plainRows } from './rows/plain-rows.ts';
import { rowSlices } from './rows/row-slices.ts';
import { formMacros } from './types/text-forms.ts';
import { typedSelect } from './types/typed-select.ts';
import type { WriteWatch } from './write-progress.ts';
import { WriterSession, workFolderOf } from './writer-session.ts';

/** An input whose data files are in place, though no snapshot names them yet. */
export interface WrittenInput {
  readonly table: TableHandle;
  /** The schema under which they are written. */
  readonly schema: Schema;
  readonly added: readonly NewDataFile[];
  /** The keys of its rows; null if not requested. */
  readonly keys: InputKeys | null;
}

/** Options of a write of rows. */
export interface RowWriteOptions {
  /** The key columns whose values `commit` needs. Throws as `keyReader`. */
  readonly keyOf?: (schema: Schema) => readonly string[] | undefined;
  readonly watch?: WriteWatch;
  /** The schema of the rows, if it is not that of the table. Files and streams only. */
  readonly schemaFor?: (open: OpenInput, before: TableMetadata) => Promise<Schema>;
}

/**
 * Writes the input's data files, lets `commit` use them, and removes them again when it fails. Few
 * plain rows are written in this process, all else by DuckDB.
 */
export async function withDataFiles<T>(
  config: TableConfig,
  input: WriteInput,
  options: RowWriteOptions,
  commit: (written: WrittenInput) => Promise<T>,
): Promise<T> {
  if (input.kind !== 'rows' && options.schemaFor === undefined) {
    refuseTypes(input.options ?? {});
  }
  if (input.kind === 'files') await checkedFiles(input.paths, kindFor(input.options ?? {}));
  const table = await loadTable(config);
  const { defaultSpec: spec } = table.metadata;
  const rows = plainRows(input, table.metadata.schema);
  if (rows !== null) {
    return withPlainFiles(table, rows, options.keyOf?.(table.metadata.schema), commit);
  }
  const { files } = table;
  const { formatVersion } = table.metadata;
  const isPartitioned = !isUnpartitioned(spec);
  return withOpenInput(
    input,
    { folder: await workFolderOf(files), formatVersion, isPartitioned },
    options.watch,
    async (open) => {
      const schema = (await options.schemaFor?.(open, table.metadata)) ?? table.metadata.schema;
      const names = options.keyOf?.(schema);
      const staged = await open.write({ schema, spec, files }, 0);
      const keys = names === undefined ? null : await open.keys(schema, staged, names);
      return open.publish(staged, files.store, () =>
        commit({ table, schema, added: staged, keys }),
      );
    },
  );
}

async function withPlainFiles<T>(
  table: TableHandle,
  rows: PlainRows,
  names: readonly string[] | undefined,
  commit: (written: WrittenInput) => Promise<T>,
): Promise<T> {
  const { schema, defaultSpec } = table.metadata;
  const keys = names === undefined ? null : plainKeys(rows, schema, names);
  const added = await writePlainFiles(rows, schema, defaultSpec, table.files);
  try {
    return await commit({ table, schema, added, keys });
  } catch (error) {
    await discard(error, table.files.store, added);
    throw error;
  }
}

/** An input that a session has opened, with the steps of a write. */
export interface OpenInput {
  readonly session: WriterSession;
  readonly staged: StagedInput;
  readonly columns: readonly InputColumn[];
  /** Writes the rows under a schema. `rows`: how many there are, 0 if that is not known. */
  write(target: WriteTarget, rows: number): Promise<readonly StagedDataFile[]>;
  /** The keys of written rows. Throws as `keyReader`. */
  keys(
    schema: Schema,
    files: readonly StagedDataFile[],
    names: readonly string[],
  ): Promise<InputKeys>;
  /** Throws duplicate_key if written rows have a key more than once. */
  refuseRepeated(files: readonly StagedDataFile[], names: readonly string[]): Promise<void>;
  /** Moves the files to their places for `commit`; removes them if that fails. */
  publish<T>(
    files: readonly StagedDataFile[],
    store: FileStore,
    commit: () => Promise<T>,
  ): Promise<T>;
}

/** Throws invalid_argument for types that the table decides on. */
function refuseTypes(reading: ReadingOptions): void {
  if (Object.keys(reading.types ?? {}).length === jsonTextPaths(reading).length) return;
  const message = 'the table has types already; types are named when it is created';
  throw new LakeError('invalid_argument', `${message} or replaced (json and variant always)`);
}

/**
 * Opens an input for a write, which works in `folder`; whatever happens, nothing is left. What
 * does not fit into memory with several threads is tried again with one.
 */
export async function withOpenInput<T>(
  input: WriteInput,
  place: {
    readonly folder: string;
    readonly formatVersion: number;
    readonly isPartitioned: boolean;
  },
  watch: WriteWatch | undefined,
  work: (open: OpenInput) => Promise<T>,
): Promise<T> {
  const { folder, formatVersion } = place;
  const staged = await stageInput(input, folder, formatVersion, watch);
  watch?.onRead?.(staged.reading);
  const once = async (threads?: number): Promise<T> => {
    const inputs = staged.files.map(({ path }) => path);
    const session = await WriterSession.open({ inputs, folder, threads, watch });
    try {
      return await work(await openInput(session, staged, watch));
    } finally {
      session.close();
    }
  };
  try {
    // Rows keep their order inside a partition only where one thread distributes them.
    if (place.isPartitioned) return await once(1);
    return await once().catch((error: unknown) => {
      if (error instanceof LakeError && error.reason === 'out_of_memory') return once(1);
      throw error;
    });
  } catch (error) {
    throw namedFiles(error, staged);
  } finally {
    staged.dispose();
  }
}

/** The error with the names of files in place of those to which they were copied. */
function namedFiles(error: unknown, { files }: StagedInput): unknown {
  if (!(error instanceof LakeError)) return error;
  const message = files.reduce(
    (text, { path, shown }) => text.replaceAll(`"${path}"`, shown),
    error.message,
  );
  if (message === error.message) return error;
  return new LakeError(error.reason, message, {
    cause: error.cause,
    details: { ...error.details },
  });
}

/** Both results, after both have ended: a failure of the first is the one that is reported. */
async function bothOf<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  const [a, b] = await Promise.allSettled([first, second]);
  if (a.status === 'rejected') throw a.reason;
  if (b.status === 'rejected') throw b.reason;
  return [a.value, b.value];
}

function enterKeys(session: WriterSession, files: readonly StagedDataFile[]): void {
  const rows = files.reduce((n, file) => n + file.recordCount, 0);
  session.enter({ phase: 'keys', rows, from: 0, to: 1 });
}

async function openInput(
  session: WriterSession,
  staged: StagedInput,
  watch: WriteWatch | undefined,
): Promise<OpenInput> {
  session.enter({ phase: 'reading', rows: 0, from: 0, to: 0.5 });
  await session.run(formMacros(staged.options));
  const columns = await inputColumns(session, staged, watch?.signal);
  return {
    session,
    staged,
    columns,
    write: async (target, rows) => {
      const selected = await typedSelect(session, staged, target.schema, columns);
      const slices = await rowSlices(session, staged, selected, rows);
      const [files, counted] = await bothOf(
        writeDataFiles(session, slices, target).catch(async (error: unknown) => {
          throw await locatedFault(error, session, staged, columns);
        }),
        staged.countRecords(watch?.signal),
      );
      const read = files.reduce((n, file) => n + file.recordCount, 0);
      if (counted === null) return files;
      if (staged.options.skipBadLines !== true) refuseOtherCount(counted, read);
      else await noteSkipped(session, staged, counted - read, watch);
      return files;
    },
    keys: (schema, files, names) => {
      enterKeys(session, files);
      return keyReader(session, schema, files, names);
    },
    refuseRepeated: (files, names) => {
      enterKeys(session, files);
      return refuseRepeatedKeys(session, files, names);
    },
    publish: async (files, store, commit) => {
      await publishFiles(session, files, store);
      try {
        return await commit();
      } catch (error) {
        await discard(error, store, files);
        throw error;
      }
    },
  };
}
