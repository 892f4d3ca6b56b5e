import { afterEach, describe, expect, it, vi } from 'vitest';
import { openInverted } from '../../../../test/support/field-blocks.ts';
import { Deadline } from '../base/deadline.ts';
import type { InvertedReader } from '../inverted/inverted-reader.ts';
import type { Arena } from '../storage/directory.ts';
import { plainArena } from '../storage/plain-arena.ts';
import type { TermSearch } from './request.ts';
import { countTerms, searchTerms } from './search-terms.ts';
import { TopDocs } from './top-docs.ts';

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

/** Counts the positions that plain loops read. */
class CountingView extends DataView<ArrayBuffer> {
  reads = 0;
  override getInt32(at: number, little: boolean): number {
    this.reads++;
    return super.getInt32(at, little);
  }
}

function countingArena(bytes: number): Arena & { readonly view: CountingView } {
  const arena = plainArena(bytes);
  return Object.assign(arena, { view: new CountingView(arena.memory.buffer) });
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
  afterEach(() => vi.unstubAllEnvs());

  it.each(['1', '0'])('is found as by brute force (LHS_WASM=%s)', (wasm) => {
    vi.stubEnv('LHS_WASM', wasm);
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

  it('reads each position at most a few times', () => {
    vi.stubEnv('LHS_WASM', '0');
    const texts = randomTexts(60, 3000);
    const arena = countingArena(4 << 20);
    const reader = openInverted(
      texts.map((words) => [words.join(' ')]),
      undefined,
      arena,
    );
    for (const words of PHRASES) {
      arena.view.reads = 0;
      countTerms(phraseOf(reader, words));
      searchTerms(phraseOf(reader, words), new TopDocs(10, () => encoder.encode('')));
      expect(arena.view.reads, words.join(' ')).toBeLessThan(2 * 3 * words.length * reader.tokens);
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
