import { describe, expect, it } from 'vitest';
import { coordinatesOfId, documentId } from './document-id.ts';

const ONE = { partition: [], identifier: ['id'] };
const TWO = { partition: ['repo'], identifier: ['path'] };
const keyOf = (...values: string[]) => ({
  identifier: values.map((value, at) => ({ name: `c${at}`, value })),
});

describe('documentId', () => {
  it.each([
    [['42'], '42'],
    [['a,b%2C'], 'a,b%2C'],
    [['git', 'a/b.c'], 'git,a/b.c'],
    [['a,b', '100%'], 'a%2Cb,100%25'],
    [['', ','], ',%2C'],
  ])('of %j is %j', (values, id) => {
    expect(documentId(keyOf(...values))).toBe(id);
  });

  it.each([[['x,%y', '%2C,%25']], [['', '']], [['%', ',']]])('is reversible: %j', (values) => {
    const back = coordinatesOfId(documentId(keyOf(...values)), TWO);
    expect([...back!.partition!, ...back!.identifier].map(({ value }) => value)).toEqual(values);
  });

  it('is the text itself for a key of one column', () => {
    expect(coordinatesOfId('a,b', ONE)).toEqual({ identifier: [{ name: 'id', value: 'a,b' }] });
  });

  it('has one part per column', () => {
    expect(coordinatesOfId('a', TWO)).toBeUndefined();
    expect(coordinatesOfId('a,b,c', TWO)).toBeUndefined();
  });
});
