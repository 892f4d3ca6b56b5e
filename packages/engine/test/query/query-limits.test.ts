/**
 * Every limit on what a search may ask for: at the edge it is answered, one past it refused by its
 * number.
 */

import { LhsError, type QueryTree, type SearchRequest } from '@lakehouse-search/contract';
import { checkSearchRequest } from '@lakehouse-search/contract/internal';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { buildCorpus, corpusPlan, MAPPING } from '../../../../test/support/oracle/corpus.ts';
import { addressOf } from '../../../../test/support/oracle/model.ts';
import { searchContext } from '../../../../test/support/search-context.ts';
import { LIMITS } from '../../src/base/limits.ts';
import { searchIndex } from '../../src/search/search.ts';

const [plan] = fc.sample(corpusPlan(addressOf), { seed: 7, numRuns: 1 });
const corpus = buildCorpus(plan!);
afterAll(() => corpus.snapshot.release());
const context = searchContext(MAPPING, corpus.snapshot, { hasReached: async () => true });

async function refusal(request: SearchRequest): Promise<string | null> {
  try {
    await searchIndex(context, checkSearchRequest(request));
    return null;
  } catch (error) {
    if (error instanceof LhsError) return `${error.code}: ${error.message}`;
    throw error;
  }
}

const term: QueryTree = { term: { field: 't1', value: 'fix' } };
const many = (n: number): QueryTree[] => Array.from({ length: n }, () => term);
/** A term in n groups. */
const groups = (n: number): QueryTree => (n === 0 ? term : { bool: { must: [groups(n - 1)] } });
const word = (bytes: number): string => 'a'.repeat(bytes);
const set = (field: string, n: number, value: (i: number) => string | number): SearchRequest => ({
  ast: { terms: { field, values: Array.from({ length: n }, (_, i) => value(i)) } },
});
const regex = (value: string): SearchRequest => ({ ast: { regex: { field: 't1', value } } });

const EDGES: readonly [keyof typeof LIMITS, (n: number) => SearchRequest][] = [
  ['queryBytes', (n) => ({ query: word(n) })],
  ['queryBytes', (n) => ({ query: 'fix', filter: word(n) })],
  ['queryDepth', (n) => ({ ast: groups(n) })],
  ['queryClauses', (n) => ({ ast: { bool: { should: many(n - 1) } } })],
  ['setTerms', (n) => set('n1', n, (i) => i)],
  ['setTerms', (n) => set('k1', n, (i) => `v${i}`)],
  ['regexChars', (n) => regex('a'.repeat(n))],
  ['regexRepeat', (n) => regex(`a{${n}}`)],
  ['fuzzyEdits', (n) => ({ ast: { fuzzy: { field: 't1', value: 'fix', edits: n } } })],
  ['phraseSlop', (n) => ({ ast: { phrase: { field: 't1', value: 'fix bug', slop: n } } })],
  ['boostFactor', (n) => ({ ast: { boost: { query: term, factor: n } } })],
  ['pageHits', (n) => ({ limit: n })],
  ['windowHits', (n) => ({ offset: n - 10, limit: 10 })],
  ['hydratedHits', (n) => ({ limit: n, hydrate: true })],
  ['sortKeys', (n) => ({ sort: Array.from({ length: n }, () => ({ field: 'n1' })) })],
  ['facetFields', (n) => ({ facets: { fields: Array.from({ length: n }, () => 'k1') } })],
  ['facetSize', (n) => ({ facets: { fields: ['k1'], size: n } })],
  ['waitMillis', (n) => ({ wait_ms: n, min_snapshot: '1' })],
];

describe('limits of queries', () => {
  test.each(EDGES)('%s (%#)', async (name, request) => {
    const most = LIMITS[name];
    expect(await refusal(request(most))).toBeNull();
    const refused = await refusal(request(most + 1));
    expect(refused).toMatch(/^(limit_exceeded|invalid_query|invalid_argument): /);
    expect(refused?.replaceAll(/[,_ ](?=\d{3})/g, '')).toContain(String(most));
  });
});
