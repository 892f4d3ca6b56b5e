import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, resolve as resolvePath } from 'node:path';
import { LakeError } from '../base/errors.ts';
import type { FileStore } from '../base/files/file-store.ts';
import { fileFault } from '../base/files/local-file.ts';
import { isForbidden } from '../base/files/write-fault.ts';
import { LIMITS } from '../base/limits.ts';
import { isObjectPath } from '../base/object-storage.ts';
import { joinPlace, resolvePlace } from '../base/place.ts';
import type { FilesystemCatalogConfig } from './config.ts';
import { isTableFolder } from './metadata-versions.ts';

const NAMESPACE_DEPTH = 4;

/** A folder in a warehouse that may be a table or hold tables. */
interface Folder {
  readonly path: string;
  /** The names from the warehouse down to it. */
  readonly parts: readonly string[];
}

/**
 * The fault of a warehouse that cannot be used: catalog_unreachable if it is not a folder,
 * permission_denied if it cannot be looked at. null for one that is there.
 */
export async function warehouseFault(warehouse: string): Promise<LakeError | null> {
  try {
    if ((await stat(warehouse)).isDirectory()) return null;
  } catch (error) {
    if (isForbidden(error)) return fileFault(error, warehouse, 'catalog_unreachable');
  }
  return new LakeError(
    'catalog_unreachable',
    `warehouse "${warehouse}" is not a folder; give the folder that holds the namespaces`,
    { file: warehouse },
  );
}

/**
 * Names of all tables under a warehouse, sorted; folders are searched to a depth of four. A folder
 * that symbolic links make reachable by several names is visited once: by its own name if that is
 * in the warehouse. Throws catalog_unreachable, permission_denied.
 */
export async function listFilesystemTables(
  config: FilesystemCatalogConfig,
  store: FileStore,
): Promise<readonly string[]> {
  if (isObjectPath(config.warehouse))
    return listObjectTables(resolvePlace(config.warehouse), store);
  const warehouse = resolvePath(config.warehouse);
  const fault = await warehouseFault(warehouse);
  if (fault !== null) throw fault;
  const tables: string[] = [];
  const seen = new Set<string>();
  const links: Folder[] = [];
  await visit({ path: warehouse, parts: [] }, { tables, seen, links });
  for (let link = links.shift(); link !== undefined; link = links.shift()) {
    await visit(link, { tables, seen, links });
  }
  return tables.sort();
}

interface Found {
  readonly tables: string[];
  /** Device and inode of each folder that was visited. */
  readonly seen: Set<string>;
  /** Symbolic links that are visited after all folders. */
  readonly links: Folder[];
}

async function visit(folder: Folder, found: Found): Promise<void> {
  const { path, parts } = folder;
  if (!(await isNew(path, found.seen))) return;
  if (parts.length > 0 && (await holdsTable(path))) {
    found.tables.push(parts.join('.'));
    if (found.tables.length > LIMITS.catalogTables) {
      throw new LakeError('limit_exceeded', `warehouse "${path}" holds too many tables`);
    }
    return;
  }
  if (parts.length >= NAMESPACE_DEPTH) return;
  for (const entry of await entriesOf(folder)) {
    const inner = { path: join(path, entry.name), parts: [...parts, entry.name] };
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) await visit(inner, found);
    else if (entry.isSymbolicLink()) found.links.push(inner);
  }
}

async function isNew(path: string, seen: Set<string>): Promise<boolean> {
  const info = await stat(path, { bigint: true }).catch(() => null);
  if (info === null || !info.isDirectory()) return false;
  const identity = `${info.dev}:${info.ino}`;
  if (seen.has(identity)) return false;
  seen.add(identity);
  return true;
}

/** A folder that this user may not look into holds no table for him, as lost+found. */
async function holdsTable(path: string): Promise<boolean> {
  try {
    return await isTableFolder(path);
  } catch (error) {
    if ((error as LakeError).reason === 'permission_denied') return false;
    throw error;
  }
}

/** The entries of a folder, sorted. Only of the warehouse itself must they be readable. */
async function entriesOf({ path, parts }: Folder): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (parts.length > 0) return [];
    throw fileFault(error, path, 'catalog_unreachable');
  }
}

async function listObjectTables(warehouse: string, store: FileStore): Promise<readonly string[]> {
  const tables: string[] = [];
  const look = async ({ path, parts }: Folder): Promise<void> => {
    const { folders, files } = await store.entries(path);
    const isTable = files.includes('version-hint.text') || (await isTableFolder(path, store));
    if (parts.length > 0 && folders.includes('metadata') && isTable) {
      tables.push(parts.join('.'));
      if (tables.length <= LIMITS.catalogTables) return;
      throw new LakeError('limit_exceeded', `warehouse "${warehouse}" holds too many tables`);
    }
    if (parts.length >= NAMESPACE_DEPTH) return;
    for (const name of folders.filter((folder) => !folder.startsWith('.'))) {
      await look({ path: joinPlace(path, name), parts: [...parts, name] });
    }
  };
  await look({ path: warehouse, parts: [] });
  return tables.sort();
}
