import type { CatalogTable } from './config.ts';
import { dropFilesystemTable } from './filesystem.ts';
import { settled } from './settled-options.ts';

/** A table that its catalog no longer lists. */
export interface DroppedTable {
  /** The folder of its files. */
  readonly location: string;
  /** Whether the files are deleted. SQL and REST catalogs leave them. */
  readonly deleted: boolean;
}

/**
 * Removes a table from its catalog, and the files of a table in a warehouse folder. Throws
 * table_not_found, catalog_refused, catalog_unreachable.
 */
export async function dropFromCatalog({ catalog, table }: CatalogTable): Promise<DroppedTable> {
  const options = settled({}, catalog);
  switch (catalog.type) {
    case 'filesystem':
      return { location: await dropFilesystemTable(catalog, table, options), deleted: true };
    case 'sql': {
      const { dropSqlTable } = await import('./sql.ts');
      return { location: await dropSqlTable(catalog, table, options), deleted: false };
    }
    case 'rest': {
      const { dropRestTable } = await import('./rest.ts');
      return { location: await dropRestTable(catalog, table, options), deleted: false };
    }
  }
}
