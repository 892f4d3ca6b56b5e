/** Where a table is, and requests about tables. */
import { folder, name, path } from '../checks/shared.ts';
import {
  type Check,
  type Fields,
  flag,
  list,
  object,
  oneOf,
  record,
  requestOf,
  text,
} from '../checks/values.ts';
import type {
  CatalogConfig,
  DescribeSourceRequest,
  InitDefinitionRequest,
  ListTablesRequest,
} from './request.ts';
import { CATALOG_SETTINGS, CATALOG_TYPES, S3_SETTINGS, type SettingKind } from './settings.ts';

/** Roots of a catalog. */
const MOST_ROOTS = 1000;

type Settings = Readonly<Record<string, SettingKind>>;

const settings = (kinds: Settings): Readonly<Record<string, Check>> =>
  Object.fromEntries(Object.entries(kinds).map(([key, kind]) => [key, CHECKS[kind]]));

const s3: Check = (value, field) => record(settings(S3_SETTINGS))(value, field);
const CHECKS: Readonly<Record<SettingKind, Check>> = {
  text: path,
  name,
  flag,
  folder: path,
  folders: list(path, MOST_ROOTS),
  database: path,
  s3,
};
const catalogType = oneOf(...CATALOG_TYPES);

/** A catalog as a definition has it. */
const catalog: Check = (value, field) => {
  object(value, field);
  const { type } = value as CatalogConfig;
  catalogType(type, `${field}.type`);
  const { required, settings: kinds } = CATALOG_SETTINGS[type];
  record({ type: text, ...settings(kinds) }, [required])(value, field);
};
const atPath = record({ path, s3 }, ['path']);

const tableIn =
  (required: readonly string[]): Check =>
  (value, field) => {
    object(value, field);
    const named = (value as { readonly path?: unknown }).path !== undefined;
    if (named) atPath(value, field);
    else record({ catalog, table: name }, required)(value, field);
  };
/** A path, or a catalog and a table. */
const table = tableIn(['catalog', 'table']);
/** A path, or a catalog with or without a table. */
export const tableOrCatalog: Check = tableIn(['catalog']);

const DESCRIBE_FIELDS: Fields<DescribeSourceRequest> = { source: table, base_dir: folder };
/** Checks a request to describe a table. Throws invalid_argument. */
export const checkDescribeSourceRequest = requestOf<DescribeSourceRequest>(
  DESCRIBE_FIELDS,
  'source',
);

const TABLES_FIELDS: Fields<ListTablesRequest> = { catalog, base_dir: folder };
/** Checks a request for the tables of a catalog. Throws invalid_argument. */
export const checkListTablesRequest = requestOf<ListTablesRequest>(TABLES_FIELDS, 'catalog');

const INIT_FIELDS: Fields<InitDefinitionRequest> = { ...DESCRIBE_FIELDS, name };
/** Checks a request for a first definition. Throws invalid_argument. */
export const checkInitDefinitionRequest = requestOf<InitDefinitionRequest>(INIT_FIELDS, 'source');
