/** Requests that make, check, describe and drop indexes. */
import { INDEX_FIELDS, name, path } from '../checks/shared.ts';
import {
  type Check,
  type Fields,
  flag,
  object,
  oneOf,
  record,
  requestOf,
  text,
} from '../checks/values.ts';
import type { IndexRequest } from '../index-request.ts';
import type {
  CreateIndexRequest,
  DropIndexRequest,
  ExportRequest,
  ValidateDefinitionRequest,
} from './request.ts';

/** Checks a request that names an index and nothing else. Throws invalid_argument. */
export const checkIndexRequest = requestOf<IndexRequest>(INDEX_FIELDS);

const CREATE_FIELDS: Fields<CreateIndexRequest> = { definition: text, baseDir: path };
/** Checks a request for a new index. Throws invalid_argument. */
export const checkCreateIndexRequest = requestOf<CreateIndexRequest>(CREATE_FIELDS, 'definition');

/** Checks a request to drop an index. Throws invalid_argument. */
export const checkDropIndexRequest = requestOf<DropIndexRequest>({ index: name }, 'index');

const CATALOGS: Readonly<Record<string, Check>> = {
  filesystem: record({ type: text, warehouse: path }, ['warehouse']),
  sql: record({ type: text, uri: path, name, warehouse: path }, ['uri']),
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
  CATALOGS[type as string]!(value, field);
};
const atPath = record({ path }, ['path']);
const ofCatalog = record({ catalog, table: name }, ['catalog']);

/** Where a table is: a path, or a catalog with or without the table's name. */
const source: Check = (value, field) => {
  object(value, field);
  if ((value as { readonly path?: unknown }).path === undefined) ofCatalog(value, field);
  else atPath(value, field);
};
const VALIDATE_FIELDS: Fields<ValidateDefinitionRequest> = {
  ...CREATE_FIELDS,
  against_source: flag,
  source,
};
/** Checks a request to check a definition. Throws invalid_argument. */
export const checkValidateRequest = requestOf<ValidateDefinitionRequest>(
  VALIDATE_FIELDS,
  'definition',
);

const EXPORT_FIELDS: Fields<ExportRequest> = { ...INDEX_FIELDS, query: text };
/** Checks a request for all documents. Throws invalid_argument. */
export const checkExportRequest = requestOf<ExportRequest>(EXPORT_FIELDS);
