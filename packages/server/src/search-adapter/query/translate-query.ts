/** Query DSL of the imitated engine -> our query tree. */
import type { Json } from '@lakehouse-search/contract';
import { nearest } from '@lakehouse-search/contract/internal';
import { boostOf, isObject, objectOf, optionsOf } from './body.ts';
import { boolQuery, boosting, constantScore, disMax } from './compound-queries.ts';
import type { FieldTable } from './field-table.ts';
import { moreLikeThis } from './more-like-this.ts';
import { multiMatch } from './multi-match.ts';
import { knnQuery } from './nearest-queries.ts';
import { queryString } from './query-string.ts';
import { rangeQuery } from './range-query.ts';
import { clipped, illegal, malformed, unserved } from './refusal.ts';
import { retrieverQuery } from './retriever.ts';
import { boosted, MATCH_ALL, MATCH_NONE, type Translator, type Tree } from './scope.ts';
import { simpleQueryString } from './simple-query-string.ts';
import { existsQuery, idsQuery, patternQuery, termQuery, termsQuery } from './term-queries.ts';
import { textQuery } from './text-queries.ts';
import type { TranslatedQuery } from './translated-query.ts';

export type { HybridPart, TranslatedQuery } from './translated-query.ts';

/** Levels of queries inside of queries. */
const DEPTH = 20;
/** Queries of one body. */
const QUERIES_PER_BODY = 1024;

const everything: Translator = (json, _, name) => {
  const options = optionsOf(objectOf(json, name), name, ['boost', '_name']);
  return boosted(name === 'match_all' ? MATCH_ALL : MATCH_NONE, boostOf(options, name));
};

const QUERIES: ReadonlyMap<string, Translator> = new Map<string, Translator>([
  ['match', textQuery],
  ['match_phrase', textQuery],
  ['match_phrase_prefix', textQuery],
  ['match_bool_prefix', textQuery],
  ['multi_match', multiMatch],
  ['query_string', queryString],
  ['simple_query_string', simpleQueryString],
  ['term', termQuery],
  ['terms', termsQuery],
  ['range', rangeQuery],
  ['prefix', patternQuery],
  ['wildcard', patternQuery],
  ['regexp', patternQuery],
  ['fuzzy', patternQuery],
  ['exists', existsQuery],
  ['ids', idsQuery],
  ['bool', boolQuery],
  ['constant_score', constantScore],
  ['boosting', boosting],
  ['dis_max', disMax],
  ['knn', knnQuery],
  ['more_like_this', moreLikeThis],
  ['match_all', everything],
  ['match_none', everything],
]);

/** Names of the queries that are served. */
export const SERVED_QUERIES: readonly string[] = [...QUERIES.keys()];

/** Names of queries of the imitated engine that are refused. */
export const REFUSED_QUERIES: readonly string[] = [
  ...['nested', 'has_child', 'has_parent', 'parent_id', 'script', 'script_score', 'percolate'],
  ...['function_score', 'distance_feature', 'rank_feature', 'terms_set'],
  ...['geo_bounding_box', 'geo_distance', 'geo_polygon', 'geo_shape', 'geo_grid', 'shape'],
  ...['intervals', 'combined_fields', 'common', 'wrapper', 'pinned', 'rule', 'semantic'],
  ...['sparse_vector', 'text_expansion', 'weighted_tokens', 'span_term', 'span_near', 'span_or'],
  ...['span_not', 'span_first', 'span_multi', 'span_containing', 'span_within', 'type', 'hybrid'],
  ...['span_field_masking', 'neural', 'neural_sparse', 'xy_shape', 'agentic', 'template'],
];

/**
 * The query tree of a query. `dsl` is the value of a request's `query`. Throws RefusedDsl with the
 * imitated engine's response for everything that is not served.
 */
export function translateQuery(dsl: Json, fields: FieldTable): TranslatedQuery {
  return { ast: new Translation(fields).tree(dsl) };
}

/** The query of a request's `retriever`. Throws RefusedDsl. */
export function translateRetriever(json: Json, fields: FieldTable): TranslatedQuery {
  const translation = new Translation(fields);
  return retrieverQuery(json, { fields, inner: (dsl) => translation.tree(dsl) });
}

class Translation {
  readonly #fields: FieldTable;
  #queries = 0;
  #depth = 0;

  constructor(fields: FieldTable) {
    this.#fields = fields;
  }

  tree(dsl: Json): Tree {
    if (this.#depth >= DEPTH) {
      throw illegal(`The nested depth of the query exceeds the maximum nested depth of [${DEPTH}]`);
    }
    if (++this.#queries > QUERIES_PER_BODY) {
      throw illegal(`too_many_clauses: maxClauseCount is set to ${QUERIES_PER_BODY}`);
    }
    this.#depth++;
    const [name, body] = queryOf(dsl);
    const translator = QUERIES.get(name);
    if (translator === undefined) throw unknownQuery(name);
    const scope = { fields: this.#fields, inner: (inner: Json) => this.tree(inner) };
    const tree = translator(body, scope, name);
    this.#depth--;
    return tree;
  }
}

function queryOf(json: Json): readonly [name: string, body: Json] {
  if (!isObject(json)) throw malformed('[_na] query malformed, must start with start_object');
  const [first, ...others] = Object.entries(json);
  if (first === undefined) throw illegal('query malformed, empty clause found');
  if (others.length === 0) return first;
  const name = clipped(first[0]);
  throw malformed(`[${name}] malformed query, expected [END_OBJECT] but found [FIELD_NAME]`);
}

function unknownQuery(name: string): Error {
  if (REFUSED_QUERIES.includes(name)) {
    return unserved(`[${name}] query is not served by this adapter`);
  }
  const near = nearest(name, SERVED_QUERIES);
  return malformed(`unknown query [${clipped(name)}]${near ? ` did you mean [${near}]?` : ''}`);
}
