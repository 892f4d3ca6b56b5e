import { refuseOtherStores } from '../base/object-storage.ts';
import type { FilesystemCatalogConfig, SqlCatalogConfig } from './config.ts';
import { createFilesystemTable, filesystemFolder } from './filesystem.ts';
import { settled } from './settled-options.ts';
import type { TableHandle } from './table-handle.ts';

/** A catalog that leaves it to the writer where a new table is, and to write its metadata. */
export type FileCatalogConfig = FilesystemCatalogConfig | SqlCatalogConfig;

/**
 * The folder in which `namespace.table` would be created: the `location` of its first metadata.
 * Throws unsupported for stores other than S3.
 */
export async function newTableLocation(catalog: FileCatalogConfig, table: string): Promise<string> {
  refuseOtherStores(catalog.warehouse ?? '');
  if (catalog.type === 'sql') return (await import('./sql.ts')).sqlTableFolder(catalog, table);
  return filesystemFolder(catalog, table, settled({}, catalog).store);
}

/**
 * Creates a table whose first metadata is `json` (its location from `newTableLocation`). Throws
 * table_exists.
 */
export async function createInCatalog(
  catalog: FileCatalogConfig,
  table: string,
  json: string,
): Promise<TableHandle> {
  const all = settled({}, catalog);
  if (catalog.type === 'filesystem') return createFilesystemTable(catalog, table, json, all);
  return (await import('./sql.ts')).createSqlTable(catalog, table, json, all);
}
