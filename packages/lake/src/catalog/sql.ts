import { randomUUID } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { firstNames } from '@lakehouse-search/contract/internal';
import { LakeError } from '../base/errors.ts';
import { joinPlace, resolvePlace } from '../base/place.ts';
import { readMetadataFile } from '../metadata/read-metadata.ts';
import type { SqlCatalogConfig } from './config.ts';
import { createMetadata } from './create-metadata.ts';
import { relocate } from './relocation.ts';
import { openSqlDatabase, type SqlDatabase, type SqlRow, sqliteFile } from './sql-database.ts';
import { locateMetadata } from './sql-location.ts';
import {
  afterCommit,
  outcomeUnknown,
  type SettledOptions,
  type TableHandle,
} from './table-handle.ts';
import { splitTableName, type TableName, tableExists } from './table-name.ts';

/**
 * The SQL (JDBC) catalog: one row of `iceberg_tables` a table, whose `metadata_location` names the
 * current metadata file; the commit is an UPDATE that still finds the old location (layout:
 * core/src/main/java/org/apache/iceberg/jdbc/JdbcUtil.java).
 */

const COLUMNS = 'catalog_name, table_namespace, table_name, metadata_location';

const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS iceberg_tables (
  catalog_name VARCHAR(255) NOT NULL, table_namespace VARCHAR(255) NOT NULL,
  table_name VARCHAR(255) NOT NULL, metadata_location VARCHAR(1000),
  previous_metadata_location VARCHAR(1000), iceberg_type VARCHAR(5),
  PRIMARY KEY (catalog_name, table_namespace, table_name))`;

async function withDatabase<T>(
  config: SqlCatalogConfig,
  write: boolean,
  work: (database: SqlDatabase) => Promise<T>,
): Promise<T> {
  const database = await openSqlDatabase(config.uri, write);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

async function rowsOf(
  database: SqlDatabase,
  config: SqlCatalogConfig,
  name: TableName | null,
): Promise<readonly SqlRow[]> {
  const conditions: string[] = [];
  const values: string[] = [];
  const where = (column: string, value: string) => {
    conditions.push(`${column} = ?`);
    values.push(value);
  };
  if (config.name !== undefined) where('catalog_name', config.name);
  if (name !== null) where('table_namespace', name.namespace);
  if (name !== null) where('table_name', name.table);
  const filter = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  const rows = await database.rows(`SELECT * FROM iceberg_tables${filter}`, values);
  return rows.filter(
    (row) => row.metadata_location !== null && (row.iceberg_type ?? 'TABLE') === 'TABLE',
  );
}

const nameOf = (row: SqlRow): string => `${row.table_namespace}.${row.table_name}`;

/** Names of all tables, sorted. Throws catalog_unreachable. */
export async function listSqlTables(config: SqlCatalogConfig): Promise<readonly string[]> {
  const rows = await withDatabase(config, false, (db) => rowsOf(db, config, null));
  return [...new Set(rows.map(nameOf))].sort();
}

/**
 * Loads `namespace.table`. Throws table_not_found, catalog_unreachable, metadata_invalid,
 * invalid_argument (two catalogs have it).
 */
export async function loadSqlTable(
  config: SqlCatalogConfig,
  table: string,
  options: SettledOptions,
): Promise<TableHandle> {
  splitTableName(table);
  const row = await withDatabase(config, false, (db) => findRow(db, config, table));
  return handleOf({ config, table, options }, row);
}

async function findRow(db: SqlDatabase, config: SqlCatalogConfig, table: string): Promise<SqlRow> {
  const rows = await rowsOf(db, config, splitTableName(table));
  if (rows.length === 1) return rows[0]!;
  if (rows.length > 1) {
    const names = rows.map((row) => `"${row.catalog_name}"`).join(', ');
    throw new LakeError(
      'invalid_argument',
      `table "${table}" is in the catalogs ${names} of "${db.shown}"; say which with "name"`,
    );
  }
  const known = [...new Set((await rowsOf(db, config, null)).map(nameOf))].sort();
  throw new LakeError(
    'table_not_found',
    `table "${table}" is not in catalog "${db.shown}"; its tables are ` +
      `${firstNames(table, known, 10) || 'none'}`,
    { details: { table } },
  );
}

interface Place {
  readonly config: SqlCatalogConfig;
  readonly table: string;
  readonly options: SettledOptions;
}

async function handleOf(place: Place, row: SqlRow): Promise<TableHandle> {
  const { config, table, options } = place;
  const recorded = row.metadata_location!;
  const found = await locateMetadata(recorded, config.warehouse ?? null, sqliteFile(config.uri));
  const metadata = await readMetadataFile(found.path, options.store);
  const { warehouse } = found;
  const folder = warehouse === null ? null : tableFolder(warehouse, table);
  const files = relocate(metadata, found.path, { ...options, folder, warehouse });
  const handle: TableHandle = Object.freeze({
    name: table,
    metadata,
    files,
    config: {},
    commit: Object.freeze({
      commitMetadata: (json: string) => commitNext(place, row, dirname(found.path), json),
    }),
    refresh: async () => {
      const now = await withDatabase(config, false, (db) => findRow(db, config, table));
      return now.metadata_location === recorded ? handle : handleOf(place, now);
    },
  });
  return handle;
}

function nextFileName(recorded: string): string {
  const number = Number(/(?:^|\/)v?(\d+)[-.][^/]*$/.exec(recorded)?.[1] ?? '0') + 1;
  return `${String(number).padStart(5, '0')}-${randomUUID()}.metadata.json`;
}

async function commitNext(
  place: Place,
  row: SqlRow,
  folder: string,
  json: string,
): Promise<TableHandle> {
  const old = row.metadata_location!;
  const name = nextFileName(old);
  const path = joinPlace(folder, name);
  const recorded = old.slice(0, old.length - basename(old).length) + name;
  await createMetadata(path, json, place.options);
  const changed = await withDatabase(place.config, true, (db) =>
    writeRow(place, path, () =>
      db.run(
        'UPDATE iceberg_tables SET metadata_location = ?, previous_metadata_location = ? ' +
          'WHERE catalog_name = ? AND table_namespace = ? AND table_name = ? AND ' +
          'metadata_location = ?',
        [recorded, old, row.catalog_name, row.table_namespace, row.table_name, old],
      ),
    ),
  );
  const now = { ...row, metadata_location: recorded };
  if (changed) return afterCommit(() => handleOf(place, now));
  throw new LakeError(
    'commit_conflict',
    `table "${place.table}" has moved on while this commit was made; refresh and retry`,
    { file: old },
  );
}

/** Removes the row of a table and returns the folder of its files. Throws as `loadSqlTable`. */
export async function dropSqlTable(
  config: SqlCatalogConfig,
  table: string,
  options: SettledOptions,
): Promise<string> {
  const { metadata } = await loadSqlTable(config, table, options);
  await withDatabase(config, true, async (db) => {
    const { catalog_name, table_namespace, table_name } = await findRow(db, config, table);
    await db.run(
      'DELETE FROM iceberg_tables WHERE catalog_name = ? AND table_namespace = ? AND ' +
        'table_name = ?',
      [catalog_name, table_namespace, table_name],
    );
  });
  return metadata.location;
}

/**
 * Whether a statement changed the row of a table; if not, its metadata file is removed. The answer
 * of a server may be lost (`outcomeUnknown`).
 */
async function writeRow(
  { config, options }: Pick<Place, 'config' | 'options'>,
  path: string,
  run: () => Promise<number>,
): Promise<boolean> {
  const undo = () => options.store.remove([path]).catch(() => undefined);
  try {
    if ((await run()) === 1) return true;
  } catch (error) {
    if (sqliteFile(config.uri) === null && error instanceof LakeError) throw outcomeUnknown(error);
    await undo();
    throw error;
  }
  await undo();
  return false;
}

/**
 * The folder of a new table of this catalog. Throws invalid_argument without a warehouse and a
 * database file.
 */
export function sqlTableFolder(config: SqlCatalogConfig, table: string): string {
  const file = sqliteFile(config.uri);
  if (config.warehouse === undefined && file === null) {
    throw new LakeError('invalid_argument', 'a new table needs the "warehouse" of the catalog');
  }
  return tableFolder(config.warehouse ?? dirname(file!), table);
}

function tableFolder(warehouse: string, table: string): string {
  const name = splitTableName(table);
  return joinPlace(resolvePlace(warehouse), ...name.namespace.split('.'), name.table);
}

/**
 * Creates a table whose first metadata is `json`; makes `iceberg_tables` if it is missing.
 * Throws table_exists.
 */
export async function createSqlTable(
  config: SqlCatalogConfig,
  table: string,
  json: string,
  options: SettledOptions,
): Promise<TableHandle> {
  const name = splitTableName(table);
  const folder = joinPlace(sqlTableFolder(config, table), 'metadata');
  const path = joinPlace(folder, nextFileName('00000-').replace(/^00001/, '00000'));
  await withDatabase(config, true, async (db) => {
    await db.run(CREATE_TABLE, []);
    if ((await rowsOf(db, config, name)).length > 0) throw tableExists(table);
    await createMetadata(path, json, options);
    const values = [config.name ?? 'default', name.namespace, name.table, path, 'TABLE'];
    const isNew = await writeRow({ config, options }, path, () =>
      db.run(
        `INSERT INTO iceberg_tables (${COLUMNS}, iceberg_type) VALUES (?, ?, ?, ?, ?) ON ` +
          'CONFLICT DO NOTHING',
        values,
      ),
    );
    if (!isNew) throw tableExists(table);
  });
  return loadSqlTable(config, table, options);
}
