import type { FieldType } from '@lakehouse-search/contract';
import type { FusionDefaults } from '@lakehouse-search/contract/internal';
import type { CatalogConfig, S3Config } from '@lakehouse-search/lake';
import type { BucketMap } from './sharding/bucket-map.ts';
import type { WindowUnit } from './windows.ts';

export type { FieldType };
/** The types of fields. */
export const FIELD_TYPES: readonly FieldType[] = [
  'TEXT',
  'KEYWORD',
  'LONG',
  'DOUBLE',
  'DATE',
  'IP',
  'BOOL',
  'VECTOR',
];

/** How vectors of a VECTOR field are compared, and searched. */
export const SIMILARITIES = ['cosine', 'dot', 'l2'] as const;
/** How vectors are stored for searches. */
export const VECTOR_INDEXES = ['auto', 'flat', 'hnsw'] as const;
/** How vectors are searched. */
export const VECTOR_SEARCHES = ['auto', 'flat', 'graph'] as const;
/** How two vectors are compared. */
export type Similarity = (typeof SIMILARITIES)[number];
/** How a VECTOR field is indexed. */
export type VectorIndex = (typeof VECTOR_INDEXES)[number];
/** How a VECTOR field is searched. */
export type VectorSearch = (typeof VECTOR_SEARCHES)[number];

/** A VECTOR field of a definition. */
export interface VectorDefinition {
  /** Absent: as many as the default model gives. */
  readonly dims?: number;
  /**
   * `default`, or a folder (relative to that of the definition's file). Absent: the
   * default model for texts, none for a column that holds vectors.
   */
  readonly model?: string;
  readonly similarity: Similarity;
  readonly index: VectorIndex;
  /** How segments with a graph are searched. Absent: by estimated cost. */
  readonly search?: VectorSearch;
}

/** Texts that stand for each other in queries. */
export interface SynonymRule {
  readonly from: readonly string[];
  /** What stands in place of each of them. Absent: all of them. */
  readonly to?: readonly string[];
}

/** A field, defaults filled in. */
export interface FieldDefinition {
  readonly name: string;
  readonly type: FieldType;
  /** What the field holds, for those who search it. */
  readonly description?: string;
  /**
   * Source columns; several only for TEXT and VECTOR (joined by a line feed). For a shape field:
   * the variant column.
   */
  readonly source: readonly string[];
  /** Path inside a variant column, for a shape's field. */
  readonly path?: readonly string[];
  /** Discriminator values of which a row must have one, for a shape's field. Absent: every row. */
  readonly when?: readonly string[];
  readonly indexed: boolean;
  readonly fast: boolean;
  readonly cached: boolean;
  readonly sensitive: boolean;
  /**
   * Longer source values are cut at a character boundary (TEXT, VECTOR) or not indexed (KEYWORD).
   */
  readonly maxBytes?: number;
  /** KEYWORD only: values are compared without case and accents. Absent: as they are. */
  readonly folded?: true;
  /** TEXT only. */
  readonly analyzer?: string;
  /** TEXT only: in place of those of the definition. */
  readonly synonyms?: readonly SynonymRule[];
  /** TEXT only, false: frequent words do not store their best documents. Absent: they do. */
  readonly bestDocuments?: false;
  /** DATE only: how a LONG source column counts. */
  readonly format?: 'epoch_s' | 'epoch_ms' | 'epoch_us';
  /** VECTOR only. */
  readonly vector?: VectorDefinition;
}

/** A VARIANT column: flattened, shaped, or both. */
export interface VariantDefinition {
  readonly column: string;
  readonly flatten: boolean;
  /** Of the words of a flattened column. Absent: `standard`. */
  readonly analyzer?: string;
  readonly discriminator?: readonly string[];
}

/** A custom analyzer: a tokenizer with its options, and filters. */
export interface AnalyzerDefinition {
  readonly name: string;
  readonly tokenizer: string;
  readonly filters: readonly (string | Readonly<Record<string, unknown>>)[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** Windows of an index: documents with dates of one period are stored together. */
export interface WindowsDefinition {
  /** Name of a DATE field with at most one value. */
  readonly field: string;
  readonly every: WindowUnit;
  /** Number of the newest windows that are hot; the others are cold. Absent: all are hot. */
  readonly hot?: number;
}

/**
 * How long the former generation of an index is kept and synced after a new one became live: so
 * many milliseconds, or until so many newer ones have become live (0: not at all).
 */
export type KeepPrevious = { readonly millis: number } | { readonly generations: number };

/** `keep_previous` of a definition that does not set it. */
export const KEEP_PREVIOUS: KeepPrevious = Object.freeze({ millis: 86_400_000 });

/** A checked index definition. `text` is the YAML it came from. */
export interface Definition {
  readonly version: 1;
  readonly index: string;
  /** What the rows are, for those who search them. */
  readonly description?: string;
  readonly source:
    | { readonly catalog: CatalogConfig; readonly table: string; readonly ref?: string }
    | { readonly path: string; readonly ref?: string; readonly s3?: S3Config };
  readonly key: {
    readonly partition: readonly string[];
    /** Empty: the table's identifier fields, filled in when the table is known. */
    readonly identifier: readonly string[];
    /** A row is known by its row id (format 3), or by its data file and position. */
    readonly row?: true;
  };
  readonly onDuplicateKey: 'refuse' | 'last';
  /** What becomes of a row that cannot be indexed: it stops the work, or it has no document. */
  readonly onBadRow: 'refuse' | 'skip';
  /** Names of the fields that bare words search. Absent: as `defaultFieldsOf` chooses. */
  readonly defaultFields?: readonly string[];
  /** Synonyms of words in TEXT fields. Absent: there are none. */
  readonly synonyms?: readonly SynonymRule[];
  /**
   * Age in milliseconds from which the look at the table behind `lag_snapshots` is renewed; 0: with
   * every answer. Absent: the engine's default.
   */
  readonly freshnessMs?: number;
  /** Absent: `KEEP_PREVIOUS`. */
  readonly keepPrevious?: KeepPrevious;
  /** How hybrid searches fuse their arms unless a request says otherwise. */
  readonly hybrid?: FusionDefaults;
  readonly tenantField?: string;
  /** Number of shards that keys are spread over. Absent: 1. */
  readonly shards?: number;
  /** The buckets of each shard (bucket-map.ts). Absent: equal ranges. */
  readonly map?: BucketMap;
  /**
   * The shards that this copy of the index holds, ascending: a node of a cluster holds some. Rows
   * of other shards get no document. Absent: all.
   */
  readonly only?: readonly number[];
  /** The DATE field and the period of windows. Absent: the index has none. */
  readonly windows?: WindowsDefinition;
  /** Where cold windows are: a folder, or `s3://bucket/prefix`. */
  readonly storage?: string;
  /** Nodes of a cluster that have a commit of the store besides the first one. Absent: 1. */
  readonly replicas?: number;
  readonly fields: readonly FieldDefinition[];
  readonly variants: readonly VariantDefinition[];
  readonly analyzers: readonly AnalyzerDefinition[];
  readonly text: string;
}
