import type { Analyzer } from '../analysis/analyzer.ts';
import type { FieldType } from './definition.ts';

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
  readonly inverted:
    | null
    | { readonly kind: 'text'; readonly analyzer: Analyzer }
    | { readonly kind: 'keyword' };
  /**
   * numeric: LONG, DATE, BOOL as i64, DOUBLE as ordered i64. ordinal: KEYWORD as UTF-8, IP as 16
   * bytes.
   */
  readonly column: null | 'numeric' | 'ordinal';
  /** Values that are returned with hits and that no column can give back. */
  readonly stored: boolean;
}
