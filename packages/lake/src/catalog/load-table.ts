import { refuseOtherStores } from '../base/object-storage.ts';
import { loadPath } from './bare-path.ts';
import type { CatalogConfig, TableConfig } from './config.ts';
import { loadFilesystemTable } from './filesystem.ts';
import { listFilesystemTables } from './filesystem-tables.ts';
import { settled } from './settled-options.ts';
import type { LoadOptions, SettledOptions, TableHandle } from './table-handle.ts';
import type { TableNames } from './table-name.ts';

/**
 * Loads a table at its newest version. Throws table_not_found, metadata_invalid, unsupported,
 * catalog_unreachable, catalog_refused, invalid_argument.
 */
export async function loadTable(
  config: TableConfig,
  options: LoadOptions = {},
): Promise<TableHandle> {
  return load(config, settled(options, 'path' in config ? config : config.catalog));
}

async function load(config: TableConfig, options: SettledOptions): Promise<TableHandle> {
  if ('path' in config) {
    refuseOtherStores(config.path);
    return loadPath(config.path, options);
  }
  const { catalog, table } = config;
  switch (catalog.type) {
    case 'filesystem':
      refuseOtherStores(catalog.warehouse);
      return loadFilesystemTable(catalog, table, options);
    case 'sql':
      return (await import('./sql.ts')).loadSqlTable(catalog, table, options);
    case 'rest':
      return (await import('./rest.ts')).loadRestTable(catalog, table, options);
  }
}

/** The tables of a catalog. Throws catalog_unreachable, catalog_refused. */
export async function listTables(
  catalog: CatalogConfig,
  options: LoadOptions = {},
): Promise<TableNames> {
  const whole = async (tables: Promise<readonly string[]>) => ({
    tables: await tables,
    unread: [],
  });
  switch (catalog.type) {
    case 'filesystem':
      refuseOtherStores(catalog.warehouse);
      return whole(listFilesystemTables(catalog, settled(options, catalog).store));
    case 'sql':
      return whole((await import('./sql.ts')).listSqlTables(catalog));
    case 'rest':
      return (await import('./rest.ts')).listRestTables(catalog, options);
  }
}
