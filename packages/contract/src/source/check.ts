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
import type { DescribeSourceRequest, InitDefinitionRequest, ListTablesRequest } from './request.ts';

/** Roots of a catalog. */
const MOST_ROOTS = 1000;
const s3 = record({ endpoint: path, region: name, path_style: flag });
/** Fields of every catalog. */
const ANY = { allowed_roots: list(path, MOST_ROOTS), s3 };

const CATALOGS: Readonly<Record<string, Check>> = {
  filesystem: record({ type: text, warehouse: path, ...ANY }, ['warehouse']),
  sql: record({ type: text, uri: path, name, warehouse: path, ...ANY }, ['uri']),
  rest: record(
    {
      type: text,
      uri: path,
      warehouse: path,
      prefix: path,
      token_env: name,
      credential_env: name,
      oauth2_server_uri: path,
      scope: name,
      ...ANY,
    },
    ['uri'],
  ),
};
const catalogType = oneOf(...Object.keys(CATALOGS));

/** A catalog as a definition has it. */
const catalog: Check = (value, field) => {
  object(value, field);
  const { type } = value as { readonly type?: unknown };
  catalogType(type, `${field}.type`);
  CATALOGS[type as string](value, field);
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
