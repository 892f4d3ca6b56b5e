/**
 * The kinds of queries of the matrix, each with queries of its kind over the fields of the oracle's
 * model.
 */
import fc from 'fast-check';
import { ADDRESSES, VALUES, WORDS } from '../../../../../test/support/oracle/corpus.ts';
import type { Query } from '../../../src/query/query.ts';
import { KNN } from './semantic-kinds.ts';

const word = fc.constantFrom(...WORDS);
const words = (min: number, max: number) =>
  fc.array(word, { minLength: min, maxLength: max }).map((list) => list.join(' '));
const keyword = fc.constantFrom(...VALUES);
const text = fc.constantFrom('t1', 't2');
const bound = (value: string, inclusive: boolean) => ({ value, inclusive });

/** Words of t1 under one operator. */
const match = (operator: 'or' | 'and'): fc.Arbitrary<Query> =>
  fc.record({ field: text, value: words(2, 3) }).map((q) => ({ kind: 'match', operator, ...q }));
const phrase = (slops: readonly number[]): fc.Arbitrary<Query> =>
  fc
    .record({ field: text, value: words(2, 2), slop: fc.constantFrom(...slops) })
    .map((q) => ({ kind: 'phrase', ...q }));
const pattern = <K extends 'prefix' | 'wildcard' | 'regex'>(kind: K, values: readonly string[]) =>
  fc
    .record({ field: fc.constantFrom('t1', 't2', 'k1'), value: fc.constantFrom(...values) })
    .map((q): Query => ({ kind, ...q }));

const leaf: fc.Arbitrary<Query> = fc.oneof(
  match('or'),
  phrase([0]),
  fc
    .record({ field: fc.constant('k1'), value: keyword })
    .map((q): Query => ({ kind: 'term', ...q })),
);

/** Name -> queries of that kind. */
export const QUERY_KINDS: Readonly<Record<string, fc.Arbitrary<Query>>> = {
  match_all: fc.constant({ kind: 'match_all' }),
  match_none: fc.constant({ kind: 'match_none' }),
  'term (TEXT)': fc.record({ field: text, value: word }).map((q) => ({ kind: 'term', ...q })),
  'term (KEYWORD)': keyword.map((value) => ({ kind: 'term', field: 'k1', value })),
  'term (LONG, DATE, BOOL)': fc.constantFrom<Query>(
    { kind: 'term', field: 'n1', value: '7' },
    { kind: 'term', field: 'b1', value: 'true' },
    { kind: 'term', field: 'at', value: '2020-01-01' },
  ),
  terms: fc
    .array(keyword, { minLength: 1, maxLength: 4 })
    .map((values) => ({ kind: 'terms', field: 'k1', values })),
  'match (or)': match('or'),
  'match (and)': match('and'),
  phrase: phrase([0]),
  'phrase with slop': phrase([1, 2, 4]),
  range: fc.constantFrom<Query>(
    { kind: 'range', field: 'n1', lower: bound('0', true), upper: bound('256', false) },
    { kind: 'range', field: 'd1', lower: bound('-2', false) },
    { kind: 'range', field: 'at', upper: bound('2020-01-01', true) },
    { kind: 'range', field: 'k1', lower: bound('Perl', true), upper: bound('git', true) },
  ),
  cidr: fc
    .constantFrom('10.0.0.0/8', `${ADDRESSES[0]}/32`, '2001:db8::/32')
    .map((value) => ({ kind: 'cidr', field: 'ip', value })),
  exists: fc.constantFrom('t2', 'k1', 'n1', 'ip').map((field) => ({ kind: 'exists', field })),
  prefix: pattern('prefix', ['f', 'ba', 'é', 'P']),
  wildcard: pattern('wildcard', ['f*', '*o', 'b?z', 'a*a']),
  regex: pattern('regex', ['fo+d?l?', '(foo|bar)', 'a{2,3}', 'g.*']),
  fuzzy: fc
    .record({ field: text, value: fc.constantFrom('foo', 'bar', 'été'), edits: fc.nat(2) })
    .map((q) => ({ kind: 'fuzzy', ...q })),
  bool: fc
    .record({
      must: fc.array(leaf, { maxLength: 1 }),
      should: fc.array(leaf, { minLength: 1, maxLength: 2 }),
      must_not: fc.array(leaf, { maxLength: 1 }),
      filter: fc.array(leaf, { maxLength: 1 }),
    })
    .map((q) => ({ kind: 'bool', ...q })),
  boost: leaf.map((query) => ({ kind: 'boost', query, factor: 2.5 })),
  knn: KNN,
};
