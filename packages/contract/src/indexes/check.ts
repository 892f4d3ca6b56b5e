/** Requests that make, check, describe and drop indexes. */
import { folder, INDEX_FIELDS, name } from '../checks/shared.ts';
import { type Fields, flag, requestOf, text } from '../checks/values.ts';
import type { IndexRequest } from '../index-request.ts';
import { tableOrCatalog } from '../source/check.ts';
import type {
  AlterIndexRequest,
  CreateIndexRequest,
  DropIndexRequest,
  ExportRequest,
  ValidateDefinitionRequest,
} from './request.ts';

/** Checks a request that names an index and nothing else. Throws invalid_argument. */
export const checkIndexRequest = requestOf<IndexRequest>(INDEX_FIELDS);

const CREATE_FIELDS: Fields<CreateIndexRequest> = { definition: text, base_dir: folder };
/** Checks a request for a new index. Throws invalid_argument. */
export const checkCreateIndexRequest = requestOf<CreateIndexRequest>(CREATE_FIELDS, 'definition');

const ALTER_FIELDS: Fields<AlterIndexRequest> = {
  ...INDEX_FIELDS,
  definition_yaml: text,
  base_dir: folder,
  apply: flag,
};
/** Checks a request for a new definition. Throws invalid_argument. */
export const checkAlterRequest = requestOf<AlterIndexRequest>(ALTER_FIELDS, 'definition_yaml');

/** Checks a request to drop an index. Throws invalid_argument. */
export const checkDropIndexRequest = requestOf<DropIndexRequest>({ index: name }, 'index');

const VALIDATE_FIELDS: Fields<ValidateDefinitionRequest> = {
  ...CREATE_FIELDS,
  against_source: flag,
  source: tableOrCatalog,
};
/** Checks a request to check a definition. Throws invalid_argument. */
export const checkValidateRequest = requestOf<ValidateDefinitionRequest>(
  VALIDATE_FIELDS,
  'definition',
);

const EXPORT_FIELDS: Fields<ExportRequest> = { ...INDEX_FIELDS, query: text };
/** Checks a request for all documents. Throws invalid_argument. */
export const checkExportRequest = requestOf<ExportRequest>(EXPORT_FIELDS);
