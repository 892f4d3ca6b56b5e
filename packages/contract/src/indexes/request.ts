import type { Coordinates } from '../coordinates.ts';
import type { IndexRequest } from '../index-request.ts';
import type {
  HybridRequest,
  SearchMode,
  SearchRequest,
  SemanticRequest,
} from '../search/request.ts';
import type { CatalogConfig, TableConfig } from '../source/request.ts';

/** `POST /v1/indexes`. */
export interface CreateIndexRequest {
  /** The definition's YAML. */
  readonly definition: string;
  /** Absolute path of the folder that relative paths begin at. Required if there are any. */
  readonly base_dir?: string | undefined;
}

/** `DELETE /v1/indexes/{name}`. */
export interface DropIndexRequest {
  /** The index's own name: aliases are refused. */
  readonly index: string;
}

/** `POST /v1/index:rename`: another name for an index. Its table is not read. */
export interface RenameIndexRequest {
  /** The index's own name: aliases are refused. */
  readonly index: string;
  /** The new name. */
  readonly name: string;
}

/** `POST /v1/index:move`: another store for the commits of an index. Nothing is built. */
export interface MoveIndexRequest {
  /** The index, or an alias of it. */
  readonly index: string;
  /** A folder or `s3://bucket/prefix`. Default: the data folder alone. */
  readonly storage?: string | undefined;
}

/** `POST /v1/index:clone`: a second index with the documents of the newest commit of an index. */
export interface CloneIndexRequest {
  /** The index to clone, or an alias of it. */
  readonly index: string;
  /** The name of the new index. */
  readonly name: string;
  /** The branch or tag of the table that the new index follows. Default: as the first index. */
  readonly ref?: string | undefined;
}

/**
 * `POST /v1/index:alter`: a new definition for an index. Without `apply` the answer is the plan
 * alone and nothing changes.
 */
export interface AlterIndexRequest extends IndexRequest {
  /** The new definition's YAML, whole. Another name under `index:` renames the index. */
  readonly definition_yaml: string;
  /** Absolute path of the folder that relative paths begin at. Default: the index's own. */
  readonly base_dir?: string | undefined;
  readonly apply?: boolean | undefined;
}

/**
 * `POST /v1/index:rollback`: makes a kept generation the live one again, with the definition that
 * it follows. Repeat it to go forward again.
 */
export interface RollbackIndexRequest extends IndexRequest {
  /** The kept generation to go back to. Default: the one that was live last. */
  readonly generation?: number | undefined;
}

/**
 * `POST /v1/index:plan-reshard`, which changes nothing, and `POST /v1/index:reshard`: another
 * number of shards, with as few moved buckets as possible.
 */
export interface ReshardRequest extends IndexRequest {
  /** Number of shards afterwards. */
  readonly shards: number;
}

/** `POST /v1/index:move-bucket`: one bucket of keys gets another shard. */
export interface MoveBucketRequest extends IndexRequest {
  /** 0 to 1,023. */
  readonly bucket: number;
  /** The shard that gets it. */
  readonly shard: number;
}

/** A search that a rehearsal runs over both definitions. */
export interface RehearsedRequest {
  /** Default: lexical. */
  readonly mode?: SearchMode | undefined;
  /** The request of that mode, without `pit_id` and `min_snapshot`. */
  readonly request: SearchRequest | SemanticRequest | HybridRequest;
  /** How relevant documents are, 0 or more; those that are not named have 0. */
  readonly judgments?: readonly Judgment[] | undefined;
}

/** How relevant a document is to a query. */
export interface Judgment {
  readonly key: Coordinates;
  readonly grade: number;
}

/** `POST /v1/index:rehearse`: searches over a sample of the table, under both definitions. */
export interface RehearseAlterRequest extends Omit<AlterIndexRequest, 'apply'> {
  /** Default: the caller's saved queries of the index. */
  readonly queries?: readonly RehearsedRequest[] | undefined;
  /** Rows of the table, chosen evenly; 20,000 by default. */
  readonly sample?: number | undefined;
}

/** A definition to be checked. */
export interface ValidateDefinitionRequest extends CreateIndexRequest {
  /** Also check against the table's schema. */
  readonly against_source?: boolean | undefined;
  /** The location of the table; it overrides the definition. */
  readonly source?: TableConfig | { readonly catalog: CatalogConfig } | undefined;
}

/** The documents that a query finds; all of them without one. */
export interface ExportRequest extends IndexRequest {
  readonly query?: string | undefined;
}
