import { describe, expect, it } from 'vitest';
import { hasFieldClause } from './field-clause.ts';

describe('a query string', () => {
  it.each([
    'a:b',
    'word service:billing',
    '(a:b OR c)',
    '-resolved:true',
    'a.b:[1 TO 2]',
    'a:"x y"',
  ])('has a clause of a field: %s', (query) => expect(hasFieldClause(query)).toBe(true));

  it.each(['', 'some words', '"at 10:30"', '*:*', '*:* word', 'a\\:b', ': a'])(
    'has none: %s',
    (query) => expect(hasFieldClause(query)).toBe(false),
  );
});
