/** `knn`, in the forms of both engines, and retrievers. */
import type { Json, JsonObject } from '@lakehouse-search/contract';
import { boostOf, isObject, objectOf, optionsOf, scalarOf } from './body.ts';
import { wholeOf } from './options.ts';
import { clipped, malformed, RefusedDsl, unserved } from './refusal.ts';
import { boosted, type QueryScope, type Tree } from './scope.ts';
import { targetField } from './target.ts';

const OPTIONS = [
  ...['field', 'query_vector', 'query_vector_builder', 'k', 'num_candidates', 'filter'],
  ...['similarity', 'boost', '_name', 'inner_hits', 'rescore_vector', 'visit_percentage'],
];
const NESTED = [
  ...['vector', 'k', 'filter', 'boost', 'min_score', 'max_distance', 'method_parameters'],
  ...['rescore', 'expand_nested_docs', '_name'],
];
const K = 10;

/** `knn`: `{field, query_vector, …}`, or `{field: {vector, …}}`. */
export function knnQuery(json: Json, scope: QueryScope): Tree {
  const body = objectOf(json, 'knn');
  const [first, ...others] = Object.entries(body);
  if (first !== undefined && others.length === 0 && isObject(first[1])) {
    return nestedForm(first[0], first[1], scope);
  }
  const options = optionsOf(body, 'knn', OPTIONS);
  for (const name of ['similarity', 'inner_hits', 'rescore_vector', 'visit_percentage']) {
    if (options[name] !== undefined) throw unserved(`[knn] query with [${name}] is not served`);
  }
  const field = vectorField(scalarOf(options.field, 'knn', 'field'), scope);
  const k = wholeOf(options, 'knn', 'k', 1, K);
  const candidates = wholeOf(options, 'knn', 'num_candidates', 1, k);
  if (candidates < k) throw malformed('[num_candidates] cannot be less than [k]');
  const vector = nearTo(options);
  const ef: JsonObject = options.num_candidates === undefined ? {} : { ef: candidates };
  const tree = { field, ...vector, k, ...ef, ...filterOf(options.filter, scope) };
  return boosted({ knn: tree }, boostOf(options, 'knn'));
}

function nestedForm(name: string, json: JsonObject, scope: QueryScope): Tree {
  const options = optionsOf(json, 'knn', NESTED);
  for (const key of ['min_score', 'max_distance', 'method_parameters', 'rescore']) {
    if (options[key] !== undefined) throw unserved(`[knn] query with [${key}] is not served`);
  }
  const field = vectorField(name, scope);
  const k = wholeOf(options, 'knn', 'k', 1, K);
  const vector = { query_vector: vectorOf(options.vector) };
  const tree = { field, ...vector, k, ...filterOf(options.filter, scope) };
  return boosted({ knn: tree }, boostOf(options, 'knn'));
}

function vectorField(name: string, scope: QueryScope): string {
  const field = targetField(scope, name, 'knn');
  if (field?.type === 'VECTOR') return field.name;
  const reason =
    field === undefined
      ? `field [${clipped(name)}] does not exist in the mapping`
      : `[knn] queries are only supported on [dense_vector] fields, not on [${field.name}]`;
  throw new RefusedDsl({ status: 400, type: 'query_shard_exception', reason });
}

/** `query_vector`, or the text of a `query_vector_builder`, which the field's model embeds. */
function nearTo({ query_vector, query_vector_builder: builder }: JsonObject): JsonObject {
  if (query_vector !== undefined) return { query_vector: vectorOf(query_vector) };
  const outer = isObject(builder) ? optionsOf(builder, 'knn', ['text_embedding']) : {};
  const text = isObject(outer.text_embedding)
    ? optionsOf(outer.text_embedding, 'text_embedding', ['model_id', 'model_text'])
    : {};
  if (typeof text.model_text === 'string') return { query_text: text.model_text };
  throw malformed('[knn] requires one of [query_vector] or [query_vector_builder]');
}

function vectorOf(json: Json | undefined): readonly number[] {
  const list = Array.isArray(json) ? (json as readonly Json[]) : [];
  if (list.length > 0 && list.every((one) => typeof one === 'number')) {
    return list as readonly number[];
  }
  throw malformed('[knn] requires a vector: a list of numbers');
}

function filterOf(json: Json | undefined, scope: QueryScope): JsonObject {
  if (json === undefined || json === null) return {};
  const list = Array.isArray(json) ? (json as readonly Json[]) : [json];
  const filter = list.map((dsl) => scope.inner(dsl));
  if (filter.length === 0) return {};
  return { filter: filter.length === 1 ? filter[0] : { bool: { filter } } };
}
