import { describe, expect, it } from 'vitest';
import { ErasedKeys, textsOfJson } from './erased-keys.ts';

const key = (...values: readonly string[]) => ({
  identifier: values.map((value, i) => ({ name: ['org', 'id'][i], value })),
});
const spec = { partition: [], identifier: ['org', 'id'] };
const keys = new ErasedKeys(spec, [key('acme', 'user-1234'), key('a', '7')], ['Secret text', 'ab']);

describe('the keys of an erasure', () => {
  it.each([
    ['person:user-1234', 0],
    ['"USER-1234"', 0],
    ['user-12345', undefined],
    ['xuser-1234', undefined],
    ['org:acme', undefined],
    ['a:7', undefined],
    ['id:7', undefined],
    ['org:a OR b', 1],
    ['a SECRET texts', null],
    ['ab', undefined],
  ])('are mentioned in %s as %s', (text, expected) => {
    expect(keys.mentionedIn(text)).toBe(expected);
  });

  it('take any characters of a value as they are', () => {
    const odd = new ErasedKeys(spec, [key('x', 'a.*+?()[]{}|/\\^$-b')], []);
    expect(odd.mentionedIn('see a.*+?()[]{}|/\\^$-b.')).toBe(0);
    expect(odd.mentionedIn('see aXXb')).toBeUndefined();
  });
});

describe('the texts of a JSON value', () => {
  it('are its strings, numbers and names', () => {
    const text = textsOfJson({ a: ['x', { b: 7 }], c: null, d: true });
    expect(text.split('\n').filter(Boolean)).toEqual(['a', 'x', 'b', '7', 'c', 'd']);
  });
});
