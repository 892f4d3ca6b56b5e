import type { Json, JsonObject } from '@lakehouse-search/contract';
import { boostOf, objectOf, optionsOf } from './body.ts';
import { boosted, MATCH_ALL, type QueryScope, type Tree } from './scope.ts';

const CLAUSES = ['must', 'should', 'must_not', 'filter'] as const;
const OPTIONS = [...CLAUSES, 'minimum_should_match', 'boost', '_name', 'adjust_pure_negative'];

/** `bool`: each kind of clause is one query or a list. */
export function boolQuery(json: Json, scope: QueryScope): Tree {
  const body = optionsOf(objectOf(json, 'bool'), 'bool', OPTIONS);
  const lists = CLAUSES.map((name) => [name, clausesOf(body[name], scope)] as const);
  const parts: JsonObject = Object.fromEntries(lists.filter(([, list]) => list.length > 0));
  const boost = boostOf(body, 'bool');
  if (Object.keys(parts).length === 0) return boosted(MATCH_ALL, boost);
  return boosted({ bool: parts }, boost);
}

function clausesOf(json: Json | undefined, scope: QueryScope): readonly Tree[] {
  if (json === undefined) return [];
  const list = Array.isArray(json) ? (json as readonly Json[]) : [json];
  return list.map((dsl) => scope.inner(dsl));
}
