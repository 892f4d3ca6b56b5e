import { LhsError } from '../errors.ts';
import type { QueryTree, TagKeys } from './query-tree.ts';
import type { Alike, UnknownKey } from './unknown-key.ts';

type Plain = string | number | boolean;
/** What a field is compared with; a `Date` as ISO 8601. */
type Value = Plain | Date;
/** The keys of a tag besides its field and value. */
type Options<T extends 'fuzzy' | 'match' | 'phrase'> = Omit<TagKeys<T>, 'field' | 'value'>;

/** The ends of a range; one that is undefined is left out. */
export interface RangeBounds {
  readonly gt?: Value | undefined;
  readonly gte?: Value | undefined;
  readonly lt?: Value | undefined;
  readonly lte?: Value | undefined;
}

/** Refuses bounds that are all undefined, and unknown ones. */
type SomeBound<B> = {
  readonly [K in Exclude<keyof B, keyof RangeBounds>]: UnknownKey<K, Alike<K, keyof RangeBounds>>;
} & ([Exclude<B[keyof B], undefined>] extends [never]
  ? { readonly 'a range needs a bound': never }
  : unknown);

/**
 * Makes query trees: `q.and(q.term('service', 'billing'), q.range('n', { gte: 3 }))`. A value
 * is data, whatever characters it has: nothing of it is read as query syntax.
 */
export const q = Object.freeze({
  /** Every document. */
  all: (): QueryTree<never> => ({ match_all: {} }),
  /** No document. */
  none: (): QueryTree<never> => ({ match_none: {} }),
  /** The exact value of a field; of a TEXT field the one word. */
  term: <const F extends string>(field: F, value: Value): QueryTree<F> => ({
    term: { field, value: plain(value) },
  }),
  /** Any of the values. */
  terms: <const F extends string>(field: F, values: readonly Value[]): QueryTree<F> => ({
    terms: { field, values: values.map(plain) },
  }),
  /** The words of a text, as a search box sends it. */
  match: <const F extends string>(
    field: F,
    value: string,
    options?: Options<'match'>,
  ): QueryTree<F> => ({ match: { field, value, ...options } }),
  /** The words of a text side by side; `slop`: words that may be between. */
  phrase: <const F extends string>(
    field: F,
    value: string,
    options?: Options<'phrase'>,
  ): QueryTree<F> => ({ phrase: { field, value, ...options } }),
  /** Values and words that begin with a text. */
  prefix: <const F extends string>(field: F, value: string): QueryTree<F> => ({
    prefix: { field, value },
  }),
  /** Values and words of a pattern with `*` and `?`. */
  wildcard: <const F extends string>(field: F, value: string): QueryTree<F> => ({
    wildcard: { field, value },
  }),
  /** Words and values at most `edits` (2) letters away. */
  fuzzy: <const F extends string>(
    field: F,
    value: string,
    options?: Options<'fuzzy'>,
  ): QueryTree<F> => ({ fuzzy: { field, value, ...options } }),
  /** Values between two bounds. */
  range: <const F extends string, const B extends RangeBounds>(
    field: F,
    bounds: B & SomeBound<B>,
  ): QueryTree<F> => {
    const ends = Object.entries(bounds as Readonly<Record<string, Value | undefined>>).flatMap(
      ([end, value]) => (value === undefined ? [] : [[end, plain(value)]]),
    );
    return { range: { field, ...(Object.fromEntries(ends) as Omit<TagKeys<'range'>, 'field'>) } };
  },
  /** Documents with a value of the field. */
  exists: <const F extends string>(field: F): QueryTree<F> => ({ exists: { field } }),
  /** All of the clauses; of none, every document. */
  and: <F extends string = never>(...must: readonly QueryTree<F>[]): QueryTree<F> => ({
    bool: { must },
  }),
  /** Any of the clauses; of none, no document. */
  or: <F extends string = never>(...should: readonly QueryTree<F>[]): QueryTree<F> =>
    should.length === 0 ? { match_none: {} } : { bool: { should } },
  /** The documents that none of the clauses finds. */
  not: <F extends string = never>(...must_not: readonly QueryTree<F>[]): QueryTree<F> => ({
    bool: { must_not },
  }),
  /** The clause with its scores times a factor. */
  boost: <F extends string>(query: QueryTree<F>, factor: number): QueryTree<F> => ({
    boost: { query, factor },
  }),
});

function plain(value: Value): Plain {
  if (!(value instanceof Date)) return value;
  if (!Number.isNaN(value.getTime())) return value.toISOString();
  throw new LhsError('invalid_argument', 'a query compares with an invalid Date');
}
