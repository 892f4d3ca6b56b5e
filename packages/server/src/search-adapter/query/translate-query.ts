/** Query DSL of the imitated engine -> our query tree. */
import { type HybridRequest, type Json, nearest } from '@lakehouse-search/contract';
import { boostOf, fieldBody, isObject, objectOf, optionsOf, scalarOf } from './body.ts';
import { boolQuery } from './bool-query.ts';
import type { FieldTable } from './field-table.ts';
import { clipped, illegal, malformed, unserved } from './refusal.ts';
import { boosted, MATCH_ALL, MATCH_NONE, type Translator, type Tree } from './scope.ts';

/** A query of the adapter in our own terms. */
export interface TranslatedQuery {
  /** The query tree for `SearchRequest.ast`. */
  readonly ast: Tree;
  /** Fused lists (`rrf`): the request is a hybrid search with these fields, without `ast`. */
  readonly nearest?: HybridPart;
}

/** What a fused search adds to a hybrid request. */
export type HybridPart = Pick<
  HybridRequest,
  | 'filter'
  | 'vector_field'
  | 'query_text'
  | 'query_vector'
  | 'k'
  | 'ef'
  | 'min_score'
  | 'fusion'
  | 'rrf_k'
  | 'lexical_fields'
>;

/** Levels of queries inside of queries. */
const DEPTH = 20;

const match: Translator = (json) => {
  const [field, value] = fieldBody(json, 'match');
  const options = isObject(value) ? value : { query: value };
  optionsOf(options, 'match', ['query', 'operator', 'boost', '_name']);
  const body = { field, value: scalarOf(options.query, 'match', 'query') };
  const operator = String(options.operator ?? 'or').toLowerCase();
  return boosted({ match: { ...body, operator } }, boostOf(options, 'match'));
};

const term: Translator = (json) => {
  const [field, value] = fieldBody(json, 'term');
  const options = isObject(value) ? value : { value };
  optionsOf(options, 'term', ['value', 'boost', '_name']);
  const tree = { term: { field, value: scalarOf(options.value, 'term', 'value') } };
  return boosted(tree, boostOf(options, 'term'));
};

const everything: Translator = (json, _, name) => {
  const options = optionsOf(objectOf(json, name), name, ['boost', '_name']);
  return boosted(name === 'match_all' ? MATCH_ALL : MATCH_NONE, boostOf(options, name));
};

const QUERIES: ReadonlyMap<string, Translator> = new Map<string, Translator>([
  ['match', match],
  ['term', term],
  ['bool', boolQuery],
  ['match_all', everything],
  ['match_none', everything],
]);

const UNSERVED = new Set(['nested', 'has_child', 'has_parent', 'script', 'percolate']);

/**
 * The query tree of a query. `dsl` is the value of a request's `query`. Throws RefusedDsl with the
 * imitated engine's answer for everything that is not served.
 */
export function translateQuery(dsl: Json, fields: FieldTable): TranslatedQuery {
  const translate = (json: Json, depth: number): Tree => {
    const [name, body] = queryOf(json, depth);
    const translator = QUERIES.get(name);
    if (translator === undefined) throw unknownQuery(name);
    return translator(body, { fields, inner: (inner) => translate(inner, depth + 1) }, name);
  };
  return { ast: translate(dsl, 1) };
}

function queryOf(json: Json, depth: number): readonly [name: string, body: Json] {
  if (depth > DEPTH) {
    throw illegal(`the nested depth of the query exceeds the maximum of [${DEPTH}]`);
  }
  if (!isObject(json)) throw malformed('[_na] query malformed, must start with start_object');
  const [first, ...others] = Object.entries(json);
  if (first === undefined) throw illegal('query malformed, empty clause found');
  if (others.length === 0) return first;
  const name = clipped(first[0]);
  throw malformed(`[${name}] malformed query, expected [END_OBJECT] but found [FIELD_NAME]`);
}

function unknownQuery(name: string): Error {
  if (UNSERVED.has(name)) return unserved(`[${name}] query is not served by this adapter`);
  const near = nearest(name, [...QUERIES.keys()]);
  return malformed(`unknown query [${clipped(name)}]${near ? ` did you mean [${near}]?` : ''}`);
}
