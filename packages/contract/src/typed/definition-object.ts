import type { FusionMethod } from '../search/request.ts';
import type { CatalogConfig, S3Config } from '../source/request.ts';

type Texts = string | readonly string[];
type SynonymRules = readonly (string | readonly string[])[];

/** What fields of every type have. */
interface AnyField {
  readonly name: string;
  /** Columns of the table. Default: the one of this name. */
  readonly source?: Texts | undefined;
  readonly description?: string | undefined;
  readonly sensitive?: boolean | undefined;
  readonly indexed?: boolean | undefined;
  readonly cached?: boolean | undefined;
}

/** A TEXT field: words. */
export interface TextObject extends AnyField {
  readonly type: 'TEXT';
  readonly analyzer?: string | undefined;
  readonly synonyms?: SynonymRules | false | undefined;
  readonly best_documents?: boolean | undefined;
  readonly max_bytes?: number | undefined;
}

/** A field of whole values. */
export interface ValueObject extends AnyField {
  readonly type: 'KEYWORD' | 'LONG' | 'DOUBLE' | 'DATE' | 'IP' | 'BOOL';
  /** It sorts, groups and has facets. Default: true, of KEYWORD false. */
  readonly fast?: boolean | undefined;
  /** KEYWORD only. */
  readonly folded?: boolean | undefined;
  /** KEYWORD only. */
  readonly max_bytes?: number | undefined;
  /** DATE over whole numbers only. */
  readonly format?: 'epoch_s' | 'epoch_ms' | 'epoch_us' | undefined;
}

/** A VECTOR field. */
export interface VectorObject extends Omit<AnyField, 'indexed' | 'cached'> {
  readonly type: 'VECTOR';
  readonly dims?: number | undefined;
  readonly model?: string | undefined;
  readonly similarity?: 'cosine' | 'dot' | 'l2' | undefined;
  readonly index?: 'auto' | 'flat' | 'hnsw' | undefined;
  readonly search?: 'auto' | 'flat' | 'graph' | undefined;
}

/** A field of a definition. */
export type FieldObject = TextObject | ValueObject | VectorObject;

/** A VARIANT, STRUCT or MAP column whose paths are fields. */
export interface VariantObject {
  readonly column: string;
  readonly flatten?: boolean | undefined;
  readonly analyzer?: string | undefined;
  readonly discriminator?: string | undefined;
  readonly shapes?: readonly object[] | undefined;
}

/** The definition of an index as an object: what its YAML says (docs/definition.md). */
export interface DefinitionObject {
  readonly version: 1;
  readonly index: string;
  readonly description?: string | undefined;
  readonly source:
    | {
        /** A service takes the name of a catalog in its configuration. */
        readonly catalog: CatalogConfig | string;
        readonly table: string;
        readonly ref?: string | undefined;
      }
    | {
        /** A service takes a path below a root of its configuration. */
        readonly root?: string | undefined;
        readonly path: string;
        readonly ref?: string | undefined;
        readonly s3?: S3Config | undefined;
      };
  readonly key?:
    | 'row'
    | { readonly partition?: Texts | undefined; readonly identifier?: Texts | undefined }
    | undefined;
  readonly on_duplicate_key?: 'refuse' | 'last' | undefined;
  readonly on_bad_row?: 'refuse' | 'skip' | undefined;
  readonly freshness_ms?: number | undefined;
  readonly keep_previous?: number | string | undefined;
  readonly tenant_field?: string | undefined;
  readonly hybrid?:
    | {
        readonly fusion?: FusionMethod | undefined;
        readonly weight?: number | undefined;
        readonly depth?: number | undefined;
      }
    | undefined;
  readonly default_fields?: readonly string[] | undefined;
  readonly fields?: readonly FieldObject[] | undefined;
  readonly variants?: readonly VariantObject[] | undefined;
  readonly synonyms?: SynonymRules | string | undefined;
  readonly analyzers?:
    | readonly {
        readonly name: string;
        readonly tokenizer: string;
        readonly filters?: readonly unknown[] | undefined;
        readonly [option: string]: unknown;
      }[]
    | undefined;
  readonly sharding?:
    | {
        readonly shards?: number | undefined;
        readonly buckets?: 1024 | undefined;
        readonly map?: readonly string[] | undefined;
        readonly only?: readonly number[] | undefined;
      }
    | undefined;
  readonly windows?:
    | {
        readonly field: string;
        readonly every: 'day' | 'week' | 'month' | 'year';
        readonly hot?: number | undefined;
      }
    | undefined;
  readonly storage?: string | undefined;
  readonly replicas?: number | undefined;
}
