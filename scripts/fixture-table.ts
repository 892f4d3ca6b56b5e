import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { encodeAvro } from '../packages/lake/src/avro/write-container.ts';
import { localFiles } from '../packages/lake/src/base/files/file-store.ts';
import { loadTable } from '../packages/lake/src/catalog/load-table.ts';
import type { TableHandle } from '../packages/lake/src/catalog/table-handle.ts';
import { quoteName } from '../packages/lake/src/scan/duckdb/quoting.ts';
import type { PartitionSpec } from '../packages/lake/src/schema/partition-spec.ts';
import type { Field, Schema, StructValue, Value } from '../packages/lake/src/schema/type.ts';
import type { CatalogConfig } from '../packages/lake/src/source-table.ts';
import { commitTable } from '../packages/lake/src/write/commit/commit.ts';
import type { NewDeleteFile } from '../packages/lake/src/write/commit/manifest-writer.ts';
import {
  type SnapshotChange,
  snapshotMetadata,
} from '../packages/lake/src/write/commit/snapshot-commit.ts';
import {
  type CopiedFile,
  copyRows,
  type NewDataFile,
} from '../packages/lake/src/write/files/data-files.ts';
import { stageInput } from '../packages/lake/src/write/input/input.ts';
import { inputColumns } from '../packages/lake/src/write/input/input-columns.ts';
import {
  appendToTable,
  deleteFromTable,
  upsertIntoTable,
  writeTable,
} from '../packages/lake/src/write/table-writer.ts';
import { fieldIdsOption, sqlType } from '../packages/lake/src/write/types/sql-type.ts';
import { formMacros } from '../packages/lake/src/write/types/text-forms.ts';
import { typedSelect } from '../packages/lake/src/write/types/typed-select.ts';
import { WriterSession } from '../packages/lake/src/write/writer-session.ts';
import { changeColumns, type SchemaChange } from '../test/support/maintenance/index.ts';

/** A row in the JSON form of docs/command-line.md, by column name. */
export type PlainRow = Readonly<Record<string, unknown>>;
/** The model of a branch: rows by field id, in no order. */
type ById = ReadonlyMap<number, unknown>;

/** How a Parquet file is written beside the defaults: further COPY options, no field ids. */
export interface FileLayout {
  readonly options?: string;
  readonly withoutIds?: boolean;
}

/**
 * A table that is written twice: by our writer, and as plain arrays in memory. `save` copies the
 * files to fixtures/tables with truth.json: what the arrays held at each snapshot. No reader of
 * ours has a part in the truth.
 */
export class FixtureTable {
  readonly name: string;
  readonly config: { readonly catalog: CatalogConfig; readonly table: string };
  #schema!: Schema;
  #key: readonly string[] = [];
  #branches = new Map<string, readonly ById[]>([['main', []]]);
  readonly #snapshots: { id: string; schema: Schema; rows: readonly ById[] }[] = [];

  constructor(warehouse: string, name: string) {
    this.name = name;
    this.config = { catalog: { type: 'filesystem', warehouse }, table: `fix.${name}` };
  }

  async create(
    fields: readonly Field[],
    options: {
      spec?: PartitionSpec;
      formatVersion?: 2 | 3;
      properties?: Record<string, string>;
    } = {},
  ): Promise<void> {
    this.#schema = { schemaId: 0, identifierFieldIds: [fields[0].id], fields };
    this.#key = [fields[0].name];
    await writeTable(this.config.catalog, this.config.table, { schema: this.#schema, ...options });
  }

  async append(rows: readonly PlainRow[], branch = 'main'): Promise<bigint> {
    const { snapshot } = await appendToTable(this.config, { kind: 'rows', rows }, branch);
    return this.#note(branch, snapshot, [...this.#rows(branch), ...this.#byId(rows)]);
  }

  /** `where` for the writer, `gone` for the model: the same condition twice. */
  async delete(where: string, gone: (row: PlainRow) => boolean): Promise<bigint> {
    const { snapshot } = await deleteFromTable(this.config, where);
    return this.#note(
      'main',
      snapshot,
      this.#keep('main', (row) => !gone(row)),
    );
  }

  async upsert(rows: readonly PlainRow[]): Promise<bigint> {
    const { snapshot } = await upsertIntoTable(this.config, { kind: 'rows', rows });
    const [key] = this.#key;
    const keys = new Set(rows.map((row) => row[key]));
    const kept = this.#keep('main', (row) => !keys.has(row[key]));
    return this.#note('main', snapshot, [...kept, ...this.#byId(rows)]);
  }

  async change(change: SchemaChange): Promise<void> {
    await changeColumns(this.config, change);
    this.#schema = (await loadTable(this.config)).metadata.schema;
  }

  /**
   * Makes a branch begin, or main move to, where another snapshot stands (the caller sets the ref).
   */
  pointAt(branch: string, snapshotId: bigint): void {
    const found = this.#snapshots.find((s) => s.id === String(snapshotId));
    this.#branches.set(branch, found?.rows ?? []);
  }

  /** Commits files that were made by hand; `rows` of the model afterwards. */
  async commit(
    change: Partial<SnapshotChange>,
    rows: (before: readonly PlainRow[]) => readonly PlainRow[],
  ): Promise<bigint> {
    const whole: SnapshotChange = {
      operation: 'overwrite',
      addedData: [],
      addedDeletes: [],
      removes: () => false,
      mayRemove: change.removes !== undefined,
      ...change,
    };
    let id: bigint | null = null;
    await commitTable(await this.handle(), async (handle) => {
      const prepared = await snapshotMetadata(handle.metadata, handle.files, whole, 'main');
      id = prepared.snapshotId;
      return prepared;
    });
    return this.#note('main', id, this.#byId(rows(this.plain('main'))));
  }

  handle(): Promise<TableHandle> {
    return loadTable(this.config);
  }

  /** The model's rows of a branch, by the current column names. */
  plain(branch: string): readonly PlainRow[] {
    return this.#rows(branch).map((row) => named(row, this.#schema));
  }

  /** A Parquet data file with a layout of its own. */
  async dataFile(
    rows: readonly PlainRow[],
    layout: FileLayout = {},
    partition: readonly Value[] = [],
  ): Promise<NewDataFile> {
    const file = await this.#file('parquet');
    const ids = layout.withoutIds ? [] : [`FIELD_IDS ${fieldIdsOption(this.#schema)}`];
    const options = [layout.options ?? '', ...ids];
    const { statistics, bytes } = await this.#copy(rows, this.#schema.fields, file.real, options);
    return { ...statistics, ...file, partition, fileSize: bytes };
  }

  /** An Avro data file; values in memory form, by column name. */
  async avroFile(rows: readonly StructValue[]): Promise<NewDataFile> {
    const file = await this.#file('avro');
    const struct = { kind: 'struct', fields: this.#schema.fields } as const;
    const bytes = encodeAvro(struct, rows, { name: 'row' });
    await writeFile(file.real, bytes);
    const none = new Map<number, never>();
    return {
      ...file,
      format: 'avro',
      partition: [],
      fileSize: bytes.length,
      recordCount: rows.length,
      valueCounts: none,
      nullCounts: none,
      lowerBounds: none,
      upperBounds: none,
    };
  }

  /** An equality delete file over some columns. */
  async equalityFile(
    columns: readonly string[],
    rows: readonly PlainRow[],
    place: { specId?: number; partition?: readonly Value[] } = {},
  ): Promise<NewDeleteFile> {
    const file = await this.#file('parquet');
    const fields = columns.map((name) => this.#schema.fields.find((f) => f.name === name)!);
    const schema = { ...this.#schema, fields };
    await this.#copy(rows, fields, file.real, [`FIELD_IDS ${fieldIdsOption(schema)}`]);
    return {
      ...file,
      kind: 'equality',
      equalityIds: fields.map((f) => f.id),
      specId: place.specId ?? 0,
      partition: place.partition ?? [],
      recordCount: rows.length,
      fileSize: (await stat(file.real)).size,
    };
  }

  /** Copies the table to `target`, with the truth of the snapshots that its metadata still has. */
  async save(target: string, edit?: (folder: string) => void): Promise<string> {
    const { metadata, files } = await this.handle();
    const known = new Set(metadata.snapshots.map((s) => String(s.id)));
    const snapshots = this.#snapshots
      .filter((s) => known.has(s.id))
      .map(({ id, schema, rows }) => ({
        id,
        rows: rows.map((row) => named(row, schema)),
        ...(schema === this.#schema ? {} : { rows_current: this.#currentRows(rows) }),
      }));
    rmSync(target, { recursive: true, force: true });
    mkdirSync(dirname(target), { recursive: true });
    cpSync(files.root, target, { recursive: true });
    edit?.(target);
    const truth = { writer: 'lhs', key: this.#key, snapshots };
    writeFileSync(join(target, 'truth.json'), `${JSON.stringify(truth)}\n`);
    return `${this.name}: ${snapshots.length} snapshots`;
  }

  async #file(extension: string): Promise<{ recorded: string; real: string }> {
    const { files } = await this.handle();
    const recorded = files.record(`data/${randomUUID()}.${extension}`);
    const real = files.resolve(recorded);
    await mkdir(dirname(real), { recursive: true });
    return { recorded, real };
  }

  async #copy(
    rows: readonly PlainRow[],
    fields: readonly Field[],
    real: string,
    options: readonly string[],
  ): Promise<CopiedFile> {
    const staged = await stageInput({ kind: 'rows', rows }, dirname(real));
    const inputs = staged.files.map(({ path }) => path);
    const session = await WriterSession.open({ inputs, folder: dirname(real) });
    await session.run(formMacros());
    const schema = { ...this.#schema, fields };
    let select =
      `SELECT ${fields.map((f) => `NULL::${sqlType(f.type)} AS ${quoteName(f.name)}`)} ` +
      'LIMIT 0';
    if (rows.length > 0) {
      const columns = await inputColumns(session, staged);
      const { list, from } = await typedSelect(session, staged, schema, columns);
      select = `SELECT ${list} FROM ${from}`;
    }
    const given = options.filter((o) => o !== '');
    const from = session.newPath('.parquet');
    const [made] = await copyRows(session, select, from, schema, given);
    await session.publish([{ from, to: real }], localFiles);
    session.close();
    staged.dispose();
    return made;
  }

  #currentRows(rows: readonly ById[]): readonly PlainRow[] {
    return rows.map((row) => named(row, this.#schema));
  }

  #rows(branch: string): readonly ById[] {
    return this.#branches.get(branch) ?? this.#branches.get('main')!;
  }

  #keep(branch: string, keep: (row: PlainRow) => boolean): readonly ById[] {
    return this.#rows(branch).filter((row) => keep(named(row, this.#schema)));
  }

  #byId(rows: readonly PlainRow[]): readonly ById[] {
    const { fields } = this.#schema;
    return rows.map((row) => new Map(fields.map((f) => [f.id, row[f.name] ?? null])));
  }

  #note(branch: string, snapshot: string | bigint | null, rows: readonly ById[]): bigint {
    if (snapshot === null) throw new Error(`${this.name}: nothing was committed`);
    this.#branches.set(branch, rows);
    this.#snapshots.push({ id: String(snapshot), schema: this.#schema, rows });
    return BigInt(snapshot);
  }
}

function named(row: ById, schema: Schema): PlainRow {
  return Object.fromEntries(schema.fields.map((f) => [f.name, row.get(f.id) ?? null]));
}
