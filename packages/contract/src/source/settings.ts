/**
 * The settings of catalogs and object stores. Checks of requests, the parser of definitions and
 * catalog files, their JSON Schema and the resolution of relative paths all read these tables, and
 * the types hold that no setting is missing.
 */
import type { AnyCatalogConfig, CatalogConfig, S3Config } from './request.ts';

/**
 * What the value of a setting is: a text (an address), a name, true or false, a folder (a relative
 * one begins at the definition), several folders, the address of a database (the file of SQLite
 * may be relative), or the settings of an object store.
 */
export type SettingKind = 'text' | 'name' | 'flag' | 'folder' | 'folders' | 'database' | 's3';

/** The kind of every setting of a type. */
type SettingsOf<T> = { readonly [key in keyof T]-?: SettingKind };

type CatalogOf<Type> = Extract<CatalogConfig, { readonly type: Type }>;

/** Settings of an object store. */
export const S3_SETTINGS: SettingsOf<S3Config> = Object.freeze({
  endpoint: 'text',
  region: 'name',
  path_style: 'flag',
});

const ANY: SettingsOf<AnyCatalogConfig> = { allowed_roots: 'folders', s3: 's3' };

/** By the type of a catalog: the setting that it needs, and all of its settings. */
export const CATALOG_SETTINGS: {
  readonly [type in CatalogConfig['type']]: {
    readonly required: string & keyof CatalogOf<type>;
    readonly settings: SettingsOf<Omit<CatalogOf<type>, 'type'>>;
  };
} = Object.freeze({
  filesystem: { required: 'warehouse', settings: { warehouse: 'folder', ...ANY } },
  sql: {
    required: 'uri',
    settings: { uri: 'database', name: 'name', warehouse: 'folder', ...ANY },
  },
  rest: {
    required: 'uri',
    settings: {
      uri: 'text',
      warehouse: 'text',
      prefix: 'text',
      token_env: 'name',
      credential_env: 'name',
      oauth2_server_uri: 'text',
      scope: 'name',
      ...ANY,
    },
  },
});

/** Types of catalogs. */
export const CATALOG_TYPES = Object.freeze(
  Object.keys(CATALOG_SETTINGS) as CatalogConfig['type'][],
);
