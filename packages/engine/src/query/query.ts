import type { Coordinates } from '@lakehouse-search/contract';

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
 * How many optional parts must match: a number, or a text of numbers and percentages with
 * conditions (minimum.ts).
 */
export type Minimum = number | string;

/** What a clause without words finds; absent: it drops out of its group. */
export type ZeroTerms = 'none' | 'all';

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
  | (Node & {
      readonly kind: 'term';
      readonly field: string;
      readonly value: string;
      /** Its synonyms are in the query already. */
      readonly expanded?: true;
    })
  | (Node & { readonly kind: 'terms'; readonly field: string; readonly values: readonly string[] })
  | (Node & {
      readonly kind: 'phrase';
      readonly field: string;
      readonly value: string;
      readonly slop: number;
      readonly zero_terms?: ZeroTerms;
      /** Its synonyms are in the query already. */
      readonly expanded?: true;
    })
  | (Node & {
      /** A phrase whose last word is the beginning of one. */
      readonly kind: 'phrase_prefix';
      readonly field: string;
      readonly value: string;
      readonly zero_terms?: ZeroTerms;
    })
  | (Node & { readonly kind: 'prefix'; readonly field: string; readonly value: string })
  | (Node & { readonly kind: 'wildcard'; readonly field: string; readonly value: string })
  | (Node & { readonly kind: 'regex'; readonly field: string; readonly value: string })
  | (Node & {
      readonly kind: 'fuzzy';
      readonly field: string;
      readonly value: string;
      readonly edits: number;
      /** Characters at the beginning that must be equal. Default: 0. */
      readonly prefix_length?: number;
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
      /** Of several words under `or`. Default: 1. */
      readonly minimum_should_match?: Minimum;
      /** Edits per word; `auto`: by its length. Default: 0. */
      readonly edits?: number | 'auto';
      /** Of words with edits: characters at the beginning that must be equal. Default: 0. */
      readonly prefix_length?: number;
      /** The last word is the beginning of one. */
      readonly last_prefix?: boolean;
      readonly zero_terms?: ZeroTerms;
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
      /** The words that tell rows and a text from others: found before binding (bind/nearest.ts). */
      readonly kind: 'more_like_this';
      /** TEXT and KEYWORD fields; absent: the default fields. */
      readonly fields?: readonly string[];
      readonly text?: string;
      /** Keys of rows, which do not match themselves. */
      readonly keys?: readonly Coordinates[];
      /** Of a word in the rows and the text together, at least. */
      readonly min_term_freq: number;
      /** Documents with a word, at least. */
      readonly min_doc_freq: number;
      readonly max_query_terms: number;
      /** Of the words. */
      readonly minimum_should_match: Minimum;
    })
  | (Node & {
      readonly kind: 'bool';
      readonly must: readonly Query[];
      readonly should: readonly Query[];
      readonly must_not: readonly Query[];
      readonly filter: readonly Query[];
      /** Default: 1 when there is neither must nor filter, else 0. */
      readonly minimum_should_match?: Minimum;
    })
  | (Node & {
      /** Any of `queries`; scores the best of them, and the others times `tie_breaker`. */
      readonly kind: 'dis_max';
      readonly queries: readonly Query[];
      readonly tie_breaker: number;
    })
  | (Node & {
      /** The matches of `filter`, each with the score 1. */
      readonly kind: 'constant_score';
      readonly filter: Query;
    })
  | (Node & {
      /** The matches of `positive`; scores of those that `negative` matches are multiplied. */
      readonly kind: 'boosting';
      readonly positive: Query;
      readonly negative: Query;
      readonly negative_boost: number;
    })
  | (Node & {
      /** The documents with these keys. */
      readonly kind: 'ids';
      readonly keys: readonly Coordinates[];
    })
  | (Node & { readonly kind: 'boost'; readonly query: Query; readonly factor: number });

/** Whether a query is made of queries. The filter of a `knn` does not count. */
export const isCompound = ({ kind }: Query): boolean =>
  ['bool', 'boost', 'dis_max', 'constant_score', 'boosting'].includes(kind);

/** The queries directly inside of a query, but for the filter of a `knn`. */
export function innerQueries(query: Query): readonly Query[] {
  switch (query.kind) {
    case 'bool':
      return [...query.must, ...query.filter, ...query.should, ...query.must_not];
    case 'boost':
      return [query.query];
    case 'dis_max':
      return query.queries;
    case 'constant_score':
      return [query.filter];
    case 'boosting':
      return [query.positive, query.negative];
    default:
      return [];
  }
}

/** The query with other leaves. `knn` nodes are leaves. */
export function mapLeaves(query: Query, read: (leaf: Query) => Query): Query {
  const inner = (part: Query) => mapLeaves(part, read);
  switch (query.kind) {
    case 'bool': {
      const { must, should, must_not, filter } = query;
      const parts = Object.entries({ must, should, must_not, filter });
      const mapped = Object.fromEntries(parts.map(([name, list]) => [name, list.map(inner)]));
      return Object.freeze({ ...query, ...mapped });
    }
    case 'boost':
      return Object.freeze({ ...query, query: inner(query.query) });
    case 'dis_max':
      return Object.freeze({ ...query, queries: query.queries.map(inner) });
    case 'constant_score':
      return Object.freeze({ ...query, filter: inner(query.filter) });
    case 'boosting': {
      const parts = { positive: inner(query.positive), negative: inner(query.negative) };
      return Object.freeze({ ...query, ...parts });
    }
    default:
      return read(query);
  }
}

/** The queries directly inside of a query that its matches may be due to. */
export function positiveQueries(query: Query): readonly Query[] {
  if (query.kind === 'bool') return [...query.must, ...query.should, ...query.filter];
  return query.kind === 'boosting' ? [query.positive] : innerQueries(query);
}
