import { LIMITS } from '../../base/limits.ts';
import { MINIMUM_PATTERN } from '../minimum.ts';

/** What a key of the JSON tree holds. */
export type KeyKind =
  | 'field'
  | 'value'
  | 'values'
  | 'slop'
  | 'edits'
  | 'operator'
  | 'factor'
  | 'minimum'
  | 'autoEdits'
  | 'length'
  | 'share'
  | 'zeroTerms'
  | 'keys'
  | 'text'
  | 'vector'
  | 'nearest'
  | 'score'
  | 'flag'
  | 'clause'
  | 'clauses';

interface TagShape {
  readonly required: Readonly<Record<string, KeyKind>>;
  readonly optional: Readonly<Record<string, KeyKind>>;
}
const shape = (
  required: Readonly<Record<string, KeyKind>>,
  optional: Readonly<Record<string, KeyKind>> = {},
): TagShape => ({ required, optional });
const VALUED = { field: 'field', value: 'value' } as const;

/** The JSON tree, one entry a tag: the one table behind the reader and the JSON schema. */
export const TAGS = Object.freeze({
  match_all: shape({}),
  match_none: shape({}),
  term: shape(VALUED),
  terms: shape({ field: 'field', values: 'values' }),
  phrase: shape(VALUED, { slop: 'slop', zero_terms: 'zeroTerms' }),
  phrase_prefix: shape(VALUED, { zero_terms: 'zeroTerms' }),
  prefix: shape(VALUED),
  wildcard: shape(VALUED),
  regex: shape(VALUED),
  fuzzy: shape(VALUED, { edits: 'edits', prefix_length: 'length' }),
  range: shape({ field: 'field' }, { gt: 'value', gte: 'value', lt: 'value', lte: 'value' }),
  cidr: shape(VALUED),
  exists: shape({ field: 'field' }),
  ids: shape({ keys: 'keys' }),
  match: shape(VALUED, {
    operator: 'operator',
    minimum_should_match: 'minimum',
    edits: 'autoEdits',
    prefix_length: 'length',
    last_prefix: 'flag',
    zero_terms: 'zeroTerms',
  }),
  knn: shape(
    { field: 'field' },
    {
      query_text: 'text',
      query_vector: 'vector',
      k: 'nearest',
      filter: 'clause',
      min_score: 'score',
      exact: 'flag',
      ef: 'nearest',
    },
  ),
  bool: shape(
    {},
    {
      must: 'clauses',
      should: 'clauses',
      must_not: 'clauses',
      filter: 'clauses',
      minimum_should_match: 'minimum',
    },
  ),
  boost: shape({ query: 'clause', factor: 'factor' }),
  dis_max: shape({ queries: 'clauses' }, { tie_breaker: 'share' }),
  constant_score: shape({ filter: 'clause' }),
  boosting: shape({ positive: 'clause', negative: 'clause', negative_boost: 'factor' }),
});
export type Tag = keyof typeof TAGS;

const VALUE = { type: ['string', 'number', 'boolean'] };
const CLAUSE = { $ref: '#/$defs/clause' };
const KEY_PARTS = {
  type: 'array',
  minItems: 1,
  maxItems: LIMITS.keyColumns,
  items: {
    type: 'object',
    required: ['name', 'value'],
    additionalProperties: false,
    properties: { name: { type: 'string' }, value: { type: 'string' } },
  },
};
const KEY = {
  type: 'object',
  required: ['identifier'],
  additionalProperties: false,
  properties: { partition: KEY_PARTS, identifier: KEY_PARTS },
};
const KINDS: Readonly<Record<KeyKind, object>> = {
  field: { type: 'string', minLength: 1 },
  value: VALUE,
  values: { type: 'array', items: VALUE, maxItems: LIMITS.setTerms },
  slop: { type: 'integer', minimum: 0, maximum: 999_999_999 },
  edits: { type: 'integer', minimum: 0, maximum: LIMITS.fuzzyEdits },
  operator: { enum: ['or', 'and'] },
  factor: { type: 'number', minimum: 0 },
  minimum: {
    type: ['integer', 'string'],
    minimum: 0,
    maximum: LIMITS.queryClauses,
    pattern: MINIMUM_PATTERN.source,
  },
  autoEdits: { enum: [...Array(LIMITS.fuzzyEdits + 1).keys(), 'auto'] },
  length: { type: 'integer', minimum: 0, maximum: LIMITS.regexChars },
  share: { type: 'number', minimum: 0, maximum: 1 },
  zeroTerms: { enum: ['none', 'all'] },
  keys: { type: 'array', items: KEY, maxItems: LIMITS.setTerms },
  text: { type: 'string' },
  vector: { type: 'array', items: { type: 'number' }, minItems: 1, maxItems: LIMITS.vectorDims },
  nearest: { type: 'integer', minimum: 1, maximum: LIMITS.nearestDocs },
  score: { type: 'number' },
  flag: { type: 'boolean' },
  clause: CLAUSE,
  clauses: { type: 'array', items: CLAUSE, maxItems: LIMITS.queryClauses },
};

const needs = (...keys: readonly string[]) => ({ required: keys });

/**
 * What the lists of keys do not say: a range has a bound, and at most one at each end; nearness is
 * to a text or to a vector, and where every vector is compared there are no candidates to count.
 */
const MORE: Readonly<Record<string, object>> = {
  range: {
    anyOf: [needs('gt'), needs('gte'), needs('lt'), needs('lte')],
    not: { anyOf: [needs('gt', 'gte'), needs('lt', 'lte')] },
  },
  knn: {
    anyOf: [needs('query_text'), needs('query_vector')],
    not: { ...needs('exact', 'ef'), properties: { exact: { enum: [true] } } },
  },
};

const tagSchema = ([tag, { required, optional }]: [string, TagShape]) => ({
  type: 'object',
  required: [tag],
  additionalProperties: false,
  properties: {
    [tag]: {
      type: 'object',
      required: Object.keys(required),
      additionalProperties: false,
      properties: Object.fromEntries(
        Object.entries({ ...required, ...optional }).map(([key, kind]) => [key, KINDS[kind]]),
      ),
      ...MORE[tag],
    },
  },
});

/**
 * JSON schema (2020-12) of the query tree, published as docs/query-tree.schema.json. It does not
 * say how many clauses and levels a tree may have and how many bytes a text, nor that integers
 * beyond 2^53 are written as texts.
 */
export const QUERY_TREE_SCHEMA = Object.freeze({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'query tree',
  ...CLAUSE,
  $defs: { clause: { oneOf: Object.entries(TAGS).map(tagSchema) } },
});
