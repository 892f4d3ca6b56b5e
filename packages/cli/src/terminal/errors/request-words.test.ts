import { describe, expect, it } from 'vitest';
import { requestCommands, requestWords } from './request-words.ts';

const said = (how: string) => `"x" is no query: perhaps you mean ${how} (1,234 hits)`;
const note = (of: string, request: object) =>
  said(`${of} index "cars" with ${JSON.stringify(request)}`);

describe('the command of a request', () => {
  const sort = [{ field: 'Price', desc: true }, { field: 'Type' }];
  const avg = { 'Price avg': { avg: { field: 'Price' } } };
  const terms = { field: 'Type', size: 5 };
  const nested = { Type: { terms, aggs: { Make: { terms } } } };
  it.each([
    ['search', { query: '*:*' }, "lhs search cars '*:*'"],
    [
      'search',
      { query: '*:*', sort, limit: 10 },
      'lhs search cars --sort Price:desc,Type --limit 10',
    ],
    [
      'search',
      { query: 'ford', filter: 'Price:>20', sort },
      "lhs search cars ford --filter 'Price:>20' --sort Price:desc,Type",
    ],
    [
      'facets',
      { query: '*:*', fields: ['Type'], size: 3 },
      'lhs facets cars --field Type --size 3',
    ],
    ['aggregate', { query: '*:*', aggs: avg }, 'lhs aggregate cars --avg Price'],
    ['aggregate', { query: 'a b', aggs: avg }, "lhs aggregate cars 'a b' --avg Price"],
    [
      'aggregate',
      { aggs: { Type: { terms, aggs: avg } } },
      'lhs aggregate cars --terms Type --size 5 --avg Price',
    ],
    ['aggregate', { aggs: nested }, `lhs aggregate cars --aggs '${JSON.stringify(nested)}'`],
  ])('%s with %j', (of, request, command) => {
    expect(requestCommands([note(of, request), 'another note'])).toEqual([command]);
    expect(requestWords(note(of, request))).toBe(said(command));
  });

  it('is of such remarks only', () => {
    expect(requestCommands(['search index "cars" with {no} JSON'])).toEqual([]);
  });
});
