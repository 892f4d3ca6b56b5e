import type { S3Config } from '../objects/s3/s3-settings.ts';

export type { S3Config } from '../objects/s3/s3-settings.ts';

/** How a table is found: the `source` of an index definition, or the flags of `lhs source`. */
export type CatalogConfig = FilesystemCatalogConfig | SqlCatalogConfig | RestCatalogConfig;

/** What every catalog may say. */
interface AnyCatalogConfig {
  /**
   * Local folders, besides a table's own and the warehouse, in which recorded data files may be
   * (Iceberg's `add_files` leaves files where they are).
   */
  readonly allowed_roots?: readonly string[];
  /** How tables on `s3://` are reached; what is not set comes from the environment. */
  readonly s3?: S3Config;
}

/** The Hadoop layout below a folder. */
export interface FilesystemCatalogConfig extends AnyCatalogConfig {
  readonly type: 'filesystem';
  readonly warehouse: string;
}

/** The table `iceberg_tables` in SQLite (`sqlite:///FILE`) or PostgreSQL. */
export interface SqlCatalogConfig extends AnyCatalogConfig {
  readonly type: 'sql';
  readonly uri: string;
  readonly name?: string;
  readonly warehouse?: string;
}

/** A REST catalog; secrets are named by their environment variables. */
export interface RestCatalogConfig extends AnyCatalogConfig {
  readonly type: 'rest';
  readonly uri: string;
  readonly warehouse?: string;
  readonly prefix?: string;
  readonly token_env?: string;
  readonly credential_env?: string;
  readonly oauth2_server_uri?: string;
  readonly scope?: string;
}

/** A table of a catalog. */
export interface CatalogTable {
  readonly catalog: CatalogConfig;
  readonly table: string;
}

/** A table of a catalog, or a bare path to its folder or metadata file. */
export type TableConfig = CatalogTable | { readonly path: string; readonly s3?: S3Config };
