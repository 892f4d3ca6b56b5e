import { randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { firstNames } from '@lakehouse-search/contract/internal';
import { LakeError } from '../base/errors.ts';
import { type FileStore, localFiles } from '../base/files/file-store.ts';
import type { FolderEntries } from '../base/files/folder-entries.ts';
import { kindOfPath } from '../base/files/table-files.ts';
import { writeVersionHint } from '../base/files/whole-files.ts';
import { describeFolder, foreignFormat } from '../base/foreign-table.ts';
import { isObjectPath } from '../base/object-storage.ts';
import { joinPlace, resolvePlace } from '../base/place.ts';
import { readMetadataFile } from '../metadata/read-metadata.ts';
import type { FilesystemCatalogConfig } from './config.ts';
import { createMetadata } from './create-metadata.ts';
import { listFilesystemTables, warehouseFault } from './filesystem-tables.ts';
import {
  isStillNewest,
  isTableFolder,
  type MetadataVersion,
  newestMetadata,
  pointerOf,
  removeVersionsBefore,
} from './metadata-versions.ts';
import { relocate } from './relocation.ts';
import {
  afterCommit,
  type SettledOptions,
  type TableCommit,
  type TableHandle,
} from './table-handle.ts';
import { splitTableName, tableExists, tableNameParts } from './table-name.ts';

/**
 * The filesystem (Hadoop) catalog: `<warehouse>/<namespace>/<table>/metadata/vN.metadata.json`.
 * There is no other record: the folders are the catalog, and creating the next version's file
 * exclusively is the commit.
 */
interface Place {
  readonly name: string;
  readonly folder: string;
  /** null for a bare path: then only the table's own folder may be read. */
  readonly warehouse: string | null;
  readonly options: SettledOptions;
}

/** The newest version of the table in a folder. Throws table_not_found, metadata_invalid. */
export async function filesystemHandle(place: Place): Promise<TableHandle> {
  const version = await newestMetadata(place.folder, place.options.store);
  if (version === null) throw await notThere(place);
  return handleAt(place, version);
}

/** A warehouse that was there and is away (not mounted, renamed): its tables are not gone. */
async function notThere({ folder, warehouse, options }: Place): Promise<LakeError> {
  const isLocal = warehouse !== null && !isObjectPath(warehouse);
  const fault = isLocal ? await warehouseFault(warehouse) : null;
  return fault ?? notATable(folder, await options.store.entries(folder));
}

function notATable(folder: string, entries: FolderEntries): LakeError {
  return new LakeError(
    foreignFormat(entries) === null ? 'table_not_found' : 'unsupported',
    `folder "${folder}" holds no iceberg table: ${describeFolder(entries)}`,
    { file: folder },
  );
}

async function handleAt(place: Place, version: MetadataVersion): Promise<TableHandle> {
  let pointer = await pointerOf(place.folder, version, place.options.store);
  const metadata = await readMetadataFile(version.path, place.options.store);
  const { folder, warehouse } = place;
  const files = relocate(metadata, version.path, { ...place.options, folder, warehouse });
  const commit: TableCommit = { commitMetadata: (json) => commitNext(place, version, json) };
  const handle: TableHandle = Object.freeze({
    name: place.name,
    metadata,
    files,
    config: {},
    commit: version.layout === 'hadoop' ? Object.freeze(commit) : null,
    refresh: async () => {
      if (await isStillNewest(place.folder, version, pointer, place.options.store)) return handle;
      const newest = await newestMetadata(place.folder, place.options.store);
      if (newest === null) throw await notThere(place);
      const now = await pointerOf(place.folder, newest, place.options.store);
      if (newest.path !== version.path || now.stamp !== pointer.stamp) {
        return handleAt(place, newest);
      }
      pointer = now;
      return handle;
    },
  });
  return handle;
}

async function commitNext(
  place: Place,
  version: MetadataVersion,
  json: string,
): Promise<TableHandle> {
  const newest = await newestMetadata(place.folder, place.options.store);
  if (newest?.path !== version.path) throw conflict(place, version.version);
  const next = version.version + 1;
  const folder = joinPlace(place.folder, 'metadata');
  const path = joinPlace(folder, `v${next}.metadata.json`);
  if (!(await createMetadata(path, json, place.options))) throw conflict(place, version.version);
  return afterCommit(async () => {
    await refuseRemoved(place, version, path);
    await writeHint(folder, next, place.options);
    const handle = await handleAt(place, { path, version: next, layout: 'hadoop' });
    await removeOldVersions(place, next, handle.metadata.properties);
    return handle;
  });
}

/** The number of this commit's file was free because its owner is old enough to be removed. */
async function refuseRemoved(
  place: Place,
  { path, version }: MetadataVersion,
  written: string,
): Promise<void> {
  const { store } = place.options;
  if ((await store.stamp(path)) !== null) return;
  await store.remove([written]);
  throw conflict(place, version);
}

/** Versions between two removals. */
const REMOVAL_STEP = 16;

/** Follows the properties of the table that limit its metadata files. */
async function removeOldVersions(
  { folder, options }: Place,
  version: number,
  properties: Readonly<Record<string, string>>,
): Promise<void> {
  if (properties['write.metadata.delete-after-commit.enabled'] !== 'true') return;
  const previous = Number(properties['write.metadata.previous-versions-max'] ?? 100);
  if (!(previous >= 1) || version % REMOVAL_STEP !== 0) return;
  await removeVersionsBefore(folder, version - previous, options.store).catch(() => undefined);
}

async function writeHint(folder: string, version: number, { store }: SettledOptions) {
  if (!isObjectPath(folder)) return writeVersionHint(folder, version);
  const path = joinPlace(folder, 'version-hint.text');
  // readers look past a stale hint
  await store.write(path, Buffer.from(String(version))).catch(() => undefined);
}

function conflict(place: Place, version: number): LakeError {
  return new LakeError(
    'commit_conflict',
    `table "${place.name}" has moved on from version ${version} while this commit was ` +
      'made; refresh and retry',
    { file: place.folder },
  );
}

/** The folder of an existing or new table of this catalog. */
export async function filesystemFolder(
  config: FilesystemCatalogConfig,
  table: string,
  store: FileStore = localFiles,
): Promise<string> {
  const warehouse = resolvePlace(config.warehouse);
  const nested = joinPlace(warehouse, ...tableNameParts(table));
  if (await isTableFolder(nested, store)) return nested;
  const flat = joinPlace(warehouse, table);
  return (await isTableFolder(flat, store)) ? flat : nested;
}

/**
 * Loads `namespace.table`. A folder that is called `namespace.table` itself is accepted too.
 * Throws table_not_found.
 */
export async function loadFilesystemTable(
  config: FilesystemCatalogConfig,
  table: string,
  options: SettledOptions,
): Promise<TableHandle> {
  const warehouse = resolvePlace(config.warehouse);
  const { store } = options;
  const folder = await filesystemFolder(config, table, store);
  const isThere = await isTableFolder(folder, store);
  if (!isThere && !(await isFolder(folder))) throw await missing(config, table, store);
  return filesystemHandle({ name: table, folder, warehouse, options });
}

/** A local folder that holds no table is refused as such. */
async function isFolder(path: string): Promise<boolean> {
  return !isObjectPath(path) && (await kindOfPath(path)) !== 'none';
}

async function missing(
  config: FilesystemCatalogConfig,
  table: string,
  store: FileStore,
): Promise<LakeError> {
  const found = await foundIn(config, table, store);
  return new LakeError(
    'table_not_found',
    `table "${table}" is not in warehouse "${config.warehouse}"; ${found}`,
    { details: { table, warehouse: config.warehouse } },
  );
}

/** What a warehouse holds, in words. */
async function foundIn(
  config: FilesystemCatalogConfig,
  table: string,
  store: FileStore,
): Promise<string> {
  if (!(isObjectPath(config.warehouse) || (await isFolder(resolvePlace(config.warehouse))))) {
    return 'there is no such folder';
  }
  const known = await knownTables(config, store);
  if (known.length === 0) return 'it holds no tables';
  return `its tables are ${firstNames(table, known, 10)}`;
}

/** The tables of a warehouse, none if there is no warehouse. Throws permission_denied. */
async function knownTables(
  config: FilesystemCatalogConfig,
  store: FileStore,
): Promise<readonly string[]> {
  try {
    return await listFilesystemTables(config, store);
  } catch (error) {
    if ((error as LakeError).reason === 'permission_denied') throw error;
    return [];
  }
}

/** Deletes a table with its files and returns its folder. Throws table_not_found. */
export async function dropFilesystemTable(
  config: FilesystemCatalogConfig,
  table: string,
  options: SettledOptions,
): Promise<string> {
  await loadFilesystemTable(config, table, options);
  const folder = await filesystemFolder(config, table, options.store);
  if (isObjectPath(folder)) await removeBelow(joinPlace(folder, 'metadata'), options.store);
  if (isObjectPath(folder)) await removeBelow(folder, options.store);
  else {
    // hidden folders are no tables: the table is gone at once
    const hidden = join(dirname(folder), `.${basename(folder)}-${randomUUID()}`);
    await rename(folder, hidden);
    await rm(hidden, { recursive: true });
  }
  return folder;
}

async function removeBelow(folder: string, store: FileStore): Promise<void> {
  const { files, folders } = await store.entries(folder);
  await store.remove(files.map((name) => joinPlace(folder, name)));
  for (const name of folders) await removeBelow(joinPlace(folder, name), store);
}

/** Creates a table whose first metadata is `json`. Throws table_exists. */
export async function createFilesystemTable(
  config: FilesystemCatalogConfig,
  table: string,
  json: string,
  options: SettledOptions,
): Promise<TableHandle> {
  splitTableName(table);
  const folder = await filesystemFolder(config, table, options.store);
  const metadata = joinPlace(folder, 'metadata');
  if (await isTableFolder(folder, options.store)) throw tableExists(table);
  const path = joinPlace(metadata, 'v1.metadata.json');
  if (!(await createMetadata(path, json, options, true))) throw tableExists(table);
  await writeHint(metadata, 1, options);
  return loadFilesystemTable(config, table, options);
}
