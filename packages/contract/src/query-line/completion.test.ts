import { describe, expect, it } from 'vitest';
import { completionPlace, fieldItems, queryValue } from './completion.ts';

const lineOf = (text: string) => ({ text, at: text.length });

describe('completion of the query line', () => {
  it('finds a field, a value and an open quote at the cursor', () => {
    expect(completionPlace(lineOf('x serv'))).toMatchObject({ typed: 'serv', from: 2, to: 6 });
    expect(completionPlace(lineOf('service:'))).toMatchObject({ typed: '', field: 'service' });
    expect(completionPlace(lineOf('a AND service:bil'))).toMatchObject({
      typed: 'bil',
      field: 'service',
      from: 14,
    });
    expect(completionPlace(lineOf('author:"Ada L'))).toMatchObject({
      typed: 'Ada L',
      field: 'author',
      from: 7,
    });
  });

  it('offers nothing after a blank, after a closed quote or inside a word', () => {
    for (const text of ['', 'x ', '"a b"', 'tim*', 'x AND']) {
      expect(completionPlace(lineOf(text))).toBeUndefined();
    }
    expect(completionPlace({ text: 'timeout', at: 3 })).toBeUndefined();
  });

  it('offers fields by prefix and quotes values that need it', () => {
    const place = completionPlace(lineOf('SE'));
    const items = place === undefined ? [] : fieldItems(place, ['service', 'severity', 'title']);
    expect(items.map((item) => item.insert)).toEqual(['service:', 'severity:']);
    expect(['billing', 'Ada L', 'a"b', 'OR', '-x', 'é1'].map(queryValue)).toEqual([
      'billing',
      '"Ada L"',
      '"a\\"b"',
      '"OR"',
      '"-x"',
      'é1',
    ]);
  });
});
