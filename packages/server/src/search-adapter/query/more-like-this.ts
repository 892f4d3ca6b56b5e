/** `more_like_this`: of documents by their ids, and of texts. */
import type { Json, JsonObject, QueryTree } from '@lakehouse-search/contract';
import { boostOf, isObject, objectOf, optionsOf, scalarOf } from './body.ts';
import { minimumOf, requireDefault, wholeOf } from './options.ts';
import { malformed, unserved } from './refusal.ts';
import { boosted, MATCH_NONE, type QueryScope, type Tree } from './scope.ts';
import { targetField } from './target.ts';
import { keysOfIds } from './term-queries.ts';

const QUERY = 'more_like_this';
const OPTIONS = [
  ...['fields', 'like', 'unlike', 'max_query_terms', 'min_term_freq', 'min_doc_freq'],
  ...['max_doc_freq', 'min_word_length', 'max_word_length', 'stop_words', 'analyzer'],
  ...['boost_terms', 'include', 'minimum_should_match', 'fail_on_unsupported_field'],
  ...['boost', '_name'],
];
const COUNTS = ['min_term_freq', 'min_doc_freq', 'max_query_terms'] as const;

/** `more_like_this`. */
export function moreLikeThis(json: Json, scope: QueryScope): Tree {
  const body = optionsOf(objectOf(json, QUERY), QUERY, OPTIONS);
  requireDefault(body, QUERY, 'min_word_length', [0]);
  requireDefault(body, QUERY, 'boost_terms', [0]);
  requireDefault(body, QUERY, 'include', [false]);
  for (const name of ['unlike', 'max_doc_freq', 'max_word_length', 'stop_words', 'analyzer']) {
    requireDefault(body, QUERY, name, []);
  }
  const like = listOf(body.like);
  if (like.length === 0) throw malformed(`[${QUERY}] requires 'like' to be specified`);
  const texts = like.filter((item) => !isObject(item)).map((item) => scalarOf(item, QUERY, 'like'));
  const keys = keysOfIds(like.filter(isObject).map(idOf), scope);
  const fields = fieldsOf(body, scope);
  if ((texts.length === 0 && keys.length === 0) || fields?.length === 0) return MATCH_NONE;
  const minimum = minimumOf(body.minimum_should_match);
  const counts = COUNTS.filter((name) => body[name] !== undefined).map((name) => {
    return [name, wholeOf(body, QUERY, name, 1, 1)];
  });
  const tree: QueryTree = {
    more_like_this: {
      ...(fields && { fields }),
      ...(texts.length > 0 && { text: texts.join('\n') }),
      ...(keys.length > 0 && { keys }),
      ...Object.fromEntries(counts),
      ...(minimum !== undefined && { minimum_should_match: minimum }),
    },
  };
  return boosted(tree, boostOf(body, QUERY));
}

const listOf = (json: Json | undefined): readonly Json[] => {
  if (json === undefined || json === null) return [];
  return Array.isArray(json) ? (json as readonly Json[]) : [json];
};

function idOf(item: JsonObject): string {
  if (item.doc !== undefined) throw unserved(`[${QUERY}] query with a [doc] is not served`);
  return scalarOf(item._id, QUERY, '_id');
}

/** The fields that the index has; undefined: none are named. */
function fieldsOf({ fields }: JsonObject, scope: QueryScope): readonly string[] | undefined {
  if (fields === undefined || fields === null) return undefined;
  const names = listOf(fields).map((name) => scalarOf(name, QUERY, 'fields'));
  if (names.length === 0) throw malformed(`[${QUERY}] requires 'fields' to be non-empty`);
  return names.flatMap((name) => targetField(scope, name, QUERY)?.name ?? []);
}
