/** Queries of other queries: `bool`, `constant_score`, `boosting`, `dis_max`. */
import type { Json, JsonObject, TagKeys } from '@lakehouse-search/contract';
import { boostOf, numberOf, objectOf, optionsOf } from './body.ts';
import { tieOf } from './multi-match.ts';
import { minimumOf, requireDefault } from './options.ts';
import { illegal, malformed } from './refusal.ts';
import { bestOf, boosted, MATCH_ALL, type QueryScope, type Tree } from './scope.ts';

const CLAUSES = ['must', 'should', 'must_not', 'filter'] as const;
const BOOL = [...CLAUSES, 'minimum_should_match', 'boost', '_name', 'adjust_pure_negative'];

/** `bool`: each kind of clause is one query or a list. */
export function boolQuery(json: Json, scope: QueryScope): Tree {
  const body = optionsOf(objectOf(json, 'bool'), 'bool', BOOL);
  requireDefault(body, 'bool', 'adjust_pure_negative', [true]);
  const boost = boostOf(body, 'bool');
  const minimum = minimumOf(body.minimum_should_match);
  const lists = CLAUSES.map((name) => [name, queriesOf(body[name], scope)] as const);
  const { must, should, filter, ...parts }: Readonly<Record<string, readonly Tree[]>> =
    Object.fromEntries(lists);
  const filled = Object.entries({ must, should, filter, ...parts });
  const clauses: TagKeys<'bool'> = Object.fromEntries(filled.filter(([, list]) => list.length > 0));
  if (Object.keys(clauses).length === 0) return boosted(MATCH_ALL, boost);
  if (should.length === 0 || minimum === undefined) return boosted({ bool: clauses }, boost);
  const needsOne = must.length + filter.length === 0;
  const wanted = needsOne ? atLeastOne(minimum, should.length) : minimum;
  return boosted({ bool: { ...clauses, minimum_should_match: wanted } }, boost);
}

/** Without required clauses one of the optional ones has to match, whatever the share. */
function atLeastOne(minimum: string, count: number): string | number {
  const plain = Number(minimum);
  if (Number.isInteger(plain)) return Math.max(1, plain < 0 ? count + plain : plain);
  const share = /^(-?\d+)%$/.exec(minimum);
  if (share === null) return minimum;
  const parts = Math.trunc((count * Number(share[1])) / 100);
  return Math.max(1, minimum.startsWith('-') ? count + parts : parts);
}

function queriesOf(json: Json | undefined, scope: QueryScope): readonly Tree[] {
  if (json === undefined || json === null) return [];
  const list = Array.isArray(json) ? (json as readonly Json[]) : [json];
  return list.map((dsl) => scope.inner(dsl));
}

/** `constant_score`. */
export function constantScore(json: Json, scope: QueryScope, name: string): Tree {
  const body = optionsOf(objectOf(json, name), name, ['filter', 'boost', '_name']);
  const filter = scope.inner(required(body, name, 'filter'));
  return boosted({ constant_score: { filter } }, boostOf(body, name));
}

/** `boosting`. */
export function boosting(json: Json, scope: QueryScope, name: string): Tree {
  const known = ['positive', 'negative', 'negative_boost', 'boost', '_name'];
  const body = optionsOf(objectOf(json, name), name, known);
  const positive = scope.inner(required(body, name, 'positive'));
  const negative = scope.inner(required(body, name, 'negative'));
  const factor = numberOf(required(body, name, 'negative_boost'), name, 'negative_boost');
  if (factor < 0)
    throw illegal('[boosting] query requires negative_boost to be set to be a positive value');
  const tree = { boosting: { positive, negative, negative_boost: factor } };
  return boosted(tree, boostOf(body, name));
}

/** `dis_max`. */
export function disMax(json: Json, scope: QueryScope, name: string): Tree {
  const known = ['queries', 'tie_breaker', 'boost', '_name'];
  const body = optionsOf(objectOf(json, name), name, known);
  const trees = queriesOf(required(body, name, 'queries'), scope);
  if (trees.length === 0)
    throw malformed("[dis_max] requires 'queries' field with at least one clause");
  const tie = body.tie_breaker === undefined ? 0 : tieOf(body.tie_breaker, name);
  return boosted(bestOf(trees, tie), boostOf(body, name));
}

function required(body: JsonObject, query: string, name: string): Json {
  const value = body[name];
  if (value !== undefined && value !== null) return value;
  throw malformed(`[${query}] requires '${name}' to be set`);
}
