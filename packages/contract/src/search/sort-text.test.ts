import { describe, expect, it } from 'vitest';
import { sortOfText } from './sort-text.ts';

describe('sort keys', () => {
  it.each([
    ['opened_at', { field: 'opened_at', desc: false }],
    [' opened_at:desc ', { field: 'opened_at', desc: true }],
    ['opened_at DESC', { field: 'opened_at', desc: true }],
    ['-opened_at', { field: 'opened_at', desc: true }],
    ['+opened_at', { field: 'opened_at', desc: false }],
    ['US Gross:desc', { field: 'US Gross', desc: true }],
    ['US Gross', { field: 'US Gross', desc: false }],
    ['age: descending', { field: 'age', desc: true }],
    ['a-b.c:asc', { field: 'a-b.c', desc: false }],
    ['_score', { field: '_score', desc: false }],
    ['', null],
    ['-', null],
    [':desc', null],
    ['a:down', null],
    ['-a:asc', null],
  ])('of %j', (text, key) => {
    expect(sortOfText(text)).toEqual(key);
  });
});
