import { describe, expect, test } from 'vitest';
import { LhsError } from '../errors.ts';
import { checkSearchRequest } from './check.ts';

function refusal(request: unknown): string {
  try {
    checkSearchRequest(request);
  } catch (error) {
    if (error instanceof LhsError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'accepted';
}

describe('the check of a search request', () => {
  test.each<[unknown, string]>([
    [
      { query: 'a', limt: 3 },
      'invalid_argument: unknown request field "limt"; did you mean "limit"?',
    ],
    [{ query: 7 }, 'invalid_argument: "query" is 7: expected a string'],
    [
      { query: 'a', ast: {} },
      'invalid_argument: "query" and "ast" exclude each other: send one of them',
    ],
    [{ limit: -1 }, 'invalid_argument: "limit" is -1: expected a whole number from 0 to 10000'],
    [{ limit: 1.5 }, 'invalid_argument: "limit" is 1.5: expected a whole number from 0 to 10000'],
    [{ limit: 10_001 }, 'limit_exceeded: "limit" is 10001: at most 10000'],
    [{ limit: 10, offset: 9991 }, 'limit_exceeded: offset 9991 + limit 10 is more than 10000'],
    [
      { limit: 1001, hydrate: true },
      'limit_exceeded: limit 1001 with hydrate: at most 1000 rows are read',
    ],
    [
      { sort: [{ field: 'a', des: true }] },
      'invalid_argument: unknown field of "sort[0]" "des"; did you mean "desc"?',
    ],
    [{ sort: [{}] }, 'invalid_argument: "sort[0].field" is missing: expected a value'],
    [
      { highlight: { max_fragments: 0 } },
      'invalid_argument: "highlight.max_fragments" is 0: expected a whole number from 1 to 100',
    ],
    [{ hydrate_columns: ['a'] }, 'invalid_argument: "hydrate_columns" needs "hydrate": true'],
    [
      { search_after: [1], offset: 1 },
      'invalid_argument: "offset" does not go with "search_after": leave it out',
    ],
    [
      { min_snapshot: 12 },
      'invalid_argument: "min_snapshot" is 12: expected a snapshot id as a string of digits',
    ],
    [{ wait_ms: 5 }, 'invalid_argument: "wait_ms" needs "min_snapshot"'],
    [{ filter: 3 }, 'invalid_argument: "filter" is 3: expected a query tree (an object)'],
    [null, 'invalid_argument: the request is null: expected an object'],
    [
      { search_after: [{ a: 1 }] },
      'invalid_argument: "search_after[0]" is {"a":1}: expected a string, a number, ' +
        'true, false or null',
    ],
    [{ search_after: [1, null, ['git', 'ab12']] }, 'accepted'],
    [{ limit: 1000, hydrate: true }, 'accepted'],
    [{ limit: 10, offset: 9990 }, 'accepted'],
    [{ highlight: {} }, 'accepted'],
  ])('%j: %s', (request, expected) => {
    expect(refusal(request)).toBe(expected);
  });

  test('reads an omitted or zero limit as ten', () => {
    expect(checkSearchRequest({ query: 'a' }).limit).toBe(10);
    expect(checkSearchRequest({ query: 'a', limit: 0 }).limit).toBe(10);
  });
});
