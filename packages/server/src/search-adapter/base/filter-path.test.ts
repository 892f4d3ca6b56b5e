import type { Json } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { filterPath, matches } from './filter-path.ts';

const RESPONSE: Json = {
  took: 3,
  hits: { total: { value: 2 }, hits: [{ _id: 'a', _source: { t: 1, u: 2 } }, { _id: 'b' }] },
};

describe('filterPath', () => {
  it.each([
    ['took', { took: 3 }],
    ['hits.hits._id', { hits: { hits: [{ _id: 'a' }, { _id: 'b' }] } }],
    ['hits.hits._source.t', { hits: { hits: [{ _source: { t: 1 } }] } }],
    ['h*.total', { hits: { total: { value: 2 } } }],
    ['**.u', { hits: { hits: [{ _source: { u: 2 } }] } }],
    ['hits.**.value,took', { took: 3, hits: { total: { value: 2 } } }],
    ['-hits', { took: 3 }],
    ['hits.total,-**.value', { hits: { total: {} } }],
    ['nothing', {}],
  ])('%s', (paths, expected) => {
    expect(filterPath(RESPONSE, paths)).toEqual(expected);
  });
});

describe('a hostile filter_path', () => {
  const nested = (levels: number): Json => (levels === 0 ? 1 : { a: nested(levels - 1) });

  it('selects the same with any number of stars', () => {
    const json = nested(12);
    expect(filterPath(json, `${'**.'.repeat(80)}a`)).toEqual(json);
    expect(filterPath(json, `${'**.*.'.repeat(5)}a`)).toEqual(json);
    expect(filterPath(json, `-${'**.*.'.repeat(80)}b`)).toEqual(json);
  });

  it('has a limit', () => {
    expect(filterPath(RESPONSE, Array(256).fill('took').join())).toEqual({ took: 3 });
    expect(() => filterPath(RESPONSE, Array(257).fill('took').join())).toThrow('filter_path');
  });
});

describe('matches', () => {
  it.each([
    ['a*', 'abc', true],
    ['*c', 'abc', true],
    ['a*c', 'abc', true],
    ['ab*bc', 'abc', false],
    ['*', '', true],
    ['abc', 'ab', false],
    ['a*b*c', 'axbyc', true],
  ])('%s and %s: %s', (pattern, name, expected) => {
    expect(matches(pattern, name)).toBe(expected);
  });
});
