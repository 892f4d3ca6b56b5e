import type { Coordinates, KeyPart, QueryTree, TagKeys } from '@lakehouse-search/contract';
import type { Query } from '../query.ts';
import { LIKE_DEFAULTS } from './read.ts';

/**
 * The JSON tree of a query, without its spans; keys that hold their default are left out. readTree
 * gives the query back.
 */
export function writeTree(query: Query): QueryTree {
  switch (query.kind) {
    case 'match_all':
      return { match_all: {} };
    case 'match_none':
      return { match_none: {} };
    case 'terms':
      return { terms: { field: query.field, values: query.values } };
    case 'phrase':
      return { phrase: valued(query, { ...(query.slop > 0 && { slop: query.slop }) }) };
    case 'fuzzy':
      return { fuzzy: valued(query, { edits: query.edits }) };
    case 'match':
      return { match: valued(query, { ...(query.operator === 'and' && { operator: 'and' }) }) };
    case 'dis_max': {
      const queries = query.queries.map(writeTree);
      const tie = query.tie_breaker;
      return { dis_max: tie === 0 ? { queries } : { queries, tie_breaker: tie } };
    }
    case 'constant_score':
      return { constant_score: { filter: writeTree(query.filter) } };
    case 'boosting': {
      const { positive, negative, negative_boost } = query;
      const parts = { positive: writeTree(positive), negative: writeTree(negative) };
      return { boosting: { ...parts, negative_boost } };
    }
    case 'ids':
      return { ids: { keys: query.keys.map(keyJson) } };
    case 'exists':
      return { exists: { field: query.field } };
    case 'range':
      if (!query.lower && !query.upper) return { exists: { field: query.field } };
      return { range: range(query) };
    case 'knn':
      return { knn: knn(query) };
    case 'more_like_this':
      return { more_like_this: moreLikeThis(query) };
    case 'bool':
      return { bool: bool(query) };
    case 'boost':
      return { boost: { query: writeTree(query.query), factor: query.factor } };
    default:
      return { [query.kind]: valued(query, {}) } as QueryTree;
  }
}

type Valued = Extract<Query, { readonly value: string }>;

/** Options of clauses with a value that are absent unless they say something. */
const OPTIONS = [
  'minimum_should_match',
  ...['edits', 'prefix_length', 'last_prefix', 'zero_terms'],
] as const;

function valued<More extends object>(query: Valued, more: More) {
  const out: Record<string, unknown> = {};
  const options: Readonly<Record<string, unknown>> = { ...query };
  for (const name of OPTIONS) {
    if (options[name] !== undefined) out[name] = options[name];
  }
  return { field: query.field, value: query.value, ...more, ...out };
}

function keyJson({ partition, identifier }: Coordinates): Coordinates {
  const parts = (list: readonly KeyPart[]) => list.map(({ name, value }) => ({ name, value }));
  if (partition === undefined) return { identifier: parts(identifier) };
  return { partition: parts(partition), identifier: parts(identifier) };
}

function range(query: Query & { readonly kind: 'range' }): TagKeys<'range'> {
  const { field, lower, upper } = query;
  return {
    field,
    ...(lower && { [lower.inclusive ? 'gte' : 'gt']: lower.value }),
    ...(upper && { [upper.inclusive ? 'lte' : 'lt']: upper.value }),
  };
}

function knn({
  kind: _,
  span: __,
  fieldSpan: ___,
  filter,
  ...keys
}: Query & { readonly kind: 'knn' }): TagKeys<'knn'> {
  const defined = Object.entries(keys).filter(([, value]) => value !== undefined);
  const out = Object.fromEntries(defined) as typeof keys;
  return filter === undefined ? out : { ...out, filter: writeTree(filter) };
}

function moreLikeThis({
  kind: _,
  span: __,
  fieldSpan: ___,
  keys,
  ...rest
}: Query & { readonly kind: 'more_like_this' }): TagKeys<'more_like_this'> {
  const said = Object.entries(rest).filter(
    ([name, value]) => value !== undefined && value !== DEFAULTS[name],
  );
  return { ...Object.fromEntries(said), ...(keys && { keys: keys.map(keyJson) }) };
}

const DEFAULTS: Readonly<Record<string, unknown>> = LIKE_DEFAULTS;

function bool(query: Query & { readonly kind: 'bool' }): TagKeys<'bool'> {
  const out: { -readonly [K in keyof TagKeys<'bool'>]: TagKeys<'bool'>[K] } = {};
  for (const part of ['must', 'should', 'must_not', 'filter'] as const) {
    if (query[part].length > 0) out[part] = query[part].map(writeTree);
  }
  if (query.minimum_should_match !== undefined) {
    out.minimum_should_match = query.minimum_should_match;
  }
  return out;
}
