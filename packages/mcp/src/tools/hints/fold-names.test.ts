import { describe, expect, it } from 'vitest';
import { foldedPaths, foldNames } from './fold-names.ts';

const of = (heads: string, tails: string) =>
  heads.split(' ').flatMap((head) => tails.split(' ').map((tail) => `a.${head}.${tail}`));

describe('names of repeated structures', () => {
  it('are one for each path inside, with what differs', () => {
    const names = ['id', ...of('x y z', 'low high'), 'a.x.only', 'b.x.low', 'b.y.low'];
    expect(foldNames(names)).toEqual([
      { name: 'id', first: 'id' },
      { name: 'a.*.low', parts: ['x', 'y', 'z'], first: 'a.x.low' },
      { name: 'a.*.high', parts: ['x', 'y', 'z'], first: 'a.x.high' },
      ...['a.x.only', 'b.x.low', 'b.y.low'].map((name) => ({ name, first: name })),
    ]);
  });

  it('are apart if their kinds differ', () => {
    const kindOf = (name: string) => (name.includes('.z.') ? 'LONG' : 'DATE');
    const names = of('x y z', 'low');
    expect(foldNames(names, kindOf).map(({ name }) => name)).toEqual(names);
  });

  it('have a legend in lists of paths', () => {
    const heads = Array.from({ length: 15 }, (_, i) => `h${i}`).join(' ');
    expect(foldedPaths([...of('x', 'own'), ...of(heads, 'low high')])).toEqual([
      ...['a.x.own', 'a.*.low', 'a.*.high'],
      'a.* is h0 h1 h2 h3 h4 h5 h6 h7 h8 h9 h10 h11 … 3 more',
    ]);
    expect(foldedPaths(['a.b', 'a.c', 'a.d'])).toEqual(['a.b', 'a.c', 'a.d']);
  });
});
