import type { TableHandle } from './catalog/table-handle.ts';
import type { ChangeSource } from './changes/change-source.ts';
import { rowChangesBetween } from './changes/row-changes.ts';
import { layoutOf } from './lookup/file-layout.ts';
import { LookupFiles, type LookupTable } from './lookup/lookup-files.ts';
import { lookupKeys } from './lookup/lookup-keys.ts';
import { lookupLocators } from './lookup/lookup-locators.ts';
import type { FileScan, FileSet } from './metadata/file-set.ts';
import { pruneFiles } from './plan/prune.ts';
import { PositionSet } from './puffin/position-set.ts';
import { isMasked } from './restrictions/read-restrictions.ts';
import type { Batch, Locator } from './scan/batch.ts';
import { columnsOf, requireReadable } from './scan/columns.ts';
import { DeadRows } from './scan/deletes.ts';
import type { ParquetEngine } from './scan/file-rows.ts';
import { pruneCondition } from './scan/prune-condition.ts';
import { type ReadContext, readContext } from './scan/read-context.ts';
import { rowGroupsOf } from './scan/row-groups.ts';
import { scanParts } from './scan/scan.ts';
import { parseCondition } from './scan/where.ts';
import type { Field, Schema, Value } from './schema/type.ts';
import type {
  ChangesOptions,
  FilePart,
  ReadCost,
  ReadOptions,
  Row,
  RowChange,
  RowSpan,
  ScanOptions,
  TableLayout,
} from './source-table.ts';

/**
 * Reads the rows of a table at one version: scans, changes, look-ups. A table loads this module at
 * the first read of rows: listing snapshots then loads 80 modules fewer. The methods are those of
 * SourceTable.
 */
export class TableRows {
  readonly #handle: TableHandle;
  readonly #context: ReadContext;
  readonly #dead: DeadRows;
  readonly #lookupTable: LookupTable;
  readonly #files: (snapshotId: bigint | null) => Promise<FileSet>;

  constructor(
    handle: TableHandle,
    engine: ParquetEngine,
    files: (snapshotId: bigint | null) => Promise<FileSet>,
    lookupFiles = new LookupFiles({ table: handle.metadata.location }),
  ) {
    this.#handle = handle;
    this.#files = files;
    this.#context = readContext(handle, engine);
    this.#dead = new DeadRows(this.#context);
    this.#lookupTable = { context: this.#context, dead: this.#dead, files: lookupFiles };
  }

  /** The data files that look-ups have open, for the table's next version: they never change. */
  get lookupFiles(): LookupFiles {
    return this.#lookupTable.files;
  }

  get #schema(): Schema {
    return this.#handle.metadata.schema;
  }
  get #version(): 1 | 2 | 3 {
    return this.#handle.metadata.formatVersion;
  }
  get #current(): bigint | null {
    return this.#handle.metadata.currentSnapshotId;
  }

  /** Columns whose bounds and partition values are those of the rows that a scan returns. */
  get #unmaskedFields(): readonly Field[] {
    const { actions } = this.#handle.restrictions ?? {};
    const { fields } = this.#schema;
    return actions === undefined ? fields : fields.filter((field) => !isMasked(field, actions));
  }

  async *scan(options: ScanOptions = {}): AsyncGenerator<Batch> {
    const schema = options.schema ?? this.#schema;
    const fields = columnsOf(schema, options.columns, this.#version);
    const condition =
      options.where === undefined ? undefined : await parseCondition(options.where, schema.fields);
    const set = await this.#files(options.snapshotId ?? this.#current);
    const named = set.files.filter((scan) => options.files?.has(scan.data.path) ?? true);
    condition?.fields.forEach(requireReadable);
    const prunable = condition && pruneCondition(condition, this.#unmaskedFields);
    const wanted = prunable ? pruneFiles(named, prunable, this.#handle.metadata) : named;
    yield* scanParts(this.#context, this.#dead, {
      parts: wanted.map((scan) => ({ scan, only: null })),
      fields,
      condition,
      batchRows: options.batchRows,
      signal: options.signal,
    });
  }

  async *read(parts: readonly FilePart[], options: ReadOptions): AsyncGenerator<Batch> {
    const { columns, schema = this.#schema, signal } = options;
    yield* scanParts(this.#context, this.#dead, {
      parts: parts.map((part) => ({ ...part, only: part.only && new PositionSet(part.only) })),
      fields: columnsOf(schema, columns, this.#version),
      signal,
    });
  }

  async rowGroups({ data }: FileScan): Promise<readonly RowSpan[]> {
    return rowGroupsOf(this.#context, data);
  }

  async deadPositions(scan: FileScan): Promise<Int32Array> {
    return (await this.#dead.of(scan, null)).positions;
  }

  async *rowChanges(options: ChangesOptions): AsyncGenerator<RowChange> {
    yield* rowChangesBetween(this.#changeSource(), options);
  }

  async lookup(
    locators: readonly Locator[],
    columns: readonly string[],
    options: { snapshotId?: bigint; cost?: ReadCost } = {},
  ): Promise<readonly (Row | null)[]> {
    const fields = columnsOf(this.#schema, columns, this.#version);
    const set = await this.#files(options.snapshotId ?? this.#current);
    return lookupLocators(this.#lookupTable, set, locators, fields, options.cost);
  }

  async lookupKeys(
    key: readonly string[],
    keys: readonly (readonly Value[])[],
    columns: readonly string[],
    options: { snapshotId?: bigint; cost?: ReadCost } = {},
  ): Promise<readonly ({ readonly row: Row; readonly locator: Locator } | null)[]> {
    const keyFields = columnsOf(this.#schema, key, this.#version);
    const fields = columnsOf(this.#schema, columns, this.#version);
    const set = await this.#files(options.snapshotId ?? this.#current);
    return lookupKeys(this.#lookupTable, set, keyFields, keys, fields, options.cost);
  }

  async layout(snapshotId: bigint | null, mostFiles: number): Promise<TableLayout> {
    return layoutOf(this.#lookupTable, await this.#files(snapshotId), mostFiles);
  }

  /** Closes the files that look-ups have open. */
  async close(): Promise<void> {
    await this.#lookupTable.files.close();
  }

  #changeSource(): ChangeSource {
    return {
      metadata: this.#handle.metadata,
      context: this.#context,
      dead: this.#dead,
      files: this.#files,
    };
  }
}
