/** A catalog, as the `source` of an index definition names it. */
export type CatalogConfig = FilesystemCatalogConfig | SqlCatalogConfig | RestCatalogConfig;

/** How an object store is reached; what is absent comes from the environment of the backend. */
export interface S3Config {
  /** URL of an S3-compatible server. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  readonly path_style?: boolean | undefined;
}

/** Settings of every catalog. */
export interface AnyCatalogConfig {
  /** How tables on `s3://` are reached. */
  readonly s3?: S3Config | undefined;
  /** Further folders that recorded paths of a table may be in. */
  readonly allowed_roots?: readonly string[] | undefined;
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
  readonly name?: string | undefined;
  readonly warehouse?: string | undefined;
}

/** A REST catalog; secrets are named by their environment variables. */
export interface RestCatalogConfig extends AnyCatalogConfig {
  readonly type: 'rest';
  readonly uri: string;
  readonly warehouse?: string | undefined;
  readonly prefix?: string | undefined;
  readonly token_env?: string | undefined;
  readonly credential_env?: string | undefined;
  readonly oauth2_server_uri?: string | undefined;
  readonly scope?: string | undefined;
}

/** A table of a catalog, or a bare path to its folder or metadata file. */
export type TableConfig =
  | { readonly catalog: CatalogConfig; readonly table: string }
  | { readonly path: string; readonly s3?: S3Config };

/** A table by the names that a server has for catalogs. */
export interface NamedTable {
  /** `namespace.name`, in place of `source`. */
  readonly table?: string | undefined;
  /** The catalog of `table`, by the name that the server has for it. May be absent if it has one. */
  readonly catalog_name?: string | undefined;
}

/** `POST /v1/source:describe`. The embedded engine takes `source`, a server `table`. */
export interface DescribeSourceRequest extends NamedTable {
  readonly source?: TableConfig | undefined;
  /** Absolute path of the folder that relative paths begin at. Required if there are any. */
  readonly base_dir?: string | undefined;
}

/** The tables of a catalog. The embedded engine takes `catalog`, a server `catalog_name`. */
export interface ListTablesRequest {
  readonly catalog?: CatalogConfig | undefined;
  /** As in `NamedTable`. */
  readonly catalog_name?: string | undefined;
  /** As in `DescribeSourceRequest`. */
  readonly base_dir?: string | undefined;
}

/** A first definition for a table. */
export interface InitDefinitionRequest extends DescribeSourceRequest {
  /** Name of the index. Default: the table's last name, made legal. */
  readonly name?: string | undefined;
  /** Columns of the key, in order. Default: proposed. */
  readonly key?: readonly string[] | undefined;
}
