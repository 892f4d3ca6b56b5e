/**
 * JSON tree -> Query. A clause is an object with one key, its tag: `{"term": {"field": "author",
 * "value": "jo"}}`. Everything is checked against the table QUERY_TAGS; an unknown key, a missing
 * one or a wrong type is refused by its path.
 */
import { type Coordinates, type KeyKind, type KeyPart, LhsError } from '@lakehouse-search/contract';
import {
  didYouMean,
  INEXACT,
  isInexact,
  QUERY_TAGS,
  shownNumber,
} from '@lakehouse-search/contract/internal';
import { LIMITS } from '../../base/limits.ts';
import { MINIMUM_PATTERN } from '../minimum.ts';
import type { Bound, Query } from '../query.ts';

type Tag = keyof typeof QUERY_TAGS;

/** Values of a clause's keys after checking: texts, numbers, clauses. */
type Checked = Readonly<Record<string, unknown>>;

/**
 * The query that a JSON tree means. Throws invalid_query or limit_exceeded with the path of what is
 * wrong.
 */
export function readTree(tree: unknown): Query {
  return new TreeReader().clause(tree, 'ast', 0);
}

class TreeReader {
  private clauses = 0;
  private nearest = 0;

  clause(json: unknown, path: string, depth: number): Query {
    if (depth > LIMITS.queryDepth) {
      throw fail(path, `is nested more than ${LIMITS.queryDepth} deep`, 'limit_exceeded');
    }
    const object = asObject(json, path, 'a clause: an object with one key, as {"match_all": {}}');
    const tags = Object.keys(object);
    if (tags.length !== 1) {
      throw fail(
        path,
        `has ${tags.length} keys: a clause has one, its kind; join several in a "bool"`,
      );
    }
    const [tag] = tags;
    if (!isTag(tag)) throw unknownTag(path, tag);
    if (++this.clauses > LIMITS.queryClauses) {
      throw fail(
        path,
        `is clause ${LIMITS.queryClauses + 1}: at most ${LIMITS.queryClauses} are taken`,
        'limit_exceeded',
      );
    }
    if (tag === 'knn' && ++this.nearest > LIMITS.nearestClauses) {
      const message =
        `is knn clause ${LIMITS.nearestClauses + 1}: at most ${LIMITS.nearestClauses} are ` +
        'taken';
      throw fail(path, message, 'limit_exceeded');
    }
    return Object.freeze(build(tag, this.keys(tag, object[tag], `${path}.${tag}`, depth), path));
  }

  private keys(tag: Tag, json: unknown, path: string, depth: number): Checked {
    const object = asObject(json, path, 'an object');
    const { required, optional } = QUERY_TAGS[tag];
    const known: Readonly<Record<string, KeyKind>> = { ...required, ...optional };
    const out: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(object)) {
      if (!Object.hasOwn(known, key)) throw unknownKey(path, key, Object.keys(known));
      out[key] = this.key(known[key], value, `${path}.${key}`, depth);
    }
    for (const key of Object.keys(required)) {
      if (!Object.hasOwn(out, key)) throw fail(path, `has no "${key}"`);
    }
    return out;
  }

  private key(kind: KeyKind, json: unknown, path: string, depth: number): unknown {
    switch (kind) {
      case 'field':
        if (typeof json === 'string' && json !== '') return json;
        throw fail(path, `is ${shown(json)}: expected a field name`);
      case 'fields':
        return names(json, path);
      case 'value':
        return asText(json, path);
      case 'values':
        return list(json, path, LIMITS.setTerms).map((item, i) => asText(item, `${path}[${i}]`));
      case 'slop':
        return asInteger(json, path, 999_999_999);
      case 'edits':
        return asInteger(json, path, LIMITS.fuzzyEdits);
      case 'minimum':
        if (typeof json !== 'string') return asInteger(json, path, LIMITS.queryClauses);
        if (MINIMUM_PATTERN.test(json)) return json;
        throw fail(path, `is ${shown(json)}: expected a form such as "75%", "-1" or "2<75%"`);
      case 'autoEdits':
        if (json === 'auto') return json;
        return asInteger(json, path, LIMITS.fuzzyEdits);
      case 'length':
        return asInteger(json, path, LIMITS.regexChars);
      case 'share':
        if (typeof json === 'number' && json >= 0 && json <= 1) return json;
        throw fail(path, `is ${shown(json)}: expected a number from 0 to 1`);
      case 'zeroTerms':
        if (json === 'none' || json === 'all') return json;
        throw fail(path, `is ${shown(json)}: expected "none" or "all"`);
      case 'keys':
        return list(json, path, LIMITS.setTerms).map((item, i) => asKey(item, `${path}[${i}]`));
      case 'operator':
        if (json === 'or' || json === 'and') return json;
        throw fail(path, `is ${shown(json)}: expected "or" or "and"`);
      case 'factor':
        if (typeof json === 'number' && Number.isFinite(json) && json >= 0) return json;
        throw fail(path, `is ${shown(json)}: expected a number of at least 0`);
      case 'text':
        if (typeof json === 'string') return json;
        throw fail(path, `is ${shown(json)}: expected a string`);
      case 'vector':
        return asVector(json, path);
      case 'nearest':
        return asInteger(json, path, LIMITS.nearestDocs, 1);
      case 'count':
        return asInteger(json, path, 999_999_999, 1);
      case 'score':
        return asNumber(json, path);
      case 'flag':
        if (typeof json === 'boolean') return json;
        throw fail(path, `is ${shown(json)}: expected true or false`);
      case 'clause':
        return this.clause(json, path, depth + 1);
      case 'clauses':
        return list(json, path, LIMITS.queryClauses).map((item, i) =>
          this.clause(item, `${path}[${i}]`, depth + 1),
        );
    }
  }
}

function build(tag: Tag, keys: Checked, path: string): Query {
  const empty: readonly Query[] = Object.freeze([]);
  switch (tag) {
    case 'range':
      return range(keys, `${path}.range`);
    case 'knn':
      return knn(keys, `${path}.knn`);
    case 'more_like_this':
      return moreLikeThis(keys, `${path}.more_like_this`);
    case 'phrase':
      return { kind: tag, slop: 0, ...keys } as Query;
    case 'fuzzy':
      return { kind: tag, edits: LIMITS.fuzzyEdits, ...keys } as Query;
    case 'match':
      return { kind: tag, operator: 'or', ...keys } as Query;
    case 'dis_max':
      return { kind: tag, tie_breaker: 0, ...keys } as Query;
    case 'bool': {
      const lists = { must: empty, should: empty, must_not: empty, filter: empty };
      return { kind: tag, ...lists, ...keys } as Query;
    }
    default:
      return { kind: tag, ...keys } as Query;
  }
}

function range(keys: Checked, path: string): Query {
  const bound = (open: string, closed: string): Bound | undefined => {
    if (keys[open] !== undefined && keys[closed] !== undefined) {
      throw fail(path, `has both "${open}" and "${closed}": keep one`);
    }
    const value = (keys[open] ?? keys[closed]) as string | undefined;
    return value === undefined ? undefined : { value, inclusive: keys[closed] !== undefined };
  };
  const lower = bound('gt', 'gte');
  const upper = bound('lt', 'lte');
  if (lower === undefined && upper === undefined) {
    throw fail(
      path,
      'has no bound: expected "gt", "gte", "lt" or "lte"; use "exists" for any value',
    );
  }
  return {
    kind: 'range',
    field: keys.field as string,
    ...(lower && { lower }),
    ...(upper && { upper }),
  };
}

function knn(keys: Checked, path: string): Query {
  const { query_text: text, query_vector: vector, exact, ef } = keys;
  if (text === undefined && vector === undefined) {
    throw fail(path, 'has neither "query_text" nor "query_vector": what should be near?');
  }
  const bytes = text === undefined ? 0 : Buffer.byteLength(text as string);
  if (bytes > LIMITS.queryBytes) {
    const message = `has ${bytes} bytes: at most ${LIMITS.queryBytes}`;
    throw fail(`${path}.query_text`, message, 'limit_exceeded');
  }
  if (exact === true && ef !== undefined) {
    throw fail(path, 'has "ef" beside "exact": every vector is compared');
  }
  return { kind: 'knn', ...keys } as Query;
}

/** Counts and shares that a `more_like_this` has unless it says others. */
export const LIKE_DEFAULTS = Object.freeze({
  min_term_freq: 2,
  min_doc_freq: 5,
  max_query_terms: 25,
  minimum_should_match: '30%',
});

function moreLikeThis(keys: Checked, path: string): Query {
  if (keys.text === undefined && keys.keys === undefined) {
    throw fail(path, 'has neither "text" nor "keys": what should be alike?');
  }
  return { kind: 'more_like_this', ...LIKE_DEFAULTS, ...keys } as Query;
}

function names(json: unknown, path: string): readonly unknown[] {
  const all = list(json, path, LIMITS.queryClauses);
  if (all.length > 0 && all.every((name) => typeof name === 'string' && name !== '')) return all;
  throw fail(path, `is ${shown(json)}: expected names of fields`);
}

const isTag = (tag: string): tag is Tag => Object.hasOwn(QUERY_TAGS, tag);

function unknownTag(path: string, tag: string): LhsError {
  return fail(
    path,
    `has the unknown kind "${clip(tag)}"${didYouMean(tag, Object.keys(QUERY_TAGS))}`,
  );
}

function unknownKey(path: string, key: string, known: readonly string[]): LhsError {
  const near = didYouMean(key, known);
  const expected = known.length === 0 ? 'none' : known.map((name) => `"${name}"`).join(', ');
  return fail(path, `has the unknown key "${clip(key)}"${near || `; expected ${expected}`}`);
}

function asObject(
  json: unknown,
  path: string,
  expected: string,
): Readonly<Record<string, unknown>> {
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) {
    return json as Readonly<Record<string, unknown>>;
  }
  throw fail(path, `is ${shown(json)}: expected ${expected}`);
}

function list(json: unknown, path: string, most: number): readonly unknown[] {
  if (!Array.isArray(json)) throw fail(path, `is ${shown(json)}: expected an array`);
  if (json.length <= most) return json;
  throw fail(path, `has ${json.length} members: at most ${most} are taken`, 'limit_exceeded');
}

function asText(json: unknown, path: string): string {
  if (typeof json === 'string') {
    if (json.length <= LIMITS.analyzedBytes) return json;
    const message = `has ${json.length} characters: at most ${LIMITS.analyzedBytes}`;
    throw fail(path, message, 'limit_exceeded');
  }
  if (typeof json === 'boolean') return String(json);
  if (typeof json !== 'number' || !Number.isFinite(json)) {
    throw fail(path, `is ${shown(json)}: expected a string, a number, true or false`);
  }
  if (isInexact(json)) throw fail(path, INEXACT);
  return String(json);
}

function asInteger(json: unknown, path: string, most: number, least = 0): number {
  const whole = typeof json === 'number' && Number.isInteger(json);
  if (whole && json >= least && json <= most) return json;
  const code = whole && json > most && least > 0 ? 'limit_exceeded' : 'invalid_query';
  throw fail(path, `is ${shown(json)}: expected a whole number from ${least} to ${most}`, code);
}

function asNumber(json: unknown, path: string): number {
  if (typeof json === 'number' && Number.isFinite(json)) return json;
  throw fail(path, `is ${shown(json)}: expected a number`);
}

function asVector(json: unknown, path: string): readonly number[] {
  const numbers = list(json, path, LIMITS.vectorDims);
  if (numbers.length === 0) throw fail(path, 'is empty: expected the numbers of a vector');
  return numbers.map((item, i) => asNumber(item, `${path}[${i}]`));
}

function asKey(json: unknown, path: string): Coordinates {
  const object = asObject(json, path, 'a key: {"identifier": [{"name": …, "value": …}]}');
  for (const key of Object.keys(object)) {
    if (key !== 'partition' && key !== 'identifier') {
      throw unknownKey(path, key, ['partition', 'identifier']);
    }
  }
  const parts = (name: string) => asKeyParts(object[name], `${path}.${name}`);
  const identifier = parts('identifier');
  return object.partition === undefined
    ? { identifier }
    : { partition: parts('partition'), identifier };
}

function asKeyParts(json: unknown, path: string): readonly KeyPart[] {
  const parts = list(json, path, LIMITS.keyColumns);
  if (parts.length === 0) throw fail(path, 'is empty: expected columns of a key');
  return parts.map((item, i) => {
    const object = asObject(item, `${path}[${i}]`, '{"name": …, "value": …}');
    const { name, value } = object;
    const only = Object.keys(object).length === 2;
    if (only && typeof name === 'string' && typeof value === 'string') return { name, value };
    throw fail(`${path}[${i}]`, 'is no column of a key: expected texts "name" and "value"');
  });
}

function fail(
  path: string,
  what: string,
  code: 'invalid_query' | 'limit_exceeded' = 'invalid_query',
): LhsError {
  return new LhsError(code, `query tree: ${path} ${what}`, { details: { path } });
}

function shown(json: unknown): string {
  if (Array.isArray(json)) return 'an array';
  if (typeof json === 'object' && json !== null) return 'an object';
  if (json === undefined) return 'missing';
  if (typeof json === 'bigint') return clip(String(json));
  if (typeof json === 'number') return shownNumber(json);
  return clip(JSON.stringify(json) ?? `a ${typeof json}`);
}

const clip = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
