import { loadTable } from './catalog/load-table.ts';
import type { LoadOptions, TableHandle } from './catalog/table-handle.ts';
import type { ChangeSource } from './changes/change-source.ts';
import { changesBetween } from './changes/changes.ts';
import { rowChangesBetween } from './changes/row-changes.ts';
import { LookupFiles } from './lookup/lookup-files.ts';
import { lookupKeys } from './lookup/lookup-keys.ts';
import { lookupLocators } from './lookup/lookup-locators.ts';
import type { LookupTable } from './lookup/lookup-table.ts';
import type { FileSet } from './metadata/file-set.ts';
import type { Snapshot, SnapshotRef } from './metadata/snapshot.ts';
import { ancestryOf, schemaById, snapshotOf } from './metadata/table-metadata.ts';
import { fileSet } from './plan/file-set.ts';
import { pruneFiles } from './plan/prune.ts';
import type { Batch, Locator } from './scan/batch.ts';
import { columnsOf } from './scan/columns.ts';
import { DeadRows } from './scan/deletes.ts';
import type { ParquetEngine } from './scan/file-rows.ts';
import { pruneCondition } from './scan/prune-condition.ts';
import { type ReadContext, readContext } from './scan/read-context.ts';
import { scanParts } from './scan/scan.ts';
import { parseCondition } from './scan/where.ts';
import type { Schema, Value } from './schema/type.ts';
import type {
  Change,
  ChangesOptions,
  ReadCost,
  Row,
  RowChange,
  ScanOptions,
  SourceTable,
  TableConfig,
} from './source-table.ts';

/** How a table is opened. */
export interface OpenTableOptions extends LoadOptions {
  /**
   * Who reads Parquet: `auto` (DuckDB where it is exact, else our own reader) or `own`. Default
   * `auto`.
   */
  readonly engine?: ParquetEngine;
}

/**
 * Opens a table at its newest version. Throws table_not_found, metadata_invalid, unsupported,
 * catalog_unreachable, catalog_refused, invalid_argument.
 */
export async function openTable(
  config: TableConfig,
  options: OpenTableOptions = {},
): Promise<SourceTable> {
  return new IcebergTable(await loadTable(config, options), options.engine ?? 'auto');
}

/** A table that is loaded already (by the writer, after a commit) as a SourceTable. */
export function tableOf(handle: TableHandle, engine: ParquetEngine = 'auto'): SourceTable {
  return new IcebergTable(handle, engine);
}

/** File sets kept by a table object. */
const KEPT_FILE_SETS = 4;

class IcebergTable implements SourceTable {
  readonly #handle: TableHandle;
  readonly #engine: ParquetEngine;
  readonly #context: ReadContext;
  readonly #dead: DeadRows;
  readonly #lookupTable: LookupTable;
  readonly #fileSets = new Map<bigint | null, Promise<FileSet>>();

  constructor(handle: TableHandle, engine: ParquetEngine) {
    this.#handle = handle;
    this.#engine = engine;
    this.#context = readContext(handle, engine);
    this.#dead = new DeadRows(this.#context);
    const files = new LookupFiles();
    this.#lookupTable = { context: this.#context, dead: this.#dead, files };
  }

  get name(): string {
    return this.#handle.name;
  }
  get uuid(): string {
    return this.#handle.metadata.uuid;
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
    return this.#handle.metadata.schema;
  }
  get schemas(): readonly Schema[] {
    return this.#handle.metadata.schemas;
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
    return schemaById(this.#handle.metadata, this.snapshot(snapshotId).schemaId);
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
    const schema = options.schema ?? this.schema;
    const fields = columnsOf(schema, options.columns, this.formatVersion);
    const condition =
      options.where === undefined ? undefined : await parseCondition(options.where, schema.fields);
    const set = await this.files(options.snapshotId ?? this.currentSnapshotId);
    const named = set.files.filter((scan) => options.files?.has(scan.data.path) ?? true);
    const prunable = condition && pruneCondition(condition, this.schema.fields);
    const wanted = prunable ? pruneFiles(named, prunable, this.#handle.metadata) : named;
    yield* scanParts(this.#context, this.#dead, {
      parts: wanted.map((scan) => ({ scan, only: null })),
      fields,
      condition,
      batchRows: options.batchRows,
      signal: options.signal,
    });
  }

  async *changes(options: ChangesOptions): AsyncGenerator<Change> {
    yield* changesBetween(this.#changeSource(), options);
  }

  async *rowChanges(options: ChangesOptions): AsyncGenerator<RowChange> {
    yield* rowChangesBetween(this.#changeSource(), options);
  }

  async lookup(
    locators: readonly Locator[],
    columns: readonly string[],
    options: { snapshotId?: bigint; cost?: ReadCost } = {},
  ): Promise<readonly (Row | null)[]> {
    const fields = columnsOf(this.schema, columns, this.formatVersion);
    const set = await this.files(options.snapshotId ?? this.currentSnapshotId);
    return lookupLocators(this.#lookupTable, set, locators, fields, options.cost);
  }

  async lookupKeys(
    key: readonly string[],
    keys: readonly (readonly Value[])[],
    columns: readonly string[],
    options: { snapshotId?: bigint; cost?: ReadCost } = {},
  ): Promise<readonly ({ readonly row: Row; readonly locator: Locator } | null)[]> {
    const keyFields = columnsOf(this.schema, key, this.formatVersion);
    const fields = columnsOf(this.schema, columns, this.formatVersion);
    const set = await this.files(options.snapshotId ?? this.currentSnapshotId);
    return lookupKeys(this.#lookupTable, set, keyFields, keys, fields, options.cost);
  }

  async refresh(): Promise<SourceTable> {
    const handle = await this.#handle.refresh();
    return handle === this.#handle ? this : new IcebergTable(handle, this.#engine);
  }

  async close(): Promise<void> {
    this.#fileSets.clear();
    await this.#lookupTable.files.close();
  }

  #changeSource(): ChangeSource {
    return {
      metadata: this.#handle.metadata,
      context: this.#context,
      dead: this.#dead,
      files: (id) => this.files(id),
    };
  }
}
