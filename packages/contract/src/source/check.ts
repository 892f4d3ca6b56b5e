/** Where a table is, and requests about tables. */
import { folder, name, newName, path } from '../checks/shared.ts';
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
  wrong,
} from '../checks/values.ts';
import { LhsError } from '../errors.ts';
import { REQUEST_LIMITS } from '../limits.ts';
import type {
  CatalogConfig,
  DescribeSourceRequest,
  InitDefinitionRequest,
  ListTablesRequest,
  NamedTable,
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

const NAMED_FIELDS: Fields<NamedTable> = { table: name, catalog_name: name };
const DESCRIBE_FIELDS: Fields<DescribeSourceRequest> = {
  ...NAMED_FIELDS,
  source: table,
  base_dir: folder,
};
const keyColumns: Check = list(name, REQUEST_LIMITS.keyColumns);
const INIT_FIELDS: Fields<InitDefinitionRequest> = {
  ...DESCRIBE_FIELDS,
  name: newName,
  key: keyColumns,
};
const readDescribe = requestOf<DescribeSourceRequest>(DESCRIBE_FIELDS);
const readInit = requestOf<InitDefinitionRequest>(INIT_FIELDS);

/** Checks a request to describe a table. Throws invalid_argument. */
export const checkDescribeSourceRequest = (request: unknown): DescribeSourceRequest =>
  oneTable(readDescribe(request));

/** Checks a request for a first definition. Throws invalid_argument. */
export const checkInitDefinitionRequest = (request: unknown): InitDefinitionRequest =>
  oneTable(readInit(request));

const TABLES_FIELDS: Fields<ListTablesRequest> = { catalog, catalog_name: name, base_dir: folder };
const readTables = requestOf<ListTablesRequest>(TABLES_FIELDS);

/** Checks a request for the tables of a catalog. Throws invalid_argument. */
export function checkListTablesRequest(request: unknown): ListTablesRequest {
  const checked = readTables(request);
  if (checked.catalog === undefined || checked.catalog_name === undefined) return checked;
  throw new LhsError('invalid_argument', '"catalog" and "catalog_name" do not go together');
}

function oneTable<T extends DescribeSourceRequest>(request: T): T {
  const { source, table: named, catalog_name } = request;
  if (source === undefined && named === undefined) throw wrong('source', undefined, 'a value');
  if (source === undefined || (named ?? catalog_name) === undefined) return request;
  throw new LhsError('invalid_argument', '"source" does not go with "table" and "catalog_name"');
}
