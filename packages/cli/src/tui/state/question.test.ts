import type { SearchRequest } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { filterClauses, filterText, restored } from './question.ts';

describe('the request of the screen', () => {
  it('joins clauses to one filter and splits plain filters into clauses', () => {
    expect(filterText([])).toBeUndefined();
    expect(filterText(['a:b OR c:d'])).toBe('a:b OR c:d');
    expect(filterText(['a:b', 'c OR d'])).toBe('a:b AND (c OR d)');
    const clauses = ['service:billing', 'title:"two AND words"', 'n:3', 'q:"a \\" b"'];
    expect(filterClauses(filterText(clauses) ?? '')).toEqual(clauses);
    for (const whole of ['a:b OR c:d', 'a:b AND (c OR d)', 'timeout', 'a:b AND NOT c:d']) {
      expect(filterClauses(whole)).toEqual([whole]);
    }
    expect(filterClauses('')).toEqual([]);
  });

  it('is restored from a saved request, with trees as strings', async () => {
    const tree = async (ast: object) => `tree ${JSON.stringify(ast)}`;
    const sort = [{ field: 'n', desc: true }, { field: '_key' }];
    const whole: SearchRequest = {
      query: 'a b',
      filter: 'x:1 AND y:2',
      sort,
      syntax: 'kql',
      default_operator: 'and',
      collapse: 'n',
      limit: 3,
    };
    expect(await restored({ mode: 'lexical', request: whole }, tree)).toEqual({
      mode: 'lexical',
      query: 'a b',
      filters: ['x:1', 'y:2'],
      sort,
      kept: { syntax: 'kql', default_operator: 'and', collapse: 'n' },
    });
    const trees = {
      ast: { match_all: {} },
      filter: { match_none: {} },
      default_operator: 'and',
    } as const;
    expect(await restored({ mode: 'lexical', request: trees }, tree)).toEqual({
      mode: 'lexical',
      query: 'tree {"match_all":{}}',
      filters: ['tree {"match_none":{}}'],
      sort: [],
      kept: {},
    });
    const all = { mode: 'lexical', request: { query: '*:*' } } as const;
    expect((await restored(all, tree)).query).toBe('');
  });

  it('is restored from a saved search by meaning, unless that has a vector', async () => {
    const tree = async () => '';
    const request = { query_text: 'leaks', filter: 'x:1', k: 9 };
    expect(await restored({ mode: 'hybrid', request }, tree)).toMatchObject({
      mode: 'hybrid',
      query: 'leaks',
      filters: ['x:1'],
    });
    const vector = { mode: 'semantic', request: { query_vector: [1] } } as const;
    await expect(restored(vector, tree)).rejects.toThrow('a vector has no text');
  });
});
