import type { Query } from '../query.ts';

/** JSON as the tree is made of. */
export type TreeJson =
  | null
  | boolean
  | number
  | string
  | readonly TreeJson[]
  | { readonly [key: string]: TreeJson };
export type TreeObject = { readonly [key: string]: TreeJson };

/**
 * The JSON tree of a query, without its spans; keys that hold their default are left out. readTree
 * gives the query back.
 */
export function writeTree(query: Query): TreeObject {
  switch (query.kind) {
    case 'match_all':
    case 'match_none':
      return { [query.kind]: {} };
    case 'terms':
      return { terms: { field: query.field, values: query.values } };
    case 'phrase':
      return { phrase: valued(query, query.slop > 0 ? { slop: query.slop } : {}) };
    case 'fuzzy':
      return { fuzzy: valued(query, { edits: query.edits }) };
    case 'match':
      return { match: valued(query, query.operator === 'and' ? { operator: 'and' } : {}) };
    case 'exists':
      return { exists: { field: query.field } };
    case 'range':
      if (!query.lower && !query.upper) return { exists: { field: query.field } };
      return { range: range(query) };
    case 'knn':
      return { knn: knn(query) };
    case 'bool':
      return { bool: bool(query) };
    case 'boost':
      return { boost: { query: writeTree(query.query), factor: query.factor } };
    default:
      return { [query.kind]: valued(query, {}) };
  }
}

const valued = (
  query: { readonly field: string; readonly value: string },
  more: TreeObject,
): TreeObject => ({ field: query.field, value: query.value, ...more });

function range(query: Query & { readonly kind: 'range' }): TreeObject {
  const { field, lower, upper } = query;
  const out: Record<string, TreeJson> = { field };
  if (lower !== undefined) out[lower.inclusive ? 'gte' : 'gt'] = lower.value;
  if (upper !== undefined) out[upper.inclusive ? 'lte' : 'lt'] = upper.value;
  return out;
}

function knn({
  kind: _,
  span: __,
  fieldSpan: ___,
  filter,
  ...keys
}: Query & { readonly kind: 'knn' }): TreeObject {
  const defined = Object.entries(keys).filter(([, value]) => value !== undefined);
  const out: Record<string, TreeJson> = Object.fromEntries(defined);
  return filter === undefined ? out : { ...out, filter: writeTree(filter) };
}

function bool(query: Query & { readonly kind: 'bool' }): TreeObject {
  const out: Record<string, TreeJson> = {};
  for (const part of ['must', 'should', 'must_not', 'filter'] as const) {
    if (query[part].length > 0) out[part] = query[part].map(writeTree);
  }
  if (query.minimum_should_match !== undefined) {
    out.minimum_should_match = query.minimum_should_match;
  }
  return out;
}
