import { LhsError } from '@lakehouse-search/contract';
import { QUERY_TAGS } from '@lakehouse-search/contract/internal';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { QUERY_TREE_SCHEMA } from '../../../../../scripts/query-tree-schema.ts';
import { LIMITS } from '../../base/limits.ts';
import { parseQuery } from '../syntax/parse.ts';
import { readTree } from './read.ts';
import { writeTree } from './write.ts';

const term = { term: { field: 'f', value: 'a' } };

function failure(tree: unknown): LhsError {
  try {
    readTree(tree);
  } catch (error) {
    if (error instanceof LhsError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const EVERY_TAG: Readonly<Record<keyof typeof QUERY_TAGS, object>> = {
  match_all: {},
  match_none: {},
  term: { field: 'f', value: 'a' },
  terms: { field: 'f', values: ['a', 'b'] },
  phrase: { field: 'f', value: 'a b', slop: 2 },
  prefix: { field: 'f', value: 'a' },
  wildcard: { field: 'f', value: 'a*b' },
  regex: { field: 'f', value: 'a+' },
  fuzzy: { field: 'f', value: 'a', edits: 1 },
  range: { field: 'f', gte: '1', lt: '2' },
  cidr: { field: 'f', value: '10.0.0.0/8' },
  exists: { field: 'f' },
  match: {
    ...{ field: 'f', value: 'a b', operator: 'and', minimum_should_match: '2<75%' },
    ...{ edits: 'auto', prefix_length: 1, last_prefix: true, zero_terms: 'all' },
  },
  phrase_prefix: { field: 'f', value: 'a b', zero_terms: 'none' },
  ids: {
    keys: [
      { partition: [{ name: 'p', value: '1' }], identifier: [{ name: 'id', value: 'a' }] },
      { identifier: [{ name: 'id', value: 'b' }] },
    ],
  },
  dis_max: { queries: [term, term], tie_breaker: 0.3 },
  constant_score: { filter: term },
  boosting: { positive: term, negative: term, negative_boost: 0.2 },
  more_like_this: {
    ...{ fields: ['f', 'g'], text: 'a b', keys: [{ identifier: [{ name: 'id', value: 'a' }] }] },
    ...{ min_term_freq: 1, min_doc_freq: 1, max_query_terms: 9, minimum_should_match: '2' },
  },
  knn: { field: 'f', query_text: 'a b', k: 5, filter: term, min_score: 0.5, exact: false, ef: 9 },
  bool: { must: [term], should: [term], must_not: [term], filter: [term], minimum_should_match: 1 },
  boost: { query: term, factor: 2 },
};

describe('query trees as JSON', () => {
  it.each(Object.entries(EVERY_TAG))('%s comes back as it was', (tag, body) => {
    expect(writeTree(readTree({ [tag]: body }))).toEqual({ [tag]: body });
  });

  it('fills in defaults, and takes numbers and booleans for values', () => {
    expect(readTree({ fuzzy: { field: 'f', value: 12 } })).toEqual({
      kind: 'fuzzy',
      field: 'f',
      value: '12',
      edits: 2,
    });
    expect(readTree({ phrase: { field: 'f', value: true } })).toMatchObject({
      value: 'true',
      slop: 0,
    });
    expect(readTree({ match: { field: 'f', value: -1.5 } })).toMatchObject({
      operator: 'or',
      value: '-1.5',
    });
    expect(readTree({ bool: {} })).toEqual({
      kind: 'bool',
      must: [],
      should: [],
      must_not: [],
      filter: [],
    });
  });

  it('reads what a query string was written as', () => {
    const text = 'a "b c"~2 -d:[1 TO 5} +e:>3 (f:x* OR g:/y+/)^2 h~1 i:* *:* j:k*l';
    const query = parseQuery(text, { defaultFields: ['t'] });
    expect(writeTree(readTree(writeTree(query)))).toEqual(writeTree(query));
  });

  it('has a schema with every kind and every key', () => {
    const kinds = QUERY_TREE_SCHEMA.$defs.clause.oneOf.map((s) => s.required[0]);
    expect(kinds.sort()).toEqual(Object.keys(EVERY_TAG).sort());
    expect(JSON.stringify(QUERY_TREE_SCHEMA)).toContain('"minimum_should_match"');
  });
});

describe('query trees that are refused', () => {
  it.each([
    [null, 'ast is null: expected a clause: an object with one key, as {"match_all": {}}'],
    [[], 'ast is an array: expected a clause: an object with one key, as {"match_all": {}}'],
    [{}, 'ast has 0 keys: a clause has one, its kind; join several in a "bool"'],
    [
      { ...term, exists: { field: 'f' } },
      'ast has 2 keys: a clause has one, its kind; join several in a "bool"',
    ],
    [{ trem: {} }, 'ast has the unknown kind "trem"; did you mean "term"?'],
    [
      { term: { feild: 'f', value: 'a' } },
      'ast.term has the unknown key "feild"; did you mean "field"?',
    ],
    [
      { term: { author: 'jo' } },
      'ast.term has the unknown key "author"; expected "field", "value"',
    ],
    [{ match_all: { boost: 1 } }, 'ast.match_all has the unknown key "boost"; expected none'],
    [{ term: { field: 'f' } }, 'ast.term has no "value"'],
    [{ term: { field: '', value: 'a' } }, 'ast.term.field is "": expected a field name'],
    [
      { term: { field: 'f', value: null } },
      'ast.term.value is null: expected a string, a number, true or false',
    ],
    [
      { term: { field: 'f', value: 2 ** 60 } },
      'ast.term.value is a whole number beyond 2^53, which JSON cannot carry exactly: write ' +
        'it as a string',
    ],
    [
      { terms: { field: 'f', values: ['a', {}] } },
      'ast.terms.values[1] is an object: expected a string, a number, true or false',
    ],
    [
      { fuzzy: { field: 'f', value: 'a', edits: 3 } },
      'ast.fuzzy.edits is 3: expected a whole number from 0 to 2',
    ],
    [
      { range: { field: 'f' } },
      'ast.range has no bound: expected "gt", "gte", "lt" or "lte"; use "exists" for any value',
    ],
    [{ range: { field: 'f', gt: 1, gte: 1 } }, 'ast.range has both "gt" and "gte": keep one'],
    [{ bool: { must: term } }, 'ast.bool.must is an object: expected an array'],
    [
      { bool: { must: [{ bool: { should: [{ term: 1 }] } }] } },
      'ast.bool.must[0].bool.should[0].term is 1: expected an object',
    ],
    [
      { boost: { query: term, factor: -1 } },
      'ast.boost.factor is -1: expected a number of at least 0',
    ],
    [{ knn: { query_text: 'a' } }, 'ast.knn has no "field"'],
    [
      { knn: { field: 'f' } },
      'ast.knn has neither "query_text" nor "query_vector": what should be near?',
    ],
    [
      { knn: { field: 'f', query_vector: [1, 'a'] } },
      'ast.knn.query_vector[1] is "a": expected a number',
    ],
    [
      { knn: { field: 'f', query_text: 'a', k: 0 } },
      'ast.knn.k is 0: expected a whole number from 1 to 10000',
    ],
    [
      { knn: { field: 'f', query_text: 'a', exact: true, ef: 9 } },
      'ast.knn has "ef" beside "exact": every vector is compared',
    ],
    [
      JSON.parse('{"term": {"__proto__": 1}}'),
      'ast.term has the unknown key "__proto__"; expected "field", "value"',
    ],
    [JSON.parse('{"constructor": {}}'), 'ast has the unknown kind "constructor"'],
  ])('%j', (tree, message) => {
    const error = failure(tree);
    expect([error.code, error.message]).toEqual(['invalid_query', `query tree: ${message}`]);
    expect(error.details.path).toMatch(/^ast/);
  });

  it('holds the limits', () => {
    const nested = (n: number): object => (n === 0 ? term : { bool: { must: [nested(n - 1)] } });
    expect(readTree(nested(LIMITS.queryDepth)).kind).toBe('bool');
    expect(failure(nested(LIMITS.queryDepth + 1)).code).toBe('limit_exceeded');
    expect(
      failure(JSON.parse(`${'{"bool":{"must":['.repeat(5000)}${']}}'.repeat(5000)}`)).code,
    ).toBe('limit_exceeded');
    const many = (n: number) => ({ bool: { must: Array.from({ length: n }, () => term) } });
    expect(readTree(many(1023)).kind).toBe('bool');
    expect(failure(many(1024)).code).toBe('limit_exceeded');
    const values = (n: number) => ({
      terms: { field: 'f', values: Array.from({ length: n }, String) },
    });
    expect(readTree(values(LIMITS.setTerms)).kind).toBe('terms');
    expect(failure(values(LIMITS.setTerms + 1)).code).toBe('limit_exceeded');
  });

  it('holds the limits of knn clauses, those inside of filters counted', () => {
    const knn = (more: object = {}) => ({ knn: { field: 'f', query_text: 'a', ...more } });
    const many = (n: number) => [
      knn({ filter: knn() }),
      ...Array.from({ length: n - 2 }, () => knn()),
    ];
    const most = LIMITS.nearestClauses;
    expect(readTree({ bool: { should: many(most) } }).kind).toBe('bool');
    const tooMany = failure({ bool: { should: many(most + 1) } });
    expect(tooMany.code).toBe('limit_exceeded');
    expect(tooMany.message).toContain(`is knn clause ${most + 1}: at most ${most} are taken`);
    const text = (bytes: number) => knn({ query_text: 'é'.repeat(bytes / 2) });
    expect(readTree(text(LIMITS.queryBytes)).kind).toBe('knn');
    const tooLong = failure(text(LIMITS.queryBytes + 2));
    expect([tooLong.code, tooLong.message]).toEqual([
      'limit_exceeded',
      'query tree: ast.knn.query_text has 8194 bytes: at most 8192',
    ]);
  });

  it('gives a query or an LhsError for any JSON', () => {
    const json = fc.jsonValue({ maxDepth: 4 });
    const tags = fc.constantFrom(...Object.keys(QUERY_TAGS));
    fc.assert(
      fc.property(tags, json, (tag, body) => {
        try {
          readTree({ [tag]: body });
        } catch (error) {
          if (!(error instanceof LhsError)) throw error;
        }
      }),
      { seed: 20_261_121, numRuns: 3000 },
    );
  });
});
