import type { Coordinates } from '../coordinates.ts';
import type {
  GenerationDescription,
  MergeFailure,
  PublishedState,
} from '../generation-description.ts';
import type { Json, JsonObject } from '../json.ts';
import type { SyncedBy } from '../next-step.ts';
import type { SearchMode } from '../search/request.ts';
import type { LackingCopies, ShardDescription } from '../shard-description.ts';
import type { WindowList } from '../window-description.ts';

/** One thing that is wrong (or odd) in a definition: 1-based line and column (UTF-16 units). */
export interface DefinitionIssue {
  readonly severity: 'error' | 'warning';
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** A mapped field and what it can do. */
export interface FieldDescription {
  readonly name: string;
  readonly type: string;
  /** What it holds, by the definition. */
  readonly description?: string;
  readonly indexed: boolean;
  readonly fast: boolean;
  readonly cached: boolean;
  readonly analyzer?: string;
  /** KEYWORD: values are compared without case and accents. Absent: as they are. */
  readonly folded?: boolean;
  readonly sensitive?: boolean;
  /** A document may hold several values (the source column is a list). */
  readonly multi_valued?: boolean;
  readonly source: readonly string[];
  /** Bytes above which a value is cut (TEXT, VECTOR) or left out (KEYWORD). */
  readonly max_bytes?: number;
  /** Of a field of a variant's shape: the path in the column. */
  readonly path?: string;
  /** Of such a field: the discriminator's values whose rows have it; absent: all rows. */
  readonly when?: readonly string[];
}

/** A VARIANT column. */
export interface VariantDescription {
  readonly column: string;
  readonly flatten: boolean;
  /** The path whose value selects the shape of a row. */
  readonly discriminator?: string;
}

/** An analyzer of the definition's own. */
export interface AnalyzerDescription {
  readonly name: string;
  readonly tokenizer: string;
  readonly filters: readonly Json[];
  readonly options: JsonObject;
}

/** A VECTOR field: how it is stored and what is in it. */
export interface VectorFieldDescription {
  readonly name: string;
  readonly dims: number;
  readonly similarity: 'cosine' | 'dot' | 'l2';
  readonly index: 'auto' | 'flat' | 'hnsw';
  /** What made the vectors; null: they came with the rows. `checksum` once the index is built. */
  readonly model: { readonly name: string; readonly checksum?: string } | null;
  /** Live documents with a vector. */
  readonly documents?: number;
  /** Bytes on disk. */
  readonly bytes?: number;
}

/**
 * `POST /v1/index:describe`. `bytes`: size on disk of the live generation. For the callers of a
 * tenant `num_docs` counts the tenant's documents; what describes the whole index and its table is
 * absent.
 */
export interface IndexDescription {
  readonly index: string;
  /** What its rows are, by the definition. */
  readonly description?: string;
  readonly status: 'created' | 'live';
  readonly num_docs: number;
  readonly deleted_docs?: number;
  readonly segments?: number;
  readonly bytes?: number;
  /** Absent before the first reindex. */
  readonly shards?: readonly ShardDescription[];
  /** Absent before the first reindex, and if the index has no windows. */
  readonly windows?: WindowList;
  readonly snapshot: string | null;
  readonly checkpoint?: JsonObject | null;
  /**
   * Digest of the catalog's read restrictions under which the rows were read; absent: there were
   * none.
   */
  readonly read_restrictions?: string;
  /** Present if its caller cannot sync it. */
  readonly synced_by?: SyncedBy;
  readonly index_generation: number;
  /** The live generation and the kept ones. Absent before the first reindex. */
  readonly generations?: readonly GenerationDescription[];
  /** Absent if its commits are in the data folder alone. */
  readonly published?: PublishedState;
  /** Present while the last merge of segments failed. */
  readonly merge_failure?: MergeFailure;
  readonly key: {
    readonly partition: readonly string[];
    readonly identifier: readonly string[];
    /** Types of the table's columns, partition first. Absent before the first reindex. */
    readonly types?: readonly string[];
  };
  readonly source?: JsonObject;
  readonly fields: readonly FieldDescription[];
  /** The fields that words without a field search. */
  readonly default_fields: readonly string[];
  /** DATE fields. */
  readonly time_fields: readonly string[];
  /** Fields that `sort` accepts besides `_score` and `_key`. */
  readonly sort_fields: readonly string[];
  readonly vector_fields: readonly VectorFieldDescription[];
  /** The field that names each row's tenant. */
  readonly tenant_field?: string;
  readonly variants: readonly VariantDescription[];
  readonly analyzers: readonly AnalyzerDescription[];
}

/** `POST /v1/index:definition`: the definition in force. */
export interface IndexDefinition {
  readonly index: string;
  /** As it was written; over a service, source, store and models have the names of its settings. */
  readonly definition: string;
}

/**
 * How a change is made. `live`: it takes effect at once and touches no segment. `field`: a new
 * generation takes over the documents and files of the live one; changed fields alone are built,
 * from the columns that they use. `reindex`: a new generation is built from the table.
 */
export type AlterStrategy = 'live' | 'field' | 'reindex';

/** One difference between two definitions. */
export interface AlterChange {
  /** The setting's path in the definition, such as `fields.title.analyzer`. */
  readonly setting: string;
  /** The values before and after; null: there is none. */
  readonly from: Json;
  readonly to: Json;
  readonly strategy: AlterStrategy;
  /** Why this strategy, and what the change does to documents that are indexed already. */
  readonly reason: string;
  /** Columns of the table that the change reads. Absent: none. */
  readonly columns?: readonly string[];
  /** Texts that the change embeds, at most. Absent: none. */
  readonly texts?: number;
}

/** What an alter by field reads, by the metadata of the table's snapshot. */
export interface FieldCost {
  /** Fields that are built. Fields that are dropped, or lose a structure, cost nothing. */
  readonly fields: readonly string[];
  /** Columns of the table that are read. */
  readonly columns: readonly string[];
  /** Rows that are read; 0 if no column is. */
  readonly rows: number;
  /** Bytes of the columns in the data files: an estimate where the table does not record them. */
  readonly bytes: number;
  /** Texts to embed, at most: those in the embedding cache are not embedded again. */
  readonly texts: number;
}

/** What a reindex reads, by the metadata of the table's snapshot. */
export interface ReindexCost {
  readonly rows: number;
  /** Bytes of the data files. */
  readonly bytes: number;
  /** Texts to embed, at most: those in the embedding cache are not embedded again. */
  readonly texts: number;
}

/** `POST /v1/index:alter`: what a new definition changes, and what was done. */
export interface AlterPlan {
  readonly index: string;
  /** The two definitions mean the same. */
  readonly is_noop: boolean;
  /** The costliest strategy of the changes, by which all of them are made; `none`: a no-op. */
  readonly strategy: AlterStrategy | 'none';
  readonly requires_reindex: boolean;
  /** A line for each change that requires a reindex. */
  readonly reindex_reasons: readonly string[];
  /** A line for each change that is live at once. */
  readonly in_place_changes: readonly string[];
  /** A line for each change that is made by field if no reindex is required. */
  readonly field_changes: readonly string[];
  readonly changes: readonly AlterChange[];
  /** Present if the changes are made by field. */
  readonly field_cost?: FieldCost;
  /** Present if a reindex is required. */
  readonly reindex_cost?: ReindexCost;
  /** The new definition is in force. */
  readonly applied: boolean;
  /** A reindex was part of it: not a build of single fields. */
  readonly reindex_triggered: boolean;
  /** The live generation afterwards; 0: none is built. */
  readonly generation: number;
}

/** A bucket of keys that gets another shard. */
export interface BucketMove {
  /** 0 to 1,023. */
  readonly bucket: number;
  readonly from: number;
  readonly to: number;
}

/**
 * `POST /v1/index:plan-reshard`, `POST /v1/index:reshard` and `POST /v1/index:move-bucket`: which
 * buckets get which shards.
 */
export interface ReshardPlan {
  readonly index: string;
  /** Number of shards before. */
  readonly former_shards: number;
  /** Number of shards afterwards. */
  readonly shards: number;
  /** Buckets whose shard changes, ascending. */
  readonly moves: readonly BucketMove[];
  /** Number of buckets of each shard afterwards. */
  readonly buckets: readonly number[];
  /** Documents of the moved buckets, if all buckets have as many; null before the first build. */
  readonly docs_moved: number | null;
  /** Bytes of these documents on disk, likewise. */
  readonly bytes_moved: number | null;
  /** The new shards are in force. */
  readonly applied: boolean;
  /** The live generation; 0: none is built. */
  readonly generation: number;
}

/** `POST /v1/index:rollback`: which generation is live now. */
export interface RollbackResponse {
  readonly index: string;
  /** The live generation, and the one that was live before; that one is kept. */
  readonly index_generation: number;
  readonly former_generation: number;
  /** Version of the definition in force. */
  readonly definition_version: number;
  readonly snapshot: string | null;
  readonly doc_count: number;
  /** Snapshots that the generation had to apply first. */
  readonly snapshots_applied: number;
  readonly took_ms: number;
}

/** `DELETE /v1/indexes/{name}`: what went with an index. Its table is as it was. */
export interface DropResponse {
  readonly index: string;
  /** Aliases of the index. */
  readonly aliases: readonly string[];
  /** Saved queries of all users that named the index or one of its aliases. */
  readonly saved_queries: number;
  /** Records of jobs. */
  readonly jobs: number;
  /** Generations, the live one and staged ones among them. */
  readonly generations: number;
  readonly points_in_time: number;
  /** Bytes on disk. */
  readonly bytes: number;
}

/** `POST /v1/index:rename`: what follows the new name. Tokens do not: they name indexes. */
export interface RenameResponse {
  /** The new name. */
  readonly index: string;
  readonly previous_name: string;
  /** Aliases of the index. */
  readonly aliases: readonly string[];
  /** Saved queries of all users that named the index: they have the new name. */
  readonly saved_queries: number;
}

/** `POST /v1/index:move`: where the commits of an index are now. */
export interface MoveIndexResponse {
  readonly index: string;
  /** The store; null: the data folder alone. */
  readonly storage: string | null;
  /** Where they were before. */
  readonly previous_storage: string | null;
  readonly took_ms: number;
}

/** A new index, and what it shares with the one that it was cloned from. */
export interface CloneResponse {
  /** The new index. */
  readonly index: string;
  readonly cloned_from: string;
  /** The generation that was cloned, and its number in the new index. */
  readonly index_generation: number;
  readonly snapshot: string | null;
  readonly num_docs: number;
  /** Bytes of the index's files. */
  readonly bytes: number;
  /** Bytes that were copied: cached embeddings, and files that the system does not link. */
  readonly bytes_copied: number;
  readonly took_ms: number;
}

/** What the sample of one definition is like. */
export interface RehearsedIndex {
  /** Bytes of its segments. */
  readonly bytes: number;
  readonly build_ms: number;
  /** Median time of a search, microseconds; null: there were none. */
  readonly search_us: number | null;
}

/** The first ten hits of one search under both definitions. */
export interface RehearsedQuery {
  readonly mode: SearchMode;
  /** The query string or text. */
  readonly query: string;
  /** Hits that both have, over the hits of the longer list; 1: none has any. */
  readonly overlap: number;
  /** Hits of the new definition alone, and of the old one alone. */
  readonly entered: readonly Coordinates[];
  readonly left: readonly Coordinates[];
  /** Ranks that the common hits have moved, on average. */
  readonly moved: number;
  /** nDCG@10 by the judgments; absent without them. */
  readonly ndcg?: { readonly from: number; readonly to: number };
  /** Why the search fails under the new definition. */
  readonly error?: string;
}

/** `POST /v1/index:rehearse`. `from` is the definition in force, `to` the new one. */
export interface Rehearsal {
  readonly index: string;
  /** Rows of the sample. */
  readonly rows: number;
  readonly from: RehearsedIndex;
  readonly to: RehearsedIndex;
  readonly queries: readonly RehearsedQuery[];
  /** Averages over the queries, and over those with judgments; null: there are none. */
  readonly overlap: number | null;
  readonly ndcg: { readonly from: number; readonly to: number } | null;
  readonly took_ms: number;
}

/** An index in a list. */
export interface IndexSummary {
  readonly name: string;
  /** What its rows are, by the definition. */
  readonly description?: string;
  readonly status: 'created' | 'live';
  readonly num_docs: number;
  readonly bytes: number;
  readonly snapshot: string | null;
  /** Why the index cannot be opened, if it cannot. */
  readonly error?: string;
  /** Shards of a cluster that no node has: their rows are not counted. Absent: none. */
  readonly missing_shards?: readonly number[];
  /** Shards of a cluster that fewer nodes have than `replicas` requires. Absent: none. */
  readonly lacking_copies?: readonly LackingCopies[];
}

/** A live document: its key and all its cached and fast fields. */
export interface ExportedDocument {
  readonly coordinates: Coordinates;
  readonly fields: JsonObject;
}
