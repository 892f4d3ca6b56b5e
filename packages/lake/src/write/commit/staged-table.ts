import { createTableFiles, type TableFiles } from '../../base/files/table-files.ts';
import { formatJson, type JsonObject } from '../../base/json.ts';
import { joinPlace } from '../../base/place.ts';
import { createInCatalog, newTableLocation } from '../../catalog/create-table.ts';
import { settled } from '../../catalog/settled-options.ts';
import type { TableHandle } from '../../catalog/table-handle.ts';
import { metadataOf } from '../../metadata/read-metadata.ts';
import type { TableMetadata } from '../../metadata/table-metadata.ts';
import type { CatalogConfig } from '../../source-table.ts';
import { newTableMetadata, type TableDefinition } from './next-metadata.ts';

/** A table that its catalog does not have yet: files may be written for its first commit. */
export interface StagedTable {
  /** The first metadata, without a snapshot. A REST catalog numbers the columns by itself. */
  readonly metadata: TableMetadata;
  readonly files: TableFiles;
  /** Creates the table with this metadata. Throws table_exists. */
  create(metadata: JsonObject): Promise<TableHandle>;
}

/** Prepares a new table. Throws table_exists, invalid_argument, and what its catalog throws. */
export async function stageTable(
  catalog: CatalogConfig,
  table: string,
  definition: TableDefinition,
): Promise<StagedTable> {
  if (catalog.type === 'rest') {
    const first = newTableMetadata('', definition);
    return (await import('../../catalog/rest.ts')).stageRestTable(catalog, table, first);
  }
  const location = await newTableLocation(catalog, table);
  const { store } = settled({}, catalog);
  return {
    metadata: metadataOf(newTableMetadata(location, definition), `the new table "${table}"`),
    files: createTableFiles({ location, root: location, allowedRoots: [], store }),
    create: (metadata) => createInCatalog(catalog, table, formatJson(metadata)),
  };
}

/** The local folder for a write into a table that does not exist. */
export async function newTableFolder(catalog: CatalogConfig, table: string): Promise<string> {
  const isRemote = catalog.type === 'rest';
  const location = isRemote ? 's3://new' : await newTableLocation(catalog, table);
  return settled({}, catalog).store.workParent(joinPlace(location, 'data'));
}
