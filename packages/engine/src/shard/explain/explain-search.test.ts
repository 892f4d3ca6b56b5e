import { describe, expect, test } from 'vitest';
import type { SearchChoice } from '../../vector/search-cost.ts';
import { searchWords } from './explain-search.ts';

const CHOICE: SearchChoice = {
  ...{ method: 'graph', reason: 'cheaper', vectors: 1_000_000, accepted: 1_000_000 },
  ...{ flatMs: 37.561, graphMs: 0.3891, width: 64 },
};
const words = (choice: Partial<SearchChoice>) => searchWords({ ...CHOICE, ...choice }, false);

describe('the words for how a segment was searched', () => {
  test('compare both estimates', () => {
    expect(words({})).toBe(
      'graph search of 1,000,000 vectors (estimated 0.39 ms, a flat search 38 ms)',
    );
    expect(words({ method: 'flat', accepted: 900, flatMs: 0.11, graphMs: 250 })).toBe(
      'flat search of 900 of 1,000,000 vectors (estimated 0.11 ms, by the graph 250 ms)',
    );
  });

  test('name any other reason', () => {
    expect(
      [undefined, { ...CHOICE, reason: 'no_graph' } as const].map((choice) =>
        searchWords(choice, false),
      ),
    ).toEqual(Array(2).fill('flat search (the segment has no graph)'));
    const reasons = (['exact', 'definition', 'too_few'] as const).map((reason) =>
      words({ method: 'flat', reason }),
    );
    expect(reasons.map((text) => text.slice(text.indexOf('(')))).toEqual([
      '(the request has "exact")',
      '(the definition has "search: flat")',
      '(the graph led to fewer than k rows that match)',
    ]);
  });

  test('show the caller of a tenant no figures', () => {
    for (const reason of ['no_graph', 'exact', 'definition', 'too_few', 'cheaper'] as const) {
      expect(searchWords({ ...CHOICE, reason }, true)).not.toMatch(/[0-9]/);
    }
  });
});
