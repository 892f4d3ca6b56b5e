/** Where a clause came from in the query string (UTF-16 units), for messages. Absent for trees. */
export interface Span {
  readonly from: number;
  readonly to: number;
}
interface Node {
  readonly span?: Span;
  /**
   * The field's name in the query string, when it is written there: unknown fields are underlined
   * with it.
   */
  readonly fieldSpan?: Span;
}
/** One end of a range: the value as written. */
export interface Bound {
  readonly value: string;
  readonly inclusive: boolean;
}

/**
 * The query tree: frozen plain values, made by both string syntaxes and by the JSON tree alike.
 * `field` is always resolved (bare terms carry the default field's name). Values are texts as the
 * user wrote them; coercion to the field's type happens when the tree is bound to an index
 * (query/bind).
 *
 * A quoted value is a `phrase`; on a field that is not TEXT it means what a `term` means, and has
 * no slop. A `bool` without must, should and filter is every document that no must_not matches.
 */
export type Query =
  | (Node & { readonly kind: 'match_all' })
  | (Node & { readonly kind: 'match_none' })
  | (Node & { readonly kind: 'term'; readonly field: string; readonly value: string })
  | (Node & { readonly kind: 'terms'; readonly field: string; readonly values: readonly string[] })
  | (Node & {
      readonly kind: 'phrase';
      readonly field: string;
      readonly value: string;
      readonly slop: number;
    })
  | (Node & { readonly kind: 'prefix'; readonly field: string; readonly value: string })
  | (Node & { readonly kind: 'wildcard'; readonly field: string; readonly value: string })
  | (Node & { readonly kind: 'regex'; readonly field: string; readonly value: string })
  | (Node & {
      readonly kind: 'fuzzy';
      readonly field: string;
      readonly value: string;
      readonly edits: number;
    })
  | (Node & {
      readonly kind: 'range';
      readonly field: string;
      readonly lower?: Bound;
      readonly upper?: Bound;
    })
  | (Node & { readonly kind: 'cidr'; readonly field: string; readonly value: string })
  | (Node & { readonly kind: 'exists'; readonly field: string })
  | (Node & {
      /** Analysed words joined by `operator`: what a plain text box sends. */
      readonly kind: 'match';
      readonly field: string;
      readonly value: string;
      readonly operator: 'or' | 'and';
    })
  | (Node & {
      /**
       * The `k` documents whose vectors are nearest to a text's meaning or to a vector, of those
       * that `filter` leaves: asked for before binding (query/bind/nearest.ts).
       */
      readonly kind: 'knn';
      readonly field: string;
      readonly query_text?: string;
      readonly query_vector?: readonly number[];
      readonly k?: number;
      readonly filter?: Query;
      readonly min_score?: number;
      readonly exact?: boolean;
      readonly ef?: number;
    })
  | (Node & {
      readonly kind: 'bool';
      readonly must: readonly Query[];
      readonly should: readonly Query[];
      readonly must_not: readonly Query[];
      readonly filter: readonly Query[];
      /** Default: 1 when there is neither must nor filter, else 0. */
      readonly minimum_should_match?: number;
    })
  | (Node & { readonly kind: 'boost'; readonly query: Query; readonly factor: number });
