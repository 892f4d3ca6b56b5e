import { describe, expect, it } from 'vitest';
import { didYouMean, nearest } from './nearest.ts';

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
});
