import type { Analyzer } from '../analysis/analyzer.ts';
import type { FieldType, Similarity, VectorIndex, VectorSearch } from './definition.ts';

/** How a VECTOR field is stored and compared. */
export interface VectorPlan {
  readonly dims: number;
  readonly similarity: Similarity;
  /** auto: a graph where a segment is large enough to profit, else a scan. */
  readonly index: VectorIndex;
  /** How segments with a graph are searched; absent: by estimated cost. */
  readonly search?: VectorSearch;
  /** What makes the vectors: `default`, a folder; null: the source column holds them. */
  readonly model: string | null;
  /** Which model that is (ModelIdentity.checksum), once it is known: for the commit. */
  readonly checksum?: string;
}

/** How an analysed field is stored. */
export interface TextPlan {
  readonly kind: 'text';
  readonly analyzer: Analyzer;
  /** Whether frequent terms store their best documents (postings/best-docs.ts). Absent: they do. */
  readonly bestDocs?: boolean;
}

/**
 * What a segment keeps of one field: the mapping, resolved to structures. `id` is stable within a
 * generation and names the component files, never the user's text.
 */
export interface FieldPlan {
  readonly id: number;
  readonly name: string;
  readonly type: FieldType;
  /**
   * Terms and postings. TEXT: analysed, positions and exact lengths. KEYWORD: a value is a term,
   * documents only.
   */
  readonly inverted: null | TextPlan | { readonly kind: 'keyword' };
  /**
   * numeric: LONG, DATE, BOOL as i64, DOUBLE as ordered i64. ordinal: KEYWORD as UTF-8, IP as 16
   * bytes.
   */
  readonly column: null | 'numeric' | 'ordinal';
  /** Values that are returned with hits and that no column can give back. */
  readonly stored: boolean;
  /** KEYWORD: values are folded; the field of this id has the originals (folded-keyword.ts). */
  readonly folded?: { readonly originals: number };
  /** VECTOR: one vector a document, or none. Absent for other types. */
  readonly vector?: VectorPlan;
}

/** What a generation fixed when it was built (`builtAs` of its commit). */
export interface BuiltAs {
  /** Ids of its fields by name. */
  readonly ids: ReadonlyMap<string, number>;
  /** Key columns whose numbers are in sorting form (`KeySpec.numbers`). */
  readonly keyNumbers: readonly number[];
}

/** Whether a field has words or values of KEYWORD as terms. */
export const hasTerms = ({ type, inverted }: FieldPlan): boolean =>
  inverted !== null && (type === 'TEXT' || type === 'KEYWORD');
