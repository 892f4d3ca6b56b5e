import { describe, expect, test } from 'vitest';
import type { Component } from './entry.ts';
import { divideSegment, isEmptyShare, joinComponents } from './segment-share.ts';

const items = [
  { field: 4, cost: 5 },
  { field: 1, cost: 10 },
  { field: null, cost: 4 },
  { field: 2, cost: 1 },
];

describe('dividing a segment', () => {
  test('gives each thread about as much, the costliest field first', () => {
    expect(divideSegment(items, [0, 0])).toEqual([
      { fields: [1], rows: false },
      { fields: [2, 4], rows: true },
    ]);
  });

  test('counts what a thread has to do besides', () => {
    expect(divideSegment(items, [12, 0])).toEqual([
      { fields: [], rows: true },
      { fields: [1, 2, 4], rows: false },
    ]);
  });

  test('leaves threads without a share if there are more of them than fields', () => {
    const shares = divideSegment([{ field: null, cost: 1 }], [0, 0, 0]);
    expect(shares.map(isEmptyShare)).toEqual([false, true, true]);
  });
});

describe('the components of shares', () => {
  test('are joined in the order of a segment that one thread made', () => {
    const component = (kind: Component['kind'], field: number): Component => ({
      ...{ kind, field, file: `${field}.${kind}`, length: 1, crc: 0 },
    });
    const whole = [
      component('text', 1),
      component('keyword', 2),
      component('ordinal', 2),
      component('locators', -1),
      component('keys', -1),
    ];
    const [text, keyword, ordinal, locators, keys] = whole;
    expect(joinComponents([[keyword, ordinal, locators, keys], [text]])).toEqual(whole);
  });
});
