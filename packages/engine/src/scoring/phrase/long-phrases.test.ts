import { describe, expect, it } from 'vitest';
import { openInverted } from '../../../../../test/support/field-blocks.ts';
import { Deadline } from '../../base/time/deadline.ts';
import type { InvertedReader } from '../../inverted/inverted-reader.ts';
import type { TermSearch } from '../request.ts';
import { countTerms, searchTerms } from '../search-terms.ts';
import { TopDocs } from '../top-docs.ts';

const WORDS = ['alpha', 'beta', 'gamma', 'delta', 'rare'];
const encoder = new TextEncoder();

/** Texts of so many random words, of which `rare` is one in a thousand. */
function randomTexts(docs: number, words: number): string[][] {
  let state = 20_261_122;
  const random = (n: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  const word = () => WORDS[random(1000) === 0 ? 4 : random(4)] as string;
  return Array.from({ length: docs }, () => Array.from({ length: words }, word));
}

const phraseOf = (reader: InvertedReader, words: readonly string[]): TermSearch => ({
  mode: 'phrase',
  terms: words.map((word, position) => ({ bytes: encoder.encode(word), boost: 1, position })),
  segments: [{ number: 0, reader, blocked: null, ranks: null, living: null }],
});

const occurrences = (text: readonly string[], words: readonly string[]): number =>
  text.filter((_, at) => words.every((word, i) => text[at + i] === word)).length;

const PHRASES = [
  ['alpha', 'beta'],
  ['alpha', 'beta', 'gamma', 'delta'],
  ['alpha', 'alpha', 'beta', 'alpha'],
  ['alpha', 'beta', 'gamma', 'delta', 'alpha', 'beta'],
  ['alpha', 'rare', 'gamma', 'delta'],
  ['delta', 'delta', 'delta', 'delta'],
];

describe('a phrase in long documents of few words', () => {
  it('is found as by brute force', () => {
    const texts = randomTexts(60, 1500);
    const reader = openInverted(texts.map((words) => [words.join(' ')]));
    for (const words of PHRASES) {
      const frequencies = texts.map((text) => occurrences(text, words));
      const matches = frequencies.filter((found) => found > 0);
      const search = phraseOf(reader, words);
      expect(countTerms(search), words.join(' ')).toBe(matches.length);
      const top = new TopDocs(100, (_, doc) => encoder.encode(String(doc).padStart(4, '0')));
      searchTerms(search, top);
      const found = top.harvest().map(({ doc }) => frequencies[doc]);
      expect(found).toEqual(matches.sort((a, b) => b - a));
    }
  });

  it.each([
    ['alpha', 'beta'],
    ['alpha', 'beta', 'gamma', 'delta'],
    ['alpha', 'rare', 'gamma'],
  ])('ends at its deadline within a few hundred documents: %s %s', (...words) => {
    const docs = 3000;
    const reader = openInverted(randomTexts(docs, 1000).map((text) => [text.join(' ')]));
    let looks = 0;
    const deadline = new Deadline(1, { ticks: () => looks++ });
    const search = { ...phraseOf(reader, words), deadline };
    expect(() => countTerms(search)).toThrow('the query took longer');
  });
});
