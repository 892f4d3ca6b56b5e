import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { analyzerFor } from '../registry.ts';
import { analyzeToTokens } from '../tokens.ts';
import { lowerText } from '../unicode/lower.ts';
import { LANGUAGES, stemmerOf, stopWordsOf } from './languages.ts';

const { stems } = JSON.parse(
  readFileSync(new URL('../../../../../fixtures/stems.json', import.meta.url), 'utf8'),
) as { stems: Readonly<Record<string, readonly (readonly [string, string])[]>> };

describe('stemmers', () => {
  it.each(LANGUAGES)('%s gives the stems of the Snowball project', (language) => {
    const stem = stemmerOf(language);
    const wrong = stems[language].filter(([word, wanted]) => stem(lowerText(word)) !== wanted);
    expect(wrong).toEqual([]);
    expect(stems[language].length).toBeGreaterThan(300);
  });

  it('treat both ways of writing Romanian alike', () => {
    const stem = stemmerOf('romanian');
    expect(stem('naționalități')).toBe(stem('naţionalităţi'));
  });
});

describe('stop words', () => {
  it.each(LANGUAGES)('of %s are words in lower case that its analyzer drops', (language) => {
    const words = stopWordsOf(language);
    expect(words.length).toBeGreaterThan(15);
    expect(words.filter((word) => word !== word.toLowerCase() || /\s/.test(word))).toEqual([]);
    const analyzer = analyzerFor(language);
    const kept = words.filter((word) => analyzeToTokens(analyzer, word).length > 0);
    expect(kept.filter((word) => /^[\p{L}\p{M}]+$/u.test(word))).toEqual([]);
  });
});
