import { loadTable } from './catalog/load-table.ts';
import type { LoadOptions, TableHandle } from './catalog/table-handle.ts';
import type { FileScan, FileSet } from './metadata/file-set.ts';
import type { Snapshot, SnapshotRef } from './metadata/snapshot.ts';
import { ancestryOf, schemaById, snapshotOf } from './metadata/table-metadata.ts';
import { fileSet } from './plan/file-set.ts';
import { keepManifests } from './plan/manifest-cache.ts';
import type { Batch, Locator } from './scan/batch.ts';
import type { ParquetEngine } from './scan/file-rows.ts';
import { ROW_ID, ROW_KEY, withField } from './schema/row-fields.ts';
import type { Schema, Value } from './schema/type.ts';
import type {
  ChangesOptions,
  FilePart,
  ReadCost,
  ReadOptions,
  ReadRestrictions,
  Row,
  RowChange,
  RowSpan,
  ScanOptions,
  SourceTable,
  TableConfig,
  TableLayout,
} from './source-table.ts';
import type { TableRows } from './table-rows.ts';

/** How a table is opened. */
export interface OpenTableOptions extends LoadOptions {
  /**
   * The reader of Parquet: `auto` (DuckDB if it is exact, else our own reader) or `own`. Default
   * `auto`.
   */
  readonly engine?: ParquetEngine;
  /**
   * Whether schemas have one more column, which tells rows apart: `_row_id` in format 3, else
   * `_row`. Default false.
   */
  readonly rowKeys?: boolean;
}

/**
 * Opens a table at its newest version. Throws table_not_found, metadata_invalid, unsupported,
 * catalog_unreachable, catalog_refused, invalid_argument.
 */
export async function openTable(
  config: TableConfig,
  options: OpenTableOptions = {},
): Promise<SourceTable & AsyncDisposable> {
  const { engine = 'auto', rowKeys = false } = options;
  return new IcebergTable(await loadTable(config, options), engine, rowKeys);
}

/** A table that is loaded already (by the writer, after a commit) as a SourceTable. */
export function tableOf(handle: TableHandle): SourceTable {
  return new IcebergTable(handle, 'auto', false);
}

/** File sets that a table object caches. */
const KEPT_FILE_SETS = 4;

class IcebergTable implements SourceTable {
  readonly #handle: TableHandle;
  readonly #engine: ParquetEngine;
  readonly #rowKeys: boolean;
  /** Schemas with the column of row keys. */
  readonly #schemas = new Map<Schema, Schema>();
  #reader: Promise<TableRows> | undefined;
  readonly #fileSets = new Map<bigint | null, Promise<FileSet>>();

  /** `former`: the same table at an older version; its open files are reused. */
  constructor(
    handle: TableHandle,
    engine: ParquetEngine,
    rowKeys: boolean,
    former?: Promise<TableRows>,
  ) {
    this.#handle = handle;
    this.#engine = engine;
    this.#rowKeys = rowKeys;
    if (former !== undefined) this.#reader = this.#readerAfter(former);
  }

  get name(): string {
    return this.#handle.name;
  }
  get uuid(): string {
    return this.#handle.metadata.uuid;
  }
  get restrictions(): ReadRestrictions | undefined {
    return this.#handle.restrictions;
  }
  get formatVersion(): 1 | 2 | 3 {
    return this.#handle.metadata.formatVersion;
  }
  get location(): string {
    return this.#handle.metadata.location;
  }
  get metadataFile(): string {
    return this.#handle.metadata.file;
  }
  get properties(): Readonly<Record<string, string>> {
    return this.#handle.metadata.properties;
  }
  get schema(): Schema {
    return this.#shown(this.#handle.metadata.schema);
  }
  get schemas(): readonly Schema[] {
    return this.#handle.metadata.schemas.map((schema) => this.#shown(schema));
  }
  get snapshots(): readonly Snapshot[] {
    return this.#handle.metadata.snapshots;
  }
  get refs(): readonly SnapshotRef[] {
    return this.#handle.metadata.refs;
  }
  get currentSnapshotId(): bigint | null {
    return this.#handle.metadata.currentSnapshotId;
  }

  snapshot(id: bigint): Snapshot {
    return snapshotOf(this.#handle.metadata, id);
  }

  schemaOf(snapshotId: bigint): Schema {
    return this.#shown(schemaById(this.#handle.metadata, this.snapshot(snapshotId).schemaId));
  }

  #shown(schema: Schema): Schema {
    if (!this.#rowKeys) return schema;
    const known = this.#schemas.get(schema);
    if (known !== undefined) return known;
    const shown = withField(schema, this.formatVersion === 3 ? ROW_ID : ROW_KEY);
    this.#schemas.set(schema, shown);
    return shown;
  }

  ancestry(id: bigint): readonly Snapshot[] {
    return ancestryOf(this.#handle.metadata, id);
  }

  files(snapshotId: bigint | null): Promise<FileSet> {
    const known = this.#fileSets.get(snapshotId);
    if (known !== undefined) return known;
    const made = fileSet(this.#handle, snapshotId);
    made.catch(() => this.#fileSets.delete(snapshotId));
    this.#fileSets.set(snapshotId, made);
    if (this.#fileSets.size > KEPT_FILE_SETS) {
      this.#fileSets.delete(this.#fileSets.keys().next().value as bigint | null);
    }
    return made;
  }

  async *scan(options: ScanOptions = {}): AsyncGenerator<Batch> {
    yield* (await this.#rows()).scan(options);
  }

  async *read(parts: readonly FilePart[], options: ReadOptions): AsyncGenerator<Batch> {
    yield* (await this.#rows()).read(parts, options);
  }

  async rowGroups(scan: FileScan): Promise<readonly RowSpan[]> {
    return (await this.#rows()).rowGroups(scan);
  }

  async deadPositions(scan: FileScan): Promise<Int32Array> {
    return (await this.#rows()).deadPositions(scan);
  }

  async *rowChanges(options: ChangesOptions): AsyncGenerator<RowChange> {
    yield* (await this.#rows()).rowChanges(options);
  }

  async lookup(
    locators: readonly Locator[],
    columns: readonly string[],
    options: { snapshotId?: bigint; cost?: ReadCost } = {},
  ): Promise<readonly (Row | null)[]> {
    return (await this.#rows()).lookup(locators, columns, options);
  }

  async lookupKeys(
    key: readonly string[],
    keys: readonly (readonly Value[])[],
    columns: readonly string[],
    options: { snapshotId?: bigint; cost?: ReadCost } = {},
  ): Promise<readonly ({ readonly row: Row; readonly locator: Locator } | null)[]> {
    return (await this.#rows()).lookupKeys(key, keys, columns, options);
  }

  async layout(snapshotId: bigint | null, mostFiles: number): Promise<TableLayout> {
    return (await this.#rows()).layout(snapshotId, mostFiles);
  }

  async refresh(): Promise<SourceTable> {
    const handle = await this.#handle.refresh();
    if (handle === this.#handle) return this;
    keepManifests(this.#handle.metadata, handle.metadata);
    return new IcebergTable(handle, this.#engine, this.#rowKeys, this.#reader);
  }

  async close(): Promise<void> {
    this.#fileSets.clear();
    await (await this.#reader)?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #rows(): Promise<TableRows> {
    this.#reader ??= this.#readerAfter(undefined);
    return this.#reader;
  }

  async #readerAfter(former: Promise<TableRows> | undefined): Promise<TableRows> {
    const { TableRows } = await import('./table-rows.ts');
    const files = (id: bigint | null) => this.files(id);
    return new TableRows(this.#handle, this.#engine, files, (await former)?.lookupFiles);
  }
}
