import type { CatalogConfig } from '@lakehouse-search/contract';

export type {
  CatalogConfig,
  FilesystemCatalogConfig,
  RestCatalogConfig,
  SqlCatalogConfig,
  TableConfig,
} from '@lakehouse-search/contract';

/** A table of a catalog. */
export interface CatalogTable {
  readonly catalog: CatalogConfig;
  readonly table: string;
}
