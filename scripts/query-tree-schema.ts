import type { KeyKind, TagShape } from '@lakehouse-search/contract';
import { QUERY_TAGS } from '@lakehouse-search/contract/internal';
import { LIMITS } from '../packages/engine/src/base/limits.ts';
import { MINIMUM_PATTERN } from '../packages/engine/src/query/minimum.ts';

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
  fields: { type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } },
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
  count: { type: 'integer', minimum: 1, maximum: 999_999_999 },
  score: { type: 'number' },
  flag: { type: 'boolean' },
  clause: CLAUSE,
  clauses: { type: 'array', items: CLAUSE, maxItems: LIMITS.queryClauses },
};

const needs = (...keys: readonly string[]) => ({ required: keys });

/**
 * What the lists of keys do not say: a range has a bound, and at most one at each end; nearness is
 * to a text or to a vector, and where every vector is compared there are no candidates to count;
 * likeness is to a text or to rows.
 */
const MORE: Readonly<Record<string, object>> = {
  range: {
    anyOf: [needs('gt'), needs('gte'), needs('lt'), needs('lte')],
    not: { anyOf: [needs('gt', 'gte'), needs('lt', 'lte')] },
  },
  more_like_this: { anyOf: [needs('text'), needs('keys')] },
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
  $defs: { clause: { oneOf: Object.entries(QUERY_TAGS).map(tagSchema) } },
});
