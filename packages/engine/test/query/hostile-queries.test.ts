/**
 * Queries that mean harm: each is refused by name or answered. A hang would run into the test's
 * time limit.
 */

import { LhsError, type QueryTree, type SearchRequest } from '@lakehouse-search/contract';
import { checkSearchRequest } from '@lakehouse-search/contract/internal';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { buildCorpus, corpusPlan, MAPPING } from '../../../../test/support/oracle/corpus.ts';
import { addressOf } from '../../../../test/support/oracle/model.ts';
import { searchContext } from '../../../../test/support/search-context.ts';
import { searchIndex } from '../../src/search/search.ts';

const [plan] = fc.sample(corpusPlan(addressOf), { seed: 7, numRuns: 1 });
const corpus = buildCorpus(plan!);
afterAll(() => corpus.snapshot.release());
const context = searchContext(MAPPING, corpus.snapshot);

/** `answered`, or the code of the error. Anything but an LhsError fails. */
async function outcome(request: SearchRequest): Promise<string> {
  try {
    const { hits, total } = await searchIndex(context, checkSearchRequest(request));
    expect(hits.length).toBeLessThanOrEqual(total);
    return 'answered';
  } catch (error) {
    if (error instanceof LhsError) return error.code;
    throw error;
  }
}

const nested = (depth: number, inner: QueryTree, wrap: (part: QueryTree) => QueryTree) => {
  let tree = inner;
  for (let i = 0; i < depth; i++) tree = wrap(tree);
  return tree;
};
const term: QueryTree = { term: { field: 't1', value: 'fix' } };

describe('hostile queries', () => {
  test.each<[string, SearchRequest, string]>([
    ['are refused in time at one megabyte', { query: 'a'.repeat(2 ** 20) }, 'limit_exceeded'],
    ['a megabyte of words', { query: 'fix '.repeat(2 ** 18) }, 'limit_exceeded'],
    ['a megabyte as filter', { query: 'a', filter: 'b '.repeat(2 ** 19) }, 'limit_exceeded'],
    ['1,100 words', { query: 'fix '.repeat(1100) }, 'limit_exceeded'],
    ['10,000 parentheses', { query: '('.repeat(10_000) }, 'limit_exceeded'],
    ['4,000 parentheses', { query: '('.repeat(4000) }, 'limit_exceeded'],
    ['3,000 NOTs', { query: '-'.repeat(3000) }, 'limit_exceeded'],
    [
      'a deep tree of bools',
      { ast: nested(10_000, term, (part) => ({ bool: { must: [part] } })) },
      'limit_exceeded',
    ],
    [
      'a deep tree of boosts',
      { ast: nested(10_000, term, (query) => ({ boost: { query, factor: 2 } })) },
      'limit_exceeded',
    ],
    [
      'a wide tree',
      { ast: { bool: { should: Array.from({ length: 2000 }, () => term) } } },
      'limit_exceeded',
    ],
    [
      'half of a thousand',
      {
        ast: {
          bool: { should: Array.from({ length: 1000 }, () => term), minimum_should_match: 500 },
        },
      },
      'answered',
    ],
    [
      'a large set',
      { ast: { terms: { field: 'n1', values: Array.from({ length: 65_536 }, (_, i) => i) } } },
      'answered',
    ],
    [
      'too large a set',
      {
        ast: { terms: { field: 'k1', values: Array.from({ length: 65_537 }, (_, i) => `v${i}`) } },
      },
      'limit_exceeded',
    ],
    [
      'a thousand words of one word',
      { ast: { match: { field: 't1', value: 'fix '.repeat(1000), operator: 'and' } } },
      'answered',
    ],
    [
      'a phrase of 2,000 words',
      { ast: { phrase: { field: 't1', value: 'fix '.repeat(2000) } } },
      'limit_exceeded',
    ],
    ['a wide slop', { query: '"the the the a fix bug the"~1000' }, 'answered'],
    ['an endless boost', { ast: { boost: { query: term, factor: 1e308 } } }, 'invalid_query'],
    ['a huge factor', { query: 'fix^999999999999999999999999999999999999999' }, 'invalid_query'],
    ['a negative boost', { ast: { boost: { query: term, factor: -1 } } }, 'invalid_query'],
    ['a lone surrogate', { query: '\ud800' }, 'answered'],
    ['zero bytes', { query: 'k1:"\u0000"' }, 'answered'],
    ['a prototype', { ast: { __proto__: term } as never }, 'invalid_argument'],
    ['a field of the prototype', { query: 'constructor:fix' }, 'invalid_query'],
  ])('%s', async (_, request, expected) => {
    expect(await outcome(request)).toBe(expected);
  });

  test('answer in time for 1,000 patterns that are known to explode', async () => {
    const shapes = [
      (n: number) => `(a*)*b`.repeat(1 + (n % 5)),
      (n: number) => `(a|a){1,${1 + n}}`,
      (n: number) => `(.*){1,${1 + (n % 30)}}(.*){1,${1 + (n % 30)}}x`,
      (n: number) => `(a?){${1 + (n % 60)}}a{${1 + (n % 60)}}`,
      (n: number) => `.*[a-f].{${n % 24}}`,
      (n: number) => `((((a{1,10}){1,10}){1,10}){1,${1 + (n % 10)}})`,
      (n: number) => `[^a]*a.{1,${1 + (n % 14)}}b.*`,
      (n: number) => `(${'x|'.repeat(n % 200)}y)+`,
    ];
    const outcomes = new Map<string, number>();
    for (let i = 0; i < 1000; i++) {
      const pattern = shapes[i % shapes.length]!(i);
      const field = i % 2 === 0 ? 't1' : 'k1';
      const found = await outcome({ ast: { regex: { field, value: pattern } } });
      outcomes.set(found, (outcomes.get(found) ?? 0) + 1);
    }
    expect(
      [...outcomes.keys()].filter(
        (name) => !['answered', 'limit_exceeded', 'invalid_query'].includes(name),
      ),
    ).toEqual([]);
    expect(outcomes.get('answered')).toBeGreaterThan(100);
  });
});
