import { LIMITS } from '../../base/limits.ts';

/** What a key of the JSON tree holds. */
export type KeyKind =
  | 'field'
  | 'value'
  | 'values'
  | 'slop'
  | 'edits'
  | 'operator'
  | 'factor'
  | 'count'
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
  phrase: shape(VALUED, { slop: 'slop' }),
  prefix: shape(VALUED),
  wildcard: shape(VALUED),
  regex: shape(VALUED),
  fuzzy: shape(VALUED, { edits: 'edits' }),
  range: shape({ field: 'field' }, { gt: 'value', gte: 'value', lt: 'value', lte: 'value' }),
  cidr: shape(VALUED),
  exists: shape({ field: 'field' }),
  match: shape(VALUED, { operator: 'operator' }),
  bool: shape(
    {},
    {
      must: 'clauses',
      should: 'clauses',
      must_not: 'clauses',
      filter: 'clauses',
      minimum_should_match: 'count',
    },
  ),
  boost: shape({ query: 'clause', factor: 'factor' }),
});
export type Tag = keyof typeof TAGS;

const VALUE = { type: ['string', 'number', 'boolean'] };
const CLAUSE = { $ref: '#/$defs/clause' };
const KINDS: Readonly<Record<KeyKind, object>> = {
  field: { type: 'string', minLength: 1 },
  value: VALUE,
  values: { type: 'array', items: VALUE, maxItems: LIMITS.setTerms },
  slop: { type: 'integer', minimum: 0, maximum: 999_999_999 },
  edits: { type: 'integer', minimum: 0, maximum: LIMITS.fuzzyEdits },
  operator: { enum: ['or', 'and'] },
  factor: { type: 'number', minimum: 0 },
  count: { type: 'integer', minimum: 0 },
  clause: CLAUSE,
  clauses: { type: 'array', items: CLAUSE, maxItems: LIMITS.queryClauses },
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
    },
  },
});

/**
 * JSON schema (2020-12) of the query tree. It does not say that a range has at most one lower and
 * one upper bound.
 */
export const QUERY_TREE_SCHEMA = Object.freeze({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'lhs query tree',
  ...CLAUSE,
  $defs: { clause: { oneOf: Object.entries(TAGS).map(tagSchema) } },
});
