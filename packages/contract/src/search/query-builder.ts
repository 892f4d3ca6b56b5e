import type { QueryTree, TagKeys } from './query-tree.ts';

type Value = string | number | boolean;
/** The keys of a tag besides its field and value. */
type Options<T extends 'fuzzy' | 'match' | 'phrase'> = Omit<TagKeys<T>, 'field' | 'value'>;

/** The ends of a range; one that is undefined is left out. */
export interface RangeBounds {
  readonly gt?: Value | undefined;
  readonly gte?: Value | undefined;
  readonly lt?: Value | undefined;
  readonly lte?: Value | undefined;
}

/**
 * Makes query trees: `q.and(q.term('service', 'billing'), q.range('n', { gte: 3 }))`. A value
 * is data, whatever characters it has: nothing of it is read as query syntax.
 */
export const q = Object.freeze({
  all: (): QueryTree<never> => ({ match_all: {} }),
  none: (): QueryTree<never> => ({ match_none: {} }),
  /** The exact value of a field; of a TEXT field the one word. */
  term: <const F extends string>(field: F, value: Value): QueryTree<F> => ({
    term: { field, value },
  }),
  /** Any of the values. */
  terms: <const F extends string>(field: F, values: readonly Value[]): QueryTree<F> => ({
    terms: { field, values },
  }),
  /** The words of a text, as a search box sends it. */
  match: <const F extends string>(
    field: F,
    value: string,
    options?: Options<'match'>,
  ): QueryTree<F> => ({ match: { field, value, ...options } }),
  phrase: <const F extends string>(
    field: F,
    value: string,
    options?: Options<'phrase'>,
  ): QueryTree<F> => ({ phrase: { field, value, ...options } }),
  prefix: <const F extends string>(field: F, value: string): QueryTree<F> => ({
    prefix: { field, value },
  }),
  wildcard: <const F extends string>(field: F, value: string): QueryTree<F> => ({
    wildcard: { field, value },
  }),
  fuzzy: <const F extends string>(
    field: F,
    value: string,
    options?: Options<'fuzzy'>,
  ): QueryTree<F> => ({ fuzzy: { field, value, ...options } }),
  range: <const F extends string>(field: F, bounds: RangeBounds): QueryTree<F> => {
    const ends = Object.entries(bounds).filter(([, value]) => value !== undefined);
    return { range: { field, ...(Object.fromEntries(ends) as Omit<TagKeys<'range'>, 'field'>) } };
  },
  exists: <const F extends string>(field: F): QueryTree<F> => ({ exists: { field } }),
  and: <F extends string>(...must: readonly QueryTree<F>[]): QueryTree<F> => ({ bool: { must } }),
  /** Any of the clauses; of none, no document. */
  or: <F extends string>(...should: readonly QueryTree<F>[]): QueryTree<F> =>
    should.length === 0 ? { match_none: {} } : { bool: { should } },
  /** The documents that none of the clauses finds. */
  not: <F extends string>(...must_not: readonly QueryTree<F>[]): QueryTree<F> => ({
    bool: { must_not },
  }),
  boost: <F extends string>(query: QueryTree<F>, factor: number): QueryTree<F> => ({
    boost: { query, factor },
  }),
});
