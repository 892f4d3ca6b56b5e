import { describe, expect, it } from 'vitest';
import { compareHits } from './compare-hits.ts';

const key = (value: string) => ({ identifier: [{ name: 'id', value }] });
const keys = (values: string) => [...values].map(key);

describe('two lists of hits', () => {
  it.each([
    ['abc', 'abc', { overlap: 1, entered: '', left: '', moved: 0 }],
    ['abc', 'cab', { overlap: 1, entered: '', left: '', moved: 4 / 3 }],
    ['abcd', 'abxy', { overlap: 0.5, entered: 'xy', left: 'cd', moved: 0 }],
    ['abcd', 'a', { overlap: 0.25, entered: '', left: 'bcd', moved: 0 }],
    ['a', '', { overlap: 0, entered: '', left: 'a', moved: 0 }],
    ['', '', { overlap: 1, entered: '', left: '', moved: 0 }],
  ])('%j and %j differ by what entered, left and moved', (from, to, expected) => {
    const { entered, left, ...rest } = expected;
    const found = compareHits(keys(from), keys(to));
    expect(found).toEqual({ ...rest, entered: keys(entered), left: keys(left) });
  });
});
