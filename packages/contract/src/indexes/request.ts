import type { IndexRequest } from '../index-request.ts';
import type { CatalogConfig, TableConfig } from '../source/request.ts';

/** `POST /v1/indexes`. */
export interface CreateIndexRequest {
  /** The definition's YAML. */
  readonly definition: string;
  /** Absolute path of the folder that relative paths begin at. Required if there are any. */
  readonly base_dir?: string;
}

/** `DELETE /v1/indexes/{name}`. */
export interface DropIndexRequest {
  /** The index's own name: aliases are refused. */
  readonly index: string;
}

/**
 * `POST /v1/index:alter`: a new definition for an index. Without `apply` the answer is the plan
 * alone and nothing changes.
 */
export interface AlterIndexRequest extends IndexRequest {
  /** The new definition's YAML, whole. Another name under `index:` renames the index. */
  readonly definition_yaml: string;
  /** Absolute path of the folder that relative paths begin at. Default: the index's own. */
  readonly base_dir?: string;
  readonly apply?: boolean;
}

/** A definition to be checked. */
export interface ValidateDefinitionRequest extends CreateIndexRequest {
  /** Also check against the table's schema. */
  readonly against_source?: boolean;
  /** The location of the table; it overrides the definition. */
  readonly source?: TableConfig | { readonly catalog: CatalogConfig };
}

/** The documents that a query finds; all of them without one. */
export interface ExportRequest extends IndexRequest {
  readonly query?: string;
}
