import type { Coordinates } from '../coordinates.ts';

/** What a key of the JSON tree holds. `F`: names of fields. */
interface KeyValues<F extends string> {
  field: F;
  fields: readonly F[];
  value: string | number | boolean;
  values: readonly (string | number | boolean)[];
  slop: number;
  edits: number;
  operator: 'or' | 'and';
  factor: number;
  minimum: number | string;
  autoEdits: number | 'auto';
  length: number;
  share: number;
  zeroTerms: 'none' | 'all';
  keys: readonly Coordinates[];
  text: string;
  vector: readonly number[];
  nearest: number;
  count: number;
  score: number;
  flag: boolean;
  clause: QueryTree<F>;
  clauses: readonly QueryTree<F>[];
}

/** The kinds of keys in the JSON tree. */
export type KeyKind = keyof KeyValues<string>;

/** The keys of one tag. */
export interface TagShape {
  readonly required: Readonly<Record<string, KeyKind>>;
  readonly optional: Readonly<Record<string, KeyKind>>;
}
const shape = <
  const R extends TagShape['required'],
  const O extends TagShape['optional'] = Readonly<Record<never, never>>,
>(
  required: R,
  optional?: O,
) => ({ required, optional: optional ?? ({} as O) });
const VALUED = { field: 'field', value: 'value' } as const;

/** The JSON tree, one entry a tag: the one table behind reader, JSON schema and types. */
export const QUERY_TAGS = Object.freeze({
  match_all: shape({}),
  match_none: shape({}),
  term: shape(VALUED),
  terms: shape({ field: 'field', values: 'values' }),
  phrase: shape(VALUED, { slop: 'slop', zero_terms: 'zeroTerms' }),
  phrase_prefix: shape(VALUED, { zero_terms: 'zeroTerms' }),
  prefix: shape(VALUED),
  wildcard: shape(VALUED),
  regex: shape(VALUED),
  fuzzy: shape(VALUED, { edits: 'edits', prefix_length: 'length' }),
  range: shape({ field: 'field' }, { gt: 'value', gte: 'value', lt: 'value', lte: 'value' }),
  cidr: shape(VALUED),
  exists: shape({ field: 'field' }),
  ids: shape({ keys: 'keys' }),
  match: shape(VALUED, {
    operator: 'operator',
    minimum_should_match: 'minimum',
    edits: 'autoEdits',
    prefix_length: 'length',
    last_prefix: 'flag',
    zero_terms: 'zeroTerms',
  }),
  more_like_this: shape(
    {},
    {
      fields: 'fields',
      text: 'text',
      keys: 'keys',
      min_term_freq: 'count',
      min_doc_freq: 'count',
      max_query_terms: 'count',
      minimum_should_match: 'minimum',
    },
  ),
  knn: shape(
    { field: 'field' },
    {
      query_text: 'text',
      query_vector: 'vector',
      k: 'nearest',
      filter: 'clause',
      min_score: 'score',
      exact: 'flag',
      ef: 'nearest',
    },
  ),
  bool: shape(
    {},
    {
      must: 'clauses',
      should: 'clauses',
      must_not: 'clauses',
      filter: 'clauses',
      minimum_should_match: 'minimum',
    },
  ),
  boost: shape({ query: 'clause', factor: 'factor' }),
  dis_max: shape({ queries: 'clauses' }, { tie_breaker: 'share' }),
  constant_score: shape({ filter: 'clause' }),
  boosting: shape({ positive: 'clause', negative: 'clause', negative_boost: 'factor' }),
});

type Tags = typeof QUERY_TAGS;
type Required<T extends keyof Tags> = Tags[T]['required'];
type Optional<T extends keyof Tags> = Tags[T]['optional'];
type ValueOf<Kind, F extends string> = Kind extends KeyKind ? KeyValues<F>[Kind] : never;

/** The keys of the tag `T` in a tree over fields of the names `F`. */
export type TagKeys<T extends keyof Tags, F extends string = string> = {
  readonly [K in keyof Required<T>]: ValueOf<Required<T>[K], F>;
} & { readonly [K in keyof Optional<T>]?: ValueOf<Optional<T>[K], F> };

/**
 * A query as a JSON tree: `{term: {field: 'author', value: 'jo'}}`. `F`: names of fields that it
 * may use.
 */
export type QueryTree<F extends string = string> = {
  readonly [T in keyof Tags]: { readonly [K in T]: TagKeys<T, F> };
}[keyof Tags];
