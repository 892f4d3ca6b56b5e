import { resolve as resolvePath } from 'node:path';
import { LakeError } from '../base/errors.ts';
import { isS3, refuseOtherStores } from '../base/object-storage.ts';
import type { CatalogConfig } from './config.ts';
import { createFilesystemTable, filesystemFolder } from './filesystem.ts';
import { settled } from './settled-options.ts';
import type { LoadOptions, TableHandle } from './table-handle.ts';

function refuse(): never {
  throw new LakeError(
    'unsupported',
    "tables are created in filesystem and sql catalogs only; use the REST catalog's own tools",
  );
}

function refuseObjects(warehouse: string): void {
  refuseOtherStores(warehouse);
  if (!isS3(warehouse)) return;
  throw new LakeError(
    'unsupported',
    `tables are created in local folders only, not in "${warehouse}"; ` +
      'create the table with the engine that writes it',
    { file: warehouse },
  );
}

/**
 * The folder in which `namespace.table` would be created: the `location` of its first metadata.
 * Throws unsupported for REST and for object storage.
 */
export async function newTableLocation(catalog: CatalogConfig, table: string): Promise<string> {
  if (catalog.type !== 'rest') refuseObjects(catalog.warehouse ?? '');
  switch (catalog.type) {
    case 'filesystem':
      return resolvePath(await filesystemFolder(catalog, table));
    case 'sql':
      return (await import('./sql.ts')).sqlTableFolder(catalog, table);
    case 'rest':
      return refuse();
  }
}

/**
 * Creates a table whose first metadata is `json` (its location from `newTableLocation`). Throws
 * table_exists, unsupported.
 */
export async function createInCatalog(
  catalog: CatalogConfig,
  table: string,
  json: string,
  options: LoadOptions = {},
): Promise<TableHandle> {
  switch (catalog.type) {
    case 'filesystem':
      return createFilesystemTable(catalog, table, json, settled(options, catalog));
    case 'sql':
      return (await import('./sql.ts')).createSqlTable(
        catalog,
        table,
        json,
        settled(options, catalog),
      );
    case 'rest':
      return refuse();
  }
}
