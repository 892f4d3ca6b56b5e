import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sloppyFrequency } from './phrase-match.ts';

/** Every choice of positions, one a word. */
function bruteForce(doc: readonly string[], words: readonly string[], slop: number): number {
  const choices = (word: number, taken: readonly number[]): boolean => {
    if (word === words.length) {
      const places = taken.map((position, i) => position - i);
      return Math.max(...places) - Math.min(...places) <= slop;
    }
    return doc.some(
      (token, at) =>
        token === words[word] && !taken.includes(at) && choices(word + 1, [...taken, at]),
    );
  };
  return doc.filter((token, at) => token === words[0] && choices(1, [at])).length;
}

function frequency(doc: readonly string[], words: readonly string[], slop: number): number {
  const positions = words.map((word) => doc.flatMap((token, at) => (token === word ? [at] : [])));
  const same = words.map((word) => words.indexOf(word));
  return sloppyFrequency({ offsets: words.map((_, i) => i), same, slop }, positions);
}

describe('sloppy phrases', () => {
  test('need slop 1 for one word between and slop 2 for a swap', () => {
    expect(frequency(['connection', 'was', 'reset'], ['connection', 'reset'], 0)).toBe(0);
    expect(frequency(['connection', 'was', 'reset'], ['connection', 'reset'], 1)).toBe(1);
    expect(frequency(['reset', 'connection'], ['connection', 'reset'], 1)).toBe(0);
    expect(frequency(['reset', 'connection'], ['connection', 'reset'], 2)).toBe(1);
  });

  test('count what trying every choice counts, repeated words included', () => {
    const word = fc.constantFrom('a', 'b', 'c');
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 9 }),
        fc.array(word, { minLength: 2, maxLength: 4 }),
        fc.nat(4),
        (doc, words, slop) => {
          expect(frequency(doc, words, slop)).toBe(bruteForce(doc, words, slop));
        },
      ),
      { seed: 20_261_121, numRuns: 5000 },
    );
  });
});
