import { describe, expect, it } from 'vitest';
import { didYouMean, firstNames, nearest } from './nearest.ts';

describe('the nearest name', () => {
  it('is the intended name, or none if no name is near', () => {
    const names = ['subject', 'body', 'author', 'repo', 'authored_at'];
    expect(nearest('subjct', names)).toBe('subject');
    expect(nearest('Body', names)).toBe('body');
    expect(nearest('atuhor', names)).toBe('author');
    expect(nearest('rpo', names)).toBe('repo');
    expect(nearest('zzz', names)).toBeUndefined();
    expect(nearest('', names)).toBeUndefined();
    expect(didYouMean('subjct', names)).toBe('; did you mean "subject"?');
    expect(didYouMean('price', names)).toBe('');
    expect(nearest('x'.repeat(100_000), names)).toBeUndefined();
  });

  it('comes first in a list of names, behind its namespace', () => {
    const names = ['m.acc', 'm.birds', 'n.zips', 'n.airports'];
    expect(firstNames('zips', names, 4)).toBe('n.zips, m.birds, m.acc, n.airports');
    expect(firstNames('o.ziip', names, 1)).toBe('n.zips, …');
    expect(firstNames('x', [], 3)).toBe('');
  });
});
