/** `retriever`: `standard`, `knn`, and `rrf` of one of each. */
import type { Json, JsonObject } from '@lakehouse-search/contract';
import { REQUEST_LIMITS } from '@lakehouse-search/contract/internal';
import { isObject, objectOf, optionsOf } from './body.ts';
import { knnQuery } from './nearest-queries.ts';
import { wholeOf } from './options.ts';
import { clipped, malformed, unserved } from './refusal.ts';
import type { QueryScope, Tree } from './scope.ts';
import type { HybridPart, TranslatedQuery } from './translated-query.ts';

const KINDS = ['standard', 'knn', 'rrf'];
const STANDARD = ['query', 'filter', '_name'];
const RRF = ['retrievers', 'rank_constant', 'rank_window_size', 'filter', '_name'];

/** The query of a retriever. Throws RefusedDsl. */
export function retrieverQuery(json: Json, scope: QueryScope): TranslatedQuery {
  const [kind, body] = kindOf(json);
  if (kind === 'standard') return { ast: standard(body, scope) };
  if (kind === 'knn') return { ast: knnQuery(body, scope) };
  return fused(optionsOf(objectOf(body, 'rrf'), 'rrf', RRF), scope);
}

function kindOf(json: Json): readonly [kind: string, body: Json] {
  const entries = isObject(json) ? Object.entries(json) : [];
  const [first] = entries;
  if (first === undefined || entries.length > 1) {
    throw malformed('[retriever] malformed, expected one kind of retriever');
  }
  if (KINDS.includes(first[0])) return first;
  throw unserved(`[${clipped(first[0])}] retriever is not served by this adapter`);
}

function standard(json: Json, scope: QueryScope): Tree {
  const body = objectOf(json, 'standard');
  const other = Object.keys(body).find((name) => !STANDARD.includes(name));
  if (other !== undefined) throw unserved(`[standard] with [${clipped(other)}] is not served`);
  const query = body.query ?? { match_all: {} };
  if (body.filter === undefined) return scope.inner(query);
  return scope.inner({ bool: { must: query, filter: body.filter } });
}

/** Fused lists: the words of a text, and what is nearest to a vector or a text. */
function fused(body: JsonObject, scope: QueryScope): TranslatedQuery {
  const list = Array.isArray(body.retrievers) ? (body.retrievers as readonly Json[]) : [];
  const kinds = list.map(kindOf);
  const words = kinds.find(([kind]) => kind === 'standard');
  const near = kinds.find(([kind]) => kind === 'knn');
  if (kinds.length !== 2 || words === undefined || near === undefined) {
    throw unserved('[rrf] is served of one [standard] and one [knn] retriever');
  }
  const lexical = plainWords(words[1], scope);
  const nearest = knnQuery(near[1], scope) as { readonly knn?: JsonObject };
  const { field, query_vector, query_text, ef, filter } = nearest.knn ?? REFUSED;
  if (filter !== undefined) {
    throw unserved('[rrf] with a [filter] or [boost] of one retriever is not served');
  }
  if (query_text !== undefined && query_text !== lexical.query_text) {
    throw unserved('[rrf] of two different texts is not served');
  }
  const window = wholeOf(body, 'rrf', 'rank_window_size', 1, 10);
  const part = {
    ...lexical,
    vector_field: field,
    ...(query_vector !== undefined && { query_vector }),
    ...(ef !== undefined && { ef }),
    k: Math.min(window, REQUEST_LIMITS.nearestDocs),
    fusion: 'rrf',
    rrf_k: wholeOf(body, 'rrf', 'rank_constant', 1, 60),
    ...filterPart(body.filter, scope),
  };
  return { ast: { match_all: {} }, nearest: part as HybridPart };
}

/** What a boosted or filtered `knn` is refused by. */
const REFUSED: JsonObject = { filter: {} };

function filterPart(json: Json | undefined, scope: QueryScope): JsonObject {
  return json === undefined ? {} : { filter: scope.inner({ bool: { filter: json } }) };
}

/** The text and the fields of a `match`, or of a `multi_match` that adds up its fields. */
function plainWords(json: Json, scope: QueryScope) {
  const tree = standard(json, scope) as {
    readonly match?: JsonObject;
    readonly dis_max?: JsonObject;
  };
  const { queries, tie_breaker } = tree.dis_max ?? {};
  const trees =
    tie_breaker === 1 ? (queries as readonly { readonly match?: JsonObject }[]) : [tree];
  const matches = trees.map(({ match }) => match);
  const texts = new Set(matches.map((match) => match?.value));
  const plain = matches.every((match) => {
    const { field: _, value: __, zero_terms: ___, ...others } = match ?? { none: true };
    return Object.keys(others).length === 0;
  });
  if (!plain || texts.size !== 1) {
    throw unserved(
      '[rrf] is served of a [standard] retriever with a plain [match], or a [multi_match] of ' +
        'type [most_fields]',
    );
  }
  return {
    query_text: String(matches[0]?.value),
    lexical_fields: matches.map((match) => String(match?.field)),
  };
}
